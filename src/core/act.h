#ifndef KSEEK_CORE_ACT_H
#define KSEEK_CORE_ACT_H
/*
 * The primary act of a human message, and whether it is phrased as a question.
 * The two are apart: "Could you run the suite again?" is a directive in
 * interrogative form. Pure; a person may correct the result.
 */
#include <stdbool.h>

#include "base/buf.h"

enum ks_act {
	KS_ACT_QUESTION, KS_ACT_DIRECTIVE, KS_ACT_APPROVAL, KS_ACT_CORRECTION,
	KS_ACT_GOAL,
	KS_ACTS
};

struct ks_act_class {
	enum ks_act act;
	bool interrogative;
};

const char *ks_act_name(enum ks_act act); /* "directive"; static */
int ks_act_of(struct ks_str name);        /* -1 when unknown     */
void ks_act_classify(struct ks_act_class *out, struct ks_str message);

#endif

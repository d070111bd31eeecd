#ifndef KSEEK_EXPORT_EXPORT_H
#define KSEEK_EXPORT_EXPORT_H
/*
 * The annotated transcript: one pass over the whole log, with the final state
 * beside it, written as Markdown (for people) or as JSON lines (for programs).
 * What was asked, at which moment and with which question of the bank (and
 * whether it was edited); what the agent did, its tool calls grouped; every
 * candidate with its scores; what each message was followed by. Events of
 * unknown kinds come through as they
 * were. All foreign text is sanitised.
 */
#include <stdio.h>

#include "base/err.h"
#include "core/state.h"
#include "core/view_data.h"

enum ks_export_format { KS_EXPORT_MD, KS_EXPORT_JSONL };

struct ks_export_source {
	const struct ks_state *final;  /* the fold of the whole log     */
	const struct ks_view_data *data; /* events by seq 1..final->seq */
};

/* Writes to out; KS_EIO when a write failed. Missing events are said in the
 * transcript, not an error. */
int ks_export(FILE *out, enum ks_export_format format,
	const struct ks_export_source *source, struct ks_err *err);

#endif

#ifndef KSEEK_STORE_CAMPAIGN_POLICY_H
#define KSEEK_STORE_CAMPAIGN_POLICY_H
/*
 * The numbers of the rules that a campaign may set: "policy" in campaign.json.
 * One table gives name, unit, range and what each is for; the reader, the
 * writer, `kseek new --set` and docs/goal.md follow it. What is not set keeps
 * the usual value, which the rules know (core/policy.c).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum ks_setting {
	KS_SET_BANK_WAIT = 0, KS_SET_HUMAN_WAIT, KS_SET_SENDBACK_FLOOR, KS_SET_IDLE_TURNS,
	KS_SET_RETRIES, KS_SET_RETRY, KS_SET_FRESH_EVAL, KS_SET_START_WAITS,
	KS_SET_STALL, KS_SET_HOOK_BLOCKS, KS_SET_PLATEAU_EVALS, KS_SET_PLATEAU_CALLS,
	KS_SET_PLATEAU_TIME, KS_SET_MOMENT_DISTANCE, KS_SET_MOMENT_REST,
	KS_SET_QUIET_DISTANCE, KS_SET_QUIET_REPEATS, KS_SET_QUIET_EDITS, KS_SET_QUIET_OWN,
	KS_SETTINGS
};

struct ks_settings { /* zeroed: nothing is set */
	struct {
		bool set;
		int64_t value;
	} item[KS_SETTINGS];
};

struct ks_setting_info {
	const char *name;  /* "bank_wait_s": the unit is part of the name */
	int64_t low, high;
	const char *help;
};

const struct ks_setting_info *ks_setting_info(enum ks_setting setting); /* static */
/* Index of a name, or -1. */
int ks_setting_find(const char *name);
/* What is set, or the fallback. */
int64_t ks_setting_of(const struct ks_settings *settings, enum ks_setting setting,
	int64_t fallback);
/* Sets one by name. KS_EINVAL: no such name, or out of its range; the message
 * says what is known or allowed. */
int ks_setting_set(struct ks_settings *settings, const char *name, int64_t value,
	struct ks_err *err);
/* The same from the words "name=value". */
int ks_setting_parse(struct ks_settings *settings, const char *words, struct ks_err *err);

#endif

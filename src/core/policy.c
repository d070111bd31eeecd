/*
 * The usual policy. The figures are starting points that a campaign may set:
 * about seventy tool calls pass between two messages of a person, so a plateau
 * is sooner than that and two moments of a kind are a third of that apart.
 * Numbers have names, by which campaign.json sets them and the log keeps those
 * that detectors depend on: a log read anywhere gives the moments that it gave.
 */
#include "core/command.h"

#include <stddef.h>
#include <string.h>

void ks_policy_default(struct ks_policy *policy)
{
	*policy = (struct ks_policy){
		.bank_wait_ms = 30 * 1000,
		.human_wait_ms = 15 * 60 * 1000,
		.fresh_eval = true,
		.sendback_floor_ms = 2 * 1000,
		.idle_turn_limit = 3,
		.plateau_evals = 6,
		.plateau_calls = 60,
		.plateau_ms = 45 * 60 * 1000,
		.moment_distance = 25,
		.moment_rest = 4,
		.quiet_distance = 40,
		.quiet_repeats = 3,
		.quiet_edits = 6,
		.quiet_own_pct = 60,
		.start_waits = true,
		.retry_limit = 5,
		.retry_ms = 2 * 1000,
	};
}

/* Numbers by their names in campaign.json and in the log, where they stand, and how
 * many of what stands there make one of the name's unit. */
enum as { AS_COUNT, AS_MS, AS_FLAG };
static const struct number {
	const char *name;
	size_t at;
	enum as as;
	int64_t unit;
	bool scans; /* detectors depend on it */
} numbers[] = {
	{"bank_wait_s", offsetof(struct ks_policy, bank_wait_ms), AS_MS, 1000, false},
	{"human_wait_s", offsetof(struct ks_policy, human_wait_ms), AS_MS, 1000, false},
	{"sendback_floor_s", offsetof(struct ks_policy, sendback_floor_ms), AS_MS, 1000, false},
	{"idle_turns", offsetof(struct ks_policy, idle_turn_limit), AS_COUNT, 1, false},
	{"retries", offsetof(struct ks_policy, retry_limit), AS_COUNT, 1, false},
	{"retry_s", offsetof(struct ks_policy, retry_ms), AS_MS, 1000, false},
	{"fresh_eval", offsetof(struct ks_policy, fresh_eval), AS_FLAG, 1, false},
	{"start_waits", offsetof(struct ks_policy, start_waits), AS_FLAG, 1, false},
	{"plateau_evals", offsetof(struct ks_policy, plateau_evals), AS_COUNT, 1, true},
	{"plateau_calls", offsetof(struct ks_policy, plateau_calls), AS_COUNT, 1, true},
	{"plateau_min", offsetof(struct ks_policy, plateau_ms), AS_MS, 60 * 1000, true},
	{"moment_calls", offsetof(struct ks_policy, moment_distance), AS_COUNT, 1, true},
	{"moment_rest", offsetof(struct ks_policy, moment_rest), AS_COUNT, 1, true},
	{"quiet_calls", offsetof(struct ks_policy, quiet_distance), AS_COUNT, 1, true},
	{"quiet_repeats", offsetof(struct ks_policy, quiet_repeats), AS_COUNT, 1, true},
	{"quiet_edits", offsetof(struct ks_policy, quiet_edits), AS_COUNT, 1, true},
	{"quiet_own_pct", offsetof(struct ks_policy, quiet_own_pct), AS_COUNT, 1, true},
};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static void put(struct ks_policy *policy, const struct number *n, int64_t value)
{
	char *at = (char *)policy + n->at;

	if (value < 0 || value > KS_POLICY_MOST) {
		return;
	}
	switch (n->as) {
	case AS_COUNT:
		*(int *)at = (int)value;
		break;
	case AS_MS:
		*(int64_t *)at = value * n->unit;
		break;
	case AS_FLAG:
		*(bool *)at = value != 0;
		break;
	}
}

bool ks_policy_set(struct ks_policy *policy, const char *name, int64_t value)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		if (strcmp(numbers[i].name, name) == 0) {
			put(policy, &numbers[i], value);
			return true;
		}
	}
	return false;
}

void ks_policy_write(const struct ks_policy *policy, struct ks_jw *w)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		const struct number *n = &numbers[i];
		const char *at = (const char *)policy + n->at;

		if (n->scans) {
			ks_jw_int(w, n->name, n->as == AS_MS ? *(const int64_t *)at / n->unit
				: *(const int *)at);
		}
	}
}

void ks_policy_read(struct ks_policy *policy, const struct ks_json *object)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		if (numbers[i].scans) {
			put(policy, &numbers[i], ks_json_get_int(object, numbers[i].name, -1));
		}
	}
}

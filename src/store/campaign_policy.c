/* The table of settings: see campaign_policy.h. */
#include "store/campaign_policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define DAY_S (24 * 3600)

static const struct ks_setting_info table[KS_SETTINGS] = {
	[KS_SET_BANK_WAIT] = {"bank_wait_s", 0, DAY_S,
		"mode bank: seconds without a key before the top question goes"},
	[KS_SET_HUMAN_WAIT] = {"human_wait_s", 0, 30 * DAY_S,
		"mode human: seconds that a turn's end waits for a person; 0: for ever"},
	[KS_SET_SENDBACK_FLOOR] = {"sendback_floor_s", 0, DAY_S,
		"least seconds between two send-backs"},
	[KS_SET_IDLE_TURNS] = {"idle_turns", 0, 1000,
		"turns in a row without a tool call before nothing is sent back; 0: never"},
	[KS_SET_RETRIES] = {"retries", 0, 1000,
		"turns in a row that may end with an error"},
	[KS_SET_RETRY] = {"retry_s", 1, 3600,
		"seconds before the first new try; doubles up to ten minutes"},
	[KS_SET_FRESH_EVAL] = {"fresh_eval", 0, 1,
		"1: code that was not measured is measured at the turn's end"},
	[KS_SET_START_WAITS] = {"start_waits", 0, 1,
		"1: in mode human the brief waits for the first message"},
	[KS_SET_STALL] = {"stall_s", 10, DAY_S,
		"seconds of silence in a turn before it is told"},
	[KS_SET_HOOK_BLOCKS] = {"hook_blocks", 0, 100000,
		"times that the stop hook sends one session back; 0: never"},
	[KS_SET_PLATEAU_EVALS] = {"plateau_evals", 1, 100000,
		"evaluations without a gain that make a plateau"},
	[KS_SET_PLATEAU_CALLS] = {"plateau_calls", 1, 1000000,
		"tool calls without a gain that make a plateau"},
	[KS_SET_PLATEAU_TIME] = {"plateau_min", 1, 365 * 24 * 60,
		"minutes without a gain that make a plateau"},
	[KS_SET_MOMENT_DISTANCE] = {"moment_calls", 0, 1000000,
		"tool calls between two moments of a kind"},
	[KS_SET_MOMENT_REST] = {"moment_rest", 1, 1000,
		"so many times longer a kind rests that a person dismissed"},
	[KS_SET_QUIET_DISTANCE] = {"quiet_calls", 0, 1000000,
		"tool calls between two quiet notes of a kind"},
	[KS_SET_QUIET_REPEATS] = {"quiet_repeats", 2, 1000,
		"evaluations of the same code that are noted"},
	[KS_SET_QUIET_EDITS] = {"quiet_edits", 1, 10000,
		"edits in a row without a measurement that are noted"},
	[KS_SET_QUIET_OWN] = {"quiet_own_pct", 1, 100,
		"per cent of what calls print that is the agent's own source, noted"},
};

const struct ks_setting_info *ks_setting_info(enum ks_setting setting)
{
	return &table[setting];
}

int ks_setting_find(const char *name)
{
	for (int i = 0; i < KS_SETTINGS; i++) {
		if (strcmp(table[i].name, name) == 0) {
			return i;
		}
	}
	return -1;
}

int64_t ks_setting_of(const struct ks_settings *settings, enum ks_setting setting, int64_t fallback)
{
	return settings->item[setting].set ? settings->item[setting].value : fallback;
}

static int no_such(const char *name, struct ks_err *err)
{
	struct ks_buf known = {0};

	for (int i = 0; i < KS_SETTINGS; i++) {
		ks_buf_addf(&known, "%s%s", i > 0 ? ", " : "", table[i].name);
	}
	ks_err_set(err, KS_EINVAL, "%.40s: not a setting; known are %s", name, known.ptr);
	ks_buf_fini(&known);
	return KS_EINVAL;
}

int ks_setting_set(struct ks_settings *settings, const char *name, int64_t value,
	struct ks_err *err)
{
	int i = ks_setting_find(name);

	if (i < 0) {
		return no_such(name, err);
	}
	if (value < table[i].low || value > table[i].high) {
		return ks_err_set(err, KS_EINVAL, "%s: expected a whole number from %lld to %lld",
			name, (long long)table[i].low, (long long)table[i].high);
	}
	settings->item[i].set = true;
	settings->item[i].value = value;
	return 0;
}

int ks_setting_parse(struct ks_settings *settings, const char *words, struct ks_err *err)
{
	const char *equals = strchr(words, '=');
	char name[32];
	char *end;
	long long value;

	if (equals == NULL || equals == words || (size_t)(equals - words) >= sizeof(name)) {
		return ks_err_set(err, KS_EINVAL,
			"%.40s: write NAME=NUMBER, such as human_wait_s=600", words);
	}
	memcpy(name, words, (size_t)(equals - words));
	name[equals - words] = '\0';
	errno = 0;
	value = strtoll(equals + 1, &end, 10);
	if (equals[1] == '\0' || *end != '\0' || errno != 0) {
		return ks_err_set(err, KS_EINVAL, "%.40s: expected a whole number behind \"=\"",
			words);
	}
	return ks_setting_set(settings, name, value, err);
}

/*
 * What came of a script's evaluation, read from what `kseek eval` prints, so that
 * the script's next steps can depend on it. A right version is better or worse than
 * the best one so far where the intervals of both means lie apart, else the same.
 */
#include <string.h>

#include "agent/script.h"

static const char *const names[] = {"better", "same", "worse", "wrong", "failed"};

unsigned ks_outcome_of(struct ks_str name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (ks_str_is(name, names[i])) {
			return 1u << i;
		}
	}
	return 0;
}

static double number(struct ks_str text)
{
	char copy[32] = "";

	memcpy(copy, text.ptr, text.len < sizeof(copy) ? text.len : sizeof(copy) - 1);
	return strtod(copy, NULL);
}

/* The interval of the mean: "geomean 1.72x [1.70, 1.74]". */
static bool interval(struct ks_script_best *out, struct ks_str output)
{
	struct ks_str groups[KS_REGEX_GROUPS] = {{0}};
	struct ks_regex *re = NULL;
	bool found;

	if (ks_regex_new(&re, "correct, geomean [0-9.]+x \\[([0-9.]+), ([0-9.]+)\\]", 0,
			NULL) < 0) {
		return false;
	}
	found = ks_regex_match(re, output, 0, groups);
	if (found) {
		*out = (struct ks_script_best){number(groups[1]), number(groups[2])};
	}
	ks_regex_free(re);
	return found;
}

unsigned ks_script_outcome(struct ks_script_best *best, int status, struct ks_str output)
{
	struct ks_script_best now;

	if (status != 0) {
		return status == 1 ? KS_OUTCOME_WRONG : KS_OUTCOME_FAILED;
	}
	if (!interval(&now, output)) {
		return KS_OUTCOME_SAME;
	}
	if (now.lo > best->hi) {
		*best = now;
		return KS_OUTCOME_BETTER;
	}
	return now.hi < best->lo ? KS_OUTCOME_WORSE : KS_OUTCOME_SAME;
}

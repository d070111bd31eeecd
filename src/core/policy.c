/*
 * The usual policy. The figures are starting points that a campaign may set:
 * about seventy tool calls pass between two messages of a person, so a plateau
 * is sooner than that and two moments of a kind are a third of that apart.
 */
#include "core/command.h"

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

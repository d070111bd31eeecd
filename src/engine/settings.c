/* What a campaign sets of the rules, laid over the usual policy. */
#include "base/mem.h"
#include "engine/internal.h"

static int64_t ms(const struct ks_settings *s, enum ks_setting setting, int64_t usual)
{
	return s->item[setting].set ? s->item[setting].value * 1000 : usual;
}

static int count(const struct ks_settings *s, enum ks_setting setting, int usual)
{
	return (int)ks_setting_of(s, setting, usual);
}

void ks_engine_settings(struct ks_policy *policy, const struct ks_settings *s)
{
	struct ks_policy *p = policy;

	p->bank_wait_ms = ms(s, KS_SET_BANK_WAIT, p->bank_wait_ms);
	p->human_wait_ms = ms(s, KS_SET_HUMAN_WAIT, p->human_wait_ms);
	p->sendback_floor_ms = ms(s, KS_SET_SENDBACK_FLOOR, p->sendback_floor_ms);
	p->idle_turn_limit = count(s, KS_SET_IDLE_TURNS, p->idle_turn_limit);
	p->retry_limit = count(s, KS_SET_RETRIES, p->retry_limit);
	p->retry_ms = ms(s, KS_SET_RETRY, p->retry_ms);
	p->fresh_eval = count(s, KS_SET_FRESH_EVAL, p->fresh_eval) != 0;
	p->start_waits = count(s, KS_SET_START_WAITS, p->start_waits) != 0;
	p->plateau_evals = count(s, KS_SET_PLATEAU_EVALS, p->plateau_evals);
	p->plateau_calls = count(s, KS_SET_PLATEAU_CALLS, p->plateau_calls);
	p->plateau_ms = s->item[KS_SET_PLATEAU_TIME].set ?
		s->item[KS_SET_PLATEAU_TIME].value * 60 * 1000 : p->plateau_ms;
	p->moment_distance = count(s, KS_SET_MOMENT_DISTANCE, p->moment_distance);
	p->moment_rest = count(s, KS_SET_MOMENT_REST, p->moment_rest);
	p->quiet_distance = count(s, KS_SET_QUIET_DISTANCE, p->quiet_distance);
	p->quiet_repeats = count(s, KS_SET_QUIET_REPEATS, p->quiet_repeats);
	p->quiet_edits = count(s, KS_SET_QUIET_EDITS, p->quiet_edits);
	p->quiet_own_pct = count(s, KS_SET_QUIET_OWN, p->quiet_own_pct);
}

/* The campaign's rules for what the agent may do. One that does not parse is left
 * out and told; what it would have allowed is asked then. */
void ks_engine_permits(struct ks_engine *e)
{
	const struct ks_strings *lines = &e->campaign.permissions;
	size_t n = 0;

	e->permits = ks_zalloc(lines->count + 1, sizeof(*e->permits));
	for (size_t i = 0; i < lines->count && n < KS_PERMIT_RULES_MAX; i++) {
		struct ks_err err = KS_ERR_INIT;
		if (ks_permit_parse(&e->permits[n], ks_str_of(lines->items[i]), &err) == 0) {
			n++;
		} else {
			ks_engine_notice(e, "warn", "campaign.json: $.permissions[%zu]: %s", i, err.msg);
		}
	}
	e->policy.permits = e->permits;
	e->policy.n_permits = n;
	e->policy.folder = e->paths.root;
}

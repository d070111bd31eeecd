/* What a campaign sets of the rules, laid over the usual policy. */
#include "base/mem.h"
#include "engine/internal.h"

/* Those that are no number of the policy are read where they count. */
void ks_engine_settings(struct ks_policy *policy, const struct ks_settings *s)
{
	for (int i = 0; i < KS_SETTINGS; i++) {
		if (s->item[i].set) {
			ks_policy_set(policy, ks_setting_info((enum ks_setting)i)->name,
				s->item[i].value);
		}
	}
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
			ks_engine_notice(e, "warn", "campaign.json: $.permissions[%zu]: %s", i,
				err.msg);
		}
	}
	e->policy.permits = e->permits;
	e->policy.n_permits = n;
	e->policy.folder = e->paths.root;
}

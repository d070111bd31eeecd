#ifndef KSEEK_APP_SUBS_H
#define KSEEK_APP_SUBS_H
/* The subcommands, one file each (sub_NAME.c). */
#include "app/args.h"

extern const struct ks_sub ks_sub_new, ks_sub_demo, ks_sub_steer, ks_sub_status,
	ks_sub_stop, ks_sub_eval, ks_sub_goal, ks_sub_candidates, ks_sub_diff,
	ks_sub_bank, ks_sub_moments, ks_sub_say, ks_sub_export, ks_sub_replay,
	ks_sub_reindex, ks_sub_probe, ks_sub_timeline, ks_sub_doctor, ks_sub_version,
	ks_sub_permit, ks_sub_agent, ks_sub_queue, ks_sub_hook, ks_sub_skill;

#endif

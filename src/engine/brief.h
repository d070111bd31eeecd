#ifndef KSEEK_ENGINE_BRIEF_H
#define KSEEK_ENGINE_BRIEF_H
/* AGENTS.md: what an agent is told about a campaign, in one page. */
#include "base/buf.h"
#include "eval/problem.h"
#include "store/campaign.h"

void ks_brief(struct ks_buf *out, const struct ks_campaign *campaign,
	const struct ks_problem *problem, const char *flags);

#endif

#ifndef KSEEK_AGENT_INTERNAL_H
#define KSEEK_AGENT_INTERNAL_H
/* What drivers share: the head of every agent, and reports. */
#include "agent/driver.h"
#include "loop/child.h"

struct ks_agent { /* first member of every driver's own struct */
	const struct ks_driver *driver;
	struct ks_loop *loop;
	struct ks_sink sink;
};

extern const struct ks_driver ks_driver_script;
extern const struct ks_driver ks_driver_manual;
extern const struct ks_driver ks_driver_acp;
extern const struct ks_driver ks_driver_claude;
extern const struct ks_driver ks_driver_api;

/* What every process of an agent gets beside the rest of its environment: kseek
 * in front of PATH, KSEEK, and then the setup's own variables, which win. */
void ks_agent_env_add(struct ks_env *env, const struct ks_agent_setup *setup);

/* ---- reports: begin, add members to w, send ---- */
struct ks_report {
	struct ks_buf fields;
	struct ks_jw w;
};

void ks_report_begin(struct ks_report *report);
void ks_report_send(struct ks_report *report, struct ks_agent *agent, enum ks_ev kind,
	enum ks_by by);
/* agent.started and agent.exited, the same for all drivers. */
void ks_report_started(struct ks_agent *agent, const char *label, pid_t pid);
void ks_report_exited(struct ks_agent *agent, int status, int signum, struct ks_str tail);

#endif

/*
 * The table of drivers, and calls through it.
 */
#include "agent/driver.h"

#include "agent/api.h"
#include "agent/internal.h"
#include "agent/launch.h"
#include "base/file.h"
#include "base/mem.h"

static const struct ks_driver *const drivers[] = {&ks_driver_acp, &ks_driver_api,
	&ks_driver_claude, &ks_driver_script, &ks_driver_manual};

const struct ks_driver *ks_driver_find(const char *name)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (strcmp(drivers[i]->name, name) == 0) {
			return drivers[i];
		}
	}
	return NULL;
}

const char *const *ks_driver_names(void)
{
	static const char *const names[] = {"acp", "api", "claude", "script", "manual", NULL};

	return names;
}

int ks_agent_prompt(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err)
{
	if (agent == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "no agent runs");
	}
	return agent->driver->prompt(agent, prompt, err);
}

void ks_agent_cancel(struct ks_agent *agent)
{
	if (agent != NULL) {
		agent->driver->cancel(agent);
	}
}

void ks_agent_stop(struct ks_agent *agent)
{
	if (agent != NULL) {
		agent->driver->stop(agent);
	}
}

int ks_agent_answer(struct ks_agent *agent, const struct ks_answer *answer,
	struct ks_err *err)
{
	if (agent == NULL || agent->driver->answer == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "no agent that asks runs");
	}
	return agent->driver->answer(agent, answer, err);
}

int ks_agent_set_mode(struct ks_agent *agent, const char *mode, struct ks_err *err)
{
	if (agent == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "no agent runs");
	}
	if (agent->driver->set_mode == NULL) {
		return ks_err_set(err, KS_EUNSUPPORTED, "the agent %s has no modes",
			agent->driver->name);
	}
	return agent->driver->set_mode(agent, mode, err);
}

int ks_agent_steer(struct ks_agent *agent, const struct ks_prompt *prompt,
	struct ks_err *err)
{
	if (agent == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "no agent runs");
	}
	if (agent->driver->steer == NULL) {
		return ks_err_set(err, KS_EUNSUPPORTED, "the agent %s takes no words during a turn",
			agent->driver->name);
	}
	return agent->driver->steer(agent, prompt, err);
}

bool ks_agent_owns(const struct ks_agent *agent, pid_t pid)
{
	return agent != NULL && agent->driver->owns(agent, pid);
}

bool ks_agent_holds_key(const struct ks_agent *agent, struct ks_str text)
{
	return agent != NULL && agent->driver->holds_key != NULL &&
		agent->driver->holds_key(agent, text);
}

void ks_agent_free(struct ks_agent *agent)
{
	if (agent != NULL) {
		agent->driver->free(agent);
	}
}

int ks_agent_check(const char *driver, const struct ks_agent_setup *setup, struct ks_err *err)
{
	struct ks_launch launch;
	int rc;

	if (strcmp(driver, "api") == 0) {
		return ks_api_config_check(setup->argument, setup->config, setup->agents, err);
	}
	if (strcmp(driver, "acp") != 0 && strcmp(driver, "claude") != 0) {
		return 0;
	}
	rc = ks_launch_init(&launch, setup, driver, "claude", err);
	if (rc == 0) {
		ks_launch_fini(&launch);
	}
	return rc;
}

/* ---- reports ---- */

void ks_report_begin(struct ks_report *report)
{
	report->fields = (struct ks_buf){0};
	ks_jw_members(&report->w, &report->fields);
}

void ks_report_send(struct ks_report *report, struct ks_agent *agent, enum ks_ev kind,
	enum ks_by by)
{
	agent->sink.observed(agent->sink.ctx, kind, by, ks_buf_str(&report->fields));
	ks_buf_fini(&report->fields);
}

void ks_report_started(struct ks_agent *agent, const char *label, pid_t pid)
{
	struct ks_report report;

	ks_report_begin(&report);
	ks_jw_str(&report.w, "driver", agent->driver->name);
	ks_jw_str(&report.w, "label", label);
	ks_jw_int(&report.w, "pid", pid);
	ks_report_send(&report, agent, KS_EV_AGENT_STARTED, KS_BY_ENGINE);
}

void ks_report_exited(struct ks_agent *agent, int status, int signum, struct ks_str tail)
{
	struct ks_report report;

	ks_report_begin(&report);
	ks_jw_int(&report.w, "status", status);
	ks_jw_int(&report.w, "signal", signum);
	ks_jw_slice(&report.w, "tail", tail);
	ks_report_send(&report, agent, KS_EV_AGENT_EXITED, KS_BY_ENGINE);
}

void ks_agent_env_add(struct ks_env *env, const struct ks_agent_setup *setup)
{
	const char *path = getenv("PATH");

	if (setup->kseek != NULL) {
		char *dir = ks_path_dir(setup->kseek);
		char *with = ks_asprintf("%s:%s", dir,
			path != NULL ? path : "/usr/local/bin:/usr/bin:/bin");

		ks_env_set(env, "PATH", with);
		ks_env_set(env, "KSEEK", setup->kseek);
		free(with);
		free(dir);
	}
	for (const char *const *at = setup->env; at != NULL && *at != NULL; at++) {
		const char *equals = strchr(*at, '=');

		if (equals != NULL) {
			char *key = ks_strndup(*at, (size_t)(equals - *at));

			ks_env_set(env, key, equals + 1);
			free(key);
		}
	}
}

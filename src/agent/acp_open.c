/*
 * ACP, until the agent is ready: initialize, then a session that is taken up
 * again (resume, else load) or a new one, then its mode.
 */
#include "agent/acp_impl.h"
#include "base/mem.h"

/* ---- ready ---- */

static void report_session(struct ks_acp *a)
{
	struct ks_report r;

	ks_report_begin(&r);
	ks_jw_str(&r.w, "session", a->session);
	ks_jw_str(&r.w, "agent", a->info);
	ks_jw_str(&r.w, "version", a->version);
	ks_jw_str(&r.w, "how", a->how);
	ks_jw_bool(&r.w, "steers", a->steers);
	ks_report_send(&r, &a->agent, KS_EV_AGENT_SESSION, KS_BY_AGENT);
}

static void ready(struct ks_acp *a)
{
	char *label = a->version[0] != '\0' ? ks_asprintf("%s %s", a->launch.label, a->version)
		: ks_strdup(a->launch.label);
	struct ks_report r;

	ks_timer_cancel(a->patience);
	a->phase = KS_ACP_READY;
	a->loading = false;
	ks_report_started(&a->agent, label, ks_program_pid(a->program));
	free(label);
	report_session(a);
	if (a->modes_told.len > 0) {
		ks_report_begin(&r);
		ks_buf_addstr(&r.fields, ks_buf_str(&a->modes_told));
		ks_report_send(&r, &a->agent, KS_EV_AGENT_MODE, KS_BY_AGENT);
		ks_buf_clear(&a->modes_told);
	}
}

static bool has_mode(const struct ks_acp *a, const char *mode)
{
	for (char **at = a->modes; at != NULL && *at != NULL; at++) {
		if (strcmp(*at, mode) == 0) {
			return true;
		}
	}
	return false;
}

static void set_first_mode(struct ks_acp *a)
{
	const char *mode = a->launch.mode;

	if (mode == NULL || (a->mode != NULL && strcmp(a->mode, mode) == 0)) {
		ready(a);
		return;
	}
	if (!has_mode(a, mode)) {
		ks_talk_notice(&a->talk, "warn",
			"the agent has no mode \"%.60s\"; it stays in \"%.60s\"",
			mode, a->mode != NULL ? a->mode : "");
		ready(a);
		return;
	}
	ks_acp_mode_send(a, mode);
}

/* ---- sessions ---- */

static void open_session(struct ks_acp *a, enum ks_acp_what what)
{
	static const char *const methods[] = {
		[KS_ACP_NEW] = "session/new", [KS_ACP_RESUME] = "session/resume",
		[KS_ACP_LOAD] = "session/load",
	};
	struct ks_buf params = {0};

	a->loading = what == KS_ACP_LOAD;
	ks_acp_session(&params, what == KS_ACP_NEW ? NULL : a->wanted, a->folder);
	ks_acp_request_send(a, what, methods[what], ks_buf_str(&params));
	ks_buf_fini(&params);
}

/* The next way to a session after `tried` did not work. */
static void open_next(struct ks_acp *a, const char *why)
{
	if (a->wanted != NULL && a->may_resume) {
		a->may_resume = false;
		open_session(a, KS_ACP_RESUME);
		return;
	}
	if (a->wanted != NULL && a->may_load) {
		a->may_load = false;
		open_session(a, KS_ACP_LOAD);
		return;
	}
	if (a->wanted != NULL) {
		ks_talk_notice(&a->talk, "warn", "the session before could not be taken up again "
			"(%.200s); the agent starts without its memory of it", why);
	}
	open_session(a, KS_ACP_NEW);
}

static void take_session(struct ks_acp *a, enum ks_acp_what what, const struct ks_json *result)
{
	const char *id = what == KS_ACP_NEW ? ks_json_get_str(result, "sessionId", "") : a->wanted;
	struct ks_acp_modes modes;

	if (id[0] == '\0') {
		ks_acp_fail(a, "the agent gave no id for its session");
		return;
	}
	free(a->session);
	a->session = ks_strdup(id);
	a->how = what == KS_ACP_NEW ? "new" : what == KS_ACP_LOAD ? "loaded" : "resumed";
	a->loading = false;
	if (ks_acp_modes(&modes, result)) {
		ks_acp_take_modes(a, &modes);
	}
	set_first_mode(a);
}

static void take_agent(struct ks_acp *a, const struct ks_json *result)
{
	struct ks_acp_agent agent;
	const char *warning;

	ks_acp_agent(&agent, result);
	a->known = true;
	if (agent.protocol != KS_ACP_VERSION) {
		ks_acp_fail(a,
			"the agent speaks version %lld of the Agent Client Protocol, kseek speaks "
			"%d; take a version of the agent that does", (long long)agent.protocol,
			KS_ACP_VERSION);
		return;
	}
	free(a->info);
	free(a->version);
	a->info = ks_strndup(agent.name, strlen(agent.name) < 200 ? strlen(agent.name) : 200);
	a->version = ks_strndup(agent.version,
		strlen(agent.version) < 60 ? strlen(agent.version) : 60);
	a->may_load = agent.load;
	a->may_resume = agent.resume;
	a->steers = agent.steers;
	warning = ks_launch_warning(&a->launch, a->info, a->version);
	if (warning != NULL) {
		ks_talk_notice(&a->talk, "warn", "%s %s: %s", a->info, a->version, warning);
	}
	open_next(a, "it does not announce that it can");
}

static void refused(struct ks_acp *a, enum ks_acp_what what, const struct ks_rpc *rpc)
{
	const char *program = a->launch.argv[0];

	if (what == KS_ACP_RESUME || what == KS_ACP_LOAD) {
		a->loading = false;
		open_next(a, rpc->error);
	} else if (what == KS_ACP_NEW && rpc->code == KS_RPC_AUTH) {
		ks_acp_fail(a,
			"the agent wants a login (%.200s): start %.100s by itself once and log "
			"in, or give it its key in the environment", rpc->error, program);
	} else {
		ks_acp_fail(a, "the agent refused to start: %.300s (%lld)", rpc->error,
			(long long)rpc->code);
	}
}

void ks_acp_opened(struct ks_acp *a, enum ks_acp_what what, const struct ks_rpc *rpc)
{
	if (what == KS_ACP_SET_MODE) {
		if (rpc->kind == KS_RPC_ERROR) {
			ks_talk_notice(&a->talk, "warn",
				"the agent refused the mode \"%.60s\": %.200s",
				a->mode_wanted, rpc->error);
		} else {
			ks_acp_take_mode(a, a->mode_wanted);
		}
		free(a->mode_wanted);
		a->mode_wanted = NULL;
		if (a->phase == KS_ACP_STARTING) {
			ready(a);
		}
	} else if (rpc->kind == KS_RPC_ERROR) {
		refused(a, what, rpc);
	} else if (what == KS_ACP_INIT) {
		take_agent(a, rpc->result);
	} else {
		take_session(a, what, rpc->result);
	}
}

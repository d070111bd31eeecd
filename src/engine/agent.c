/*
 * Which agent: "DRIVER" or "DRIVER:ARGUMENT", as people write it, checked and
 * put into a campaign, or into an engine that runs.
 */
#include "agent/launch.h"
#include "base/mem.h"
#include "engine/internal.h"

/* Whether an agent of a name, or a command, can be started. */
static int check_launch(const char *driver, const char *argument, const char *agents,
	struct ks_err *err)
{
	const struct ks_agent_setup setup = {.folder = "/", .argument = argument, .agents = agents};

	return ks_agent_check(driver, &setup, err);
}

/* "NAME" of agents.json is "DRIVER:NAME". Gives. */
static char *whole_spec(const char *spec, const char *agents)
{
	struct ks_buf text = {0};
	struct ks_json *entry = NULL;
	char *whole = NULL;

	if (strchr(spec, ':') == NULL && ks_driver_find(spec) == NULL &&
		ks_launch_entry(&text, agents, spec, NULL) == 0 &&
		ks_json_parse(&entry, text.ptr, text.len, NULL) == 0) {
		whole = ks_asprintf("%s:%s", ks_json_get_str(entry, "driver", "acp"), spec);
	}
	ks_json_free(entry);
	ks_buf_fini(&text);
	return whole != NULL ? whole : ks_strdup(spec);
}

static int take_spec(struct ks_campaign *c, const char *spec, const char *agents,
	struct ks_err *err)
{
	const char *colon = strchr(spec, ':');
	const char *argument = colon != NULL ? colon + 1 : "";
	char *name = ks_strndup(spec, colon != NULL ? (size_t)(colon - spec) : strlen(spec));
	const struct ks_driver *driver = ks_driver_find(name);
	int rc = 0;

	if (driver == NULL) {
		struct ks_buf names = {0};

		for (const char *const *at = ks_driver_names(); *at != NULL; at++) {
			ks_buf_addf(&names, "%s%s", names.len > 0 ? ", " : "", *at);
		}
		rc = ks_err_set(err, KS_EINVAL,
			"--agent %.60s: no such driver; use one of %s, as in "
			"acp:opencode", spec, names.ptr);
		ks_buf_fini(&names);
	} else if (driver->check != NULL) {
		rc = driver->check(argument, NULL, err);
	}
	if (rc == 0) {
		rc = check_launch(name, argument, agents, err);
	}
	if (rc < 0) {
		free(name);
		return rc;
	}
	free(c->driver);
	c->driver = name;
	ks_strings_fini(&c->command);
	if (colon != NULL) {
		ks_strings_add(&c->command, argument);
	}
	return 0;
}

int ks_engine_agent(struct ks_campaign *c, const char *spec, const char *agents, struct ks_err *err)
{
	char *whole = whole_spec(spec, agents);
	int rc = take_spec(c, whole, agents, err);

	free(whole);
	return rc;
}

static bool same_agent(const struct ks_campaign *a, const struct ks_campaign *b)
{
	bool same = strcmp(a->driver != NULL ? a->driver : "manual", b->driver) == 0 &&
		a->command.count == b->command.count;

	for (size_t i = 0; same && i < a->command.count; i++) {
		same = strcmp(a->command.items[i], b->command.items[i]) == 0;
	}
	return same;
}

int ks_engine_use_agent(struct ks_engine *e, const char *spec, struct ks_err *err)
{
	struct ks_campaign other = {0};
	int rc = ks_engine_agent(&other, spec, e->opt.programs.agents, err);

	if (rc == 0 && e->agent != NULL && !same_agent(&e->campaign, &other)) {
		rc = ks_err_set(err, KS_EBUSY, "--agent %.80s: this campaign's engine runs another "
			"agent, %.80s; end that one first with 'kseek agent stop', "
			"or leave --agent out", spec, e->state.agent_label);
	} else if (rc == 0 && e->agent == NULL) {
		free(e->campaign.driver);
		ks_strings_fini(&e->campaign.command);
		e->campaign.driver = other.driver;
		e->campaign.command = other.command;
		other.driver = NULL;
		other.command = (struct ks_strings){0};
		rc = ks_engine_command(e, KS_CMD_AGENT_START, KS_BY_HUMAN, ks_str_of("{}"), err);
	}
	ks_campaign_fini(&other);
	return rc;
}

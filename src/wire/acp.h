#ifndef KSEEK_WIRE_ACP_H
#define KSEEK_WIRE_ACP_H
/*
 * The Agent Client Protocol, version 1 (specification 1.21.0), as agents speak
 * it: what JSON-RPC messages carry, as structs, and the parameters that we
 * send. What is not known is passed over; all pointers are lent by the message.
 *
 * Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

#define KS_ACP_VERSION 1

/* ---- initialize ---- */
struct ks_acp_agent {
	int64_t protocol;
	const char *name, *title, *version; /* "" where it does not say */
	bool load, resume;                  /* announced */
	bool steers;                        /* "_session/steering" */
	const char *login;                  /* name of its first way to log in, or "" */
};
void ks_acp_agent(struct ks_acp_agent *out, const struct ks_json *result);
/* params; forms: elicitation by form is answered. */
void ks_acp_initialize(struct ks_buf *out, bool forms);

/* ---- sessions ---- */
/* params of session/new, and of load and resume with an id. */
void ks_acp_session(struct ks_buf *out, const char *id, const char *cwd);
/* params of session/prompt and _session/steering. */
void ks_acp_prompt(struct ks_buf *out, const char *session, struct ks_str text);
void ks_acp_cancel(struct ks_buf *out, const char *session);

/* Modes of a session: from `modes`, or from the option of category "mode". */
struct ks_acp_modes {
	const char *current;          /* "" when there are none */
	const struct ks_json *list;   /* array, or NULL */
	const char *option;           /* id of the option that sets it, or NULL: set_mode */
	bool values;                  /* entries have "value" for "id" */
};
/* node: the result of session/new, or an update. False when it has none. */
bool ks_acp_modes(struct ks_acp_modes *out, const struct ks_json *node);
/* Over the entries of the list, also where they stand in groups; NULL at the end. */
struct ks_acp_mode_walk {
	const struct ks_json *next, *grouped; /* entry or group; entry of a group */
};
struct ks_acp_mode_walk ks_acp_mode_walk(const struct ks_acp_modes *modes);
const struct ks_json *ks_acp_mode_next(struct ks_acp_mode_walk *walk);
const char *ks_acp_mode_id(const struct ks_acp_modes *modes, const struct ks_json *entry);
/* Members "mode" and "modes" of agent.mode. */
void ks_acp_modes_write(struct ks_jw *w, const struct ks_acp_modes *modes);
/* params of session/set_mode, or of session/set_config_option with an option. */
void ks_acp_set_mode(struct ks_buf *out, const char *session, const char *option,
	const char *mode);

/* ---- session/update ---- */
enum ks_acp_kind {
	KS_ACP_UNKNOWN = 0, KS_ACP_USER, KS_ACP_SAID, KS_ACP_THOUGHT, KS_ACP_TOOL,
	KS_ACP_PLAN, KS_ACP_MODE, KS_ACP_CONFIG, KS_ACP_USAGE, KS_ACP_INFO, KS_ACP_COMMANDS
};
/* update: params.update. */
enum ks_acp_kind ks_acp_update(const struct ks_json *update);

/* Appends what a content block, or a list of them, holds as text; what is no
 * text is named ("[image]"). */
void ks_acp_text(struct ks_buf *out, const struct ks_json *content);

/* One sight of a tool call: a tool_call, a tool_call_update, or the toolCall of
 * a permission. Absent or null members leave things as they are. */
enum ks_acp_status {
	KS_ACP_NO_STATUS = 0, KS_ACP_PENDING, KS_ACP_RUNNING, KS_ACP_DONE, KS_ACP_FAILED
};
struct ks_acp_tool {
	const char *id;      /* "" when there is none: not a tool call */
	const char *name;    /* the agent's word, or NULL */
	const char *title, *kind; /* or NULL */
	const char *parent;  /* call of a subagent, or NULL */
	enum ks_acp_status status;
	const struct ks_json *input, *output;  /* or NULL */
	const struct ks_json *content;         /* array, or NULL */
	const char *path;    /* of a location, the input or a diff; or NULL */
	const struct ks_json *diff; /* first content of type "diff", or NULL */
	const char *delta;   /* further output of a terminal, or NULL */
	int64_t exit;        /* exit status, or -1 */
};
void ks_acp_tool(struct ks_acp_tool *out, const struct ks_json *node);

/* ---- the end of a turn ---- */
struct ks_acp_usage {
	bool any;
	int64_t input, output, cached, thought, used, size; /* -1: not said */
	double cost;          /* -1: not said */
	const char *currency; /* or "" */
};
/* node: the prompt's result, a usage_update, or a chunk's _meta holder. */
void ks_acp_usage(struct ks_acp_usage *out, const struct ks_json *node);
/* Members of agent.usage but its scope. */
void ks_acp_usage_write(struct ks_jw *w, const struct ks_acp_usage *usage);

/* "ended", "cancelled", "limit" or "error" for a stop reason; static. What is
 * not known has ended. */
const char *ks_acp_how(const char *stop_reason);
/* Whether a message is the text of an error that stopped the model: agents
 * pass such errors on as ordinary messages. weak: looks like one, and is one
 * only if nothing was used and done. */
bool ks_acp_is_error(struct ks_str message, bool *out_weak);

/* ---- questions ---- */
/* Member "options" of permission.asked. */
void ks_acp_options_write(struct ks_jw *w, const struct ks_json *options);
/* The option to take for an id, or for a kind (then its twin of the same side,
 * once before always, but never always for once); NULL: none. */
const char *ks_acp_option(const struct ks_json *options, const char *id, const char *kind);
/* Whether that option (NULL: none was chosen) allows something. */
bool ks_acp_allows(const struct ks_json *options, const char *id);
/* Result of session/request_permission; option NULL: cancelled. */
void ks_acp_permit(struct ks_buf *out, const char *option);
/* Member "fields" of agent.asked, of elicitation/create's requestedSchema. */
void ks_acp_form_write(struct ks_jw *w, const struct ks_json *schema);
/* Result of elicitation/create. action: "accept", "decline", "cancel"; values:
 * JSON object for accept. */
void ks_acp_elicited(struct ks_buf *out, const char *action, struct ks_str values);

/* Member "entries" of agent.plan. */
void ks_acp_plan_write(struct ks_jw *w, const struct ks_json *update);

#endif

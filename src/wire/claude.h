#ifndef KSEEK_WIRE_CLAUDE_H
#define KSEEK_WIRE_CLAUDE_H
/*
 * Claude Code's stream-json in both directions, one JSON object a line. Members
 * come in any order, lines and kinds that are not known are passed over; what is
 * lent lives as long as the line.
 *
 * Pure.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum ks_claude_kind {
	KS_CLAUDE_UNKNOWN = 0,
	KS_CLAUDE_INIT,       /* session, version, mode; again at every turn */
	KS_CLAUDE_ASSISTANT,  /* content: text, thinking, tool_use */
	KS_CLAUDE_USER,       /* content: tool_result, or text that is not ours */
	KS_CLAUDE_TAKEN,      /* it has taken up words of ours: id */
	KS_CLAUDE_DROPPED,    /* it gives words of ours up, if it had begun or not: id */
	KS_CLAUDE_RESULT,     /* a turn has ended */
	KS_CLAUDE_RETRY,      /* it asks its model again */
	KS_CLAUDE_PERMISSION, /* it asks: may I */
	KS_CLAUDE_REQUEST,    /* it asks something else: subtype */
	KS_CLAUDE_WITHDRAWN,  /* what it asked is void */
	KS_CLAUDE_RESPONSE    /* answers a request of ours */
};

struct ks_claude {
	enum ks_claude_kind kind;
	const char *session;  /* "" where the line has none */
	const char *parent;   /* call of the subagent whose line it is, or NULL */
	/* init */
	const char *version, *mode, *model;
	/* taken, dropped */
	const char *id;       /* that the words had when they were sent */
	/* assistant, user */
	const struct ks_json *content; /* list of blocks, or text */
	const char *message;  /* id, or "" */
	const struct ks_json *outcome; /* user: tool_use_result, or NULL */
	/* permission, request, withdrawn, response */
	const char *request;  /* its id */
	const char *subtype;  /* of a request */
	const char *tool, *call;       /* permission */
	const struct ks_json *input;   /* permission */
	const struct ks_json *suggestions;
	bool ok;              /* response */
	const char *error;    /* response */
	bool dropped;         /* response: words that waited were given up, as asked for */
	const struct ks_json *doc;     /* the line */
	struct ks_json *owned;
};

/* KS_EINVAL: no JSON object. *out is freed by ks_claude_fini. */
int ks_claude_parse(struct ks_claude *out, struct ks_str line, struct ks_err *err);
void ks_claude_fini(struct ks_claude *line);

/* How a result's turn ended: "ended", "error", "cancelled"; static. Appends the
 * text of an error. */
const char *ks_claude_how(const struct ks_json *result, struct ks_buf *out_error);
/* Members of agent.usage of a result: figures of the turn. False: none. */
bool ks_claude_usage_write(struct ks_jw *w, const struct ks_json *result);
/* Appends the text of a tool_result's content. */
void ks_claude_result_text(struct ks_buf *out, const struct ks_json *content);
/* Whether a tool's input holds questions for the person; then the text of the
 * first one is appended, and member "fields" of agent.asked written. */
bool ks_claude_asks(const char *tool, const struct ks_json *input);
void ks_claude_form_write(struct ks_jw *w, const struct ks_json *input, struct ks_buf *out_text);

/* ---- writing: each appends a line with its newline ---- */
/* id: a UUID, never used before in the session, by which it tells of the words. */
void ks_claude_prompt(struct ks_buf *out, const char *id, struct ks_str text);
/* A request of ours. key and value: one more member, or NULL. */
void ks_claude_request(struct ks_buf *out, const char *id, const char *subtype,
	const char *key, const char *value);
/* Allows a call with its input; suggestions: rules to keep from now on, or NULL;
 * answers: JSON object of answers to its questions, or empty. */
void ks_claude_allow(struct ks_buf *out, const char *request, const struct ks_json *input,
	const struct ks_json *suggestions, struct ks_str answers);
/* interrupt: the turn ends with it. */
void ks_claude_deny(struct ks_buf *out, const char *request, const char *message,
	bool interrupt);
/* Any other request of theirs. */
void ks_claude_refuse(struct ks_buf *out, const char *request, const char *message);

#endif

#ifndef KSEEK_TESTS_AGENTS_SCENE_H
#define KSEEK_TESTS_AGENTS_SCENE_H
/*
 * What the scripted model says: a JSON file of replies, given out one a request.
 *
 *   {"replies":[
 *     {"status":429,"retry_after":"1","body":"text or JSON"},
 *     {"think":"...","text":"...","text_kib":200,
 *      "calls":[{"shell":"ls"}, ...],   as in model_tools.h
 *      "to":"words",       only to a request that brings these words, see below
 *      "stop":"length","usage":{"input":10,"output":5,"cached":3,"cost":0.01},
 *      "error":{"type":"overloaded_error","message":"m"},   in the middle of the stream
 *      "cut":3,            the connection ends behind three events
 *      "first_ms":50,"delay_ms":10,   before the first event, between events
 *      "fragment":7,       writes of seven bytes
 *      "json":true},       an answer that is no stream: "body", else the text
 *   ],
 *   "subagents":[{"when":"words","replies":[...]}, {"last":"words"}]}
 *
 * A conversation that begins with the words of "when", or whose last message has
 * those of "last", is a subagent's or the agent's own business and gets replies of
 * its own. A reply with "to" waits until somebody has said its words behind the
 * model's last message: turns that the agent begins by itself, as when a subagent
 * has finished, do not take it. They, and all behind the last reply, get "Done."
 */
#include "base/buf.h"
#include "base/json.h"

enum scene_api { SCENE_MESSAGES, SCENE_CHAT, SCENE_RESPONSES, SCENE_GEMINI };

#define SCENE_SUBS 8

struct scene_sub {
	const char *when, *last; /* or NULL */
	const struct ks_json *next;
};

struct scene {
	struct ks_json *doc;
	const struct ks_json *next; /* reply */
	struct scene_sub subs[SCENE_SUBS];
	size_t n_subs;
};

/* Pieces of a body, each written by itself. */
struct scene_events {
	struct ks_buf *list;
	size_t count, cap;
};

int scene_read(struct scene *out, const char *path, struct ks_err *err);
void scene_fini(struct scene *scene);
/* The next reply to this request, or NULL when it gets none of the scene's. */
const struct ks_json *scene_next(struct scene *scene, const struct ks_json *request);

/* The reply as the events of a stream; request is the client's body. */
void scene_stream(struct scene_events *out, enum scene_api api, const struct ks_json *reply,
	const struct ks_json *request, size_t serial);
/* The reply's text as one JSON answer, for clients that do not stream. */
void scene_answer(struct ks_buf *out, enum scene_api api, const char *text);
void scene_events_fini(struct scene_events *events);

#endif

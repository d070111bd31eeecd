#ifndef KSEEK_TESTS_AGENTS_MODEL_TOOLS_H
#define KSEEK_TESTS_AGENTS_MODEL_TOOLS_H
/*
 * Calls of the scripted model in the words of the agent that asks it. An agent
 * sends its tools with each request, under names and with arguments of its own;
 * a scene says what is to be done:
 *
 *   {"shell":"ls"}                           runs a command
 *   {"ask":"Which loop?","options":["a","b"]}    puts a question to the person
 *   {"subagent":"look at the loads"}         starts a subagent with that prompt
 *   {"name":"x","args":{...}}, {"name":"x","raw":"oops"}   a tool by its name
 *
 * "args" of the first three are members that go before what the schema of the
 * tool asks for.
 */
#include "base/buf.h"
#include "base/json.h"

/* Name of the tool, and its arguments (JSON text, or what is wrong on purpose).
 * A request without such a tool gets the name that most agents use. */
const char *model_call(const struct ks_json *call, const struct ks_json *request,
	struct ks_buf *args);

/* Whether this stands in what the user said before the first reply. */
bool model_begins_with(const struct ks_json *request, const char *text);
/* Whether it stands in the last message. */
bool model_ends_with(const struct ks_json *request, const char *text);
/* Whether somebody said it behind the model's last message or call. */
bool model_was_told(const struct ks_json *request, const char *text);

#endif

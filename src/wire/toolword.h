#ifndef KSEEK_WIRE_TOOLWORD_H
#define KSEEK_WIRE_TOOLWORD_H
/*
 * What tools of agents are called, and what they were given: the words of our
 * events ("shell", "read", "edit", "write", "eval", "search", "fetch", "agent",
 * "other") out of names, kinds and inputs. Pure.
 */
#include "base/buf.h"
#include "base/json.h"

/* kind: of ACP ("execute", ...), or "" where there is none; name: the agent's
 * word for the tool, or ""; command: the command line, or "". Static. */
const char *ks_tool_word(const char *kind, const char *name, struct ks_str command);
/* Whether a command line runs `kseek eval`. */
bool ks_tool_is_eval(struct ks_str command);

/* Appends what a call was given, as a person would say it: a command line, a
 * path, a pattern, an address, or what a subagent is to do. Nothing when the
 * input does not tell (yet). */
void ks_tool_text(struct ks_buf *out, const struct ks_json *input);
/* The command line of an input (text, or a list of words); "" for none. */
void ks_tool_command(struct ks_buf *out, const struct ks_json *input);
/* The file of an input, or NULL. */
const char *ks_tool_path(const struct ks_json *input);
/* The exit status that an output tells of, or -1. */
int64_t ks_tool_status(const struct ks_json *output);
/* Appends the text of an output: a string, a list of texts, or an object that
 * has one of the usual members. */
void ks_tool_output(struct ks_buf *out, const struct ks_json *output);

#endif

#ifndef KSEEK_CORE_LAYER_IMPL_H
#define KSEEK_CORE_LAYER_IMPL_H
/*
 * What the parts of the layer module share: layer.c (names, the map),
 * layer_shell.c (splitting shell text), layer_call.c (rules) and
 * layer_region.c (source lines). Nobody else includes this.
 */
#include "core/layer.h"

#define KS_SHELL_WORDS 64
#define KS_SHELL_BODIES 8

/* One simple command: its words without quotes, wrappers and assignments cut
 * off at the front. All slices point into the text it was cut from. */
struct shell_cmd {
	struct ks_str text;                  /* as written                   */
	struct ks_str word[KS_SHELL_WORDS];  /* word[0] is the program        */
	size_t words;
	struct ks_str prog;                  /* word[0] without its folder    */
	struct ks_str inner;                 /* of bash -c '...', else empty  */
	struct ks_str redirect;              /* > file, else empty            */
	bool timed;                          /* under time                    */
	bool piped;                          /* reads the one before it       */
	bool loop;                           /* in a for or while             */
	bool heredoc;                        /* takes the next body           */
};

/* Cuts the next command off a compound shell line at && || ; | & and newlines
 * outside quotes, comments dropped. False when nothing is left. *out_piped: a
 * single | stood before it. Bodies of here-documents are not known to it. */
bool shell_cut(struct ks_str *rest, struct ks_str *out, bool *out_piped);
void shell_parse(struct shell_cmd *out, struct ks_str command);
/* Copies text into flat without the bodies of here-documents, which are lent
 * in their order (slices of text). Returns their number. */
size_t shell_flatten(struct ks_buf *flat, struct ks_str bodies[KS_SHELL_BODIES],
	struct ks_str text);

/* Letter case apart, is needle in hay? */
bool text_has(struct ks_str hay, const char *needle);
/* Whether any of a "|"-separated list is in hay. */
bool text_has_any(struct ks_str hay, const char *list);
/* Whether s equals one of a "|"-separated list. */
bool text_is_any(struct ks_str s, const char *list);
bool text_ends_any(struct ks_str s, const char *list);

#endif

/*
 * The key table. Ctrl-B and Ctrl-A belong to multiplexers and Ctrl-S and Ctrl-Q
 * to flow control: no command has them by default, and Ctrl-B never.
 */
#include "view/keys.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define LISTS (KS_WHERE_MAIN | KS_WHERE_SCENARIOS | KS_WHERE_CANDIDATES | \
	KS_WHERE_DIFF | KS_WHERE_BANK | KS_WHERE_GOAL | KS_WHERE_MOMENTS | \
	KS_WHERE_ITEM | KS_WHERE_HELP | KS_WHERE_QUEUE)
#define MAIN KS_WHERE_MAIN
#define ALL KS_WHERE_VIEWS

static const struct ks_binding table[] = {
	{KS_DO_ANSWER, "answer", "a", NULL, ALL, "answer",
		"give the focus to the moment's banner and its questions"},
	{KS_DO_PERMIT, "permit", "p", NULL, ALL, "agent asks",
		"give the focus to what the agent asks"},
	{KS_DO_WRITE, "write", "i", NULL, ALL, "write",
		"write to the agent; Esc leaves and keeps the draft"},
	{KS_DO_COMMAND, "command", ":", NULL, ALL, NULL,
		"type a command's name, such as :mode bank"},
	{KS_DO_DIFF, "diff", "d", NULL, ALL, "diff",
		"differences of two candidates and what each scored (:diff c3 c7)"},
	{KS_DO_BANK, "bank", "b", NULL, ALL, "bank", "the bank of questions"},
	{KS_DO_SCENARIOS, "scenarios", "s", NULL, ALL, "scenarios",
		"every scenario of a candidate, sorted"},
	{KS_DO_CANDIDATES, "candidates", "c", NULL, ALL, "candidates",
		"every candidate that was evaluated"},
	{KS_DO_GOAL, "goal", "o", NULL, ALL, NULL, "the clauses of the goal"},
	{KS_DO_MOMENTS, "moments", "m", NULL, ALL, NULL,
		"moments so far, and what came of them"},
	{KS_DO_EXPORT, "export", "x", NULL, ALL, "export",
		"write the annotated transcript (:export json for programs)"},
	{KS_DO_NOTE, "note", "r", NULL, ALL, NULL,
		"remark for the transcript; the agent does not see it"},
	{KS_DO_MODE, "mode", "M", NULL, ALL, NULL,
		"who answers moments: human, bank, none (:mode bank)"},
	{KS_DO_INTERRUPT, "interrupt", "ctrl-c", NULL, ALL, NULL,
		"cancel the agent's turn; asks first"},
	{KS_DO_START, "start", "A", NULL, ALL, NULL, "start the agent again; asks first"},
	{KS_DO_STOP, "stop", NULL, NULL, ALL, NULL,
		"stop agent and engine; asks first"},
	{KS_DO_QUEUE, "queue", "u", NULL, ALL, NULL,
		"messages that wait: write anew, take back"},
	{KS_DO_AGENT_MODE, "agent-mode", NULL, NULL, ALL, NULL,
		"the agent's own modes (:agent-mode ID sets one)"},
	{KS_DO_WORD, "word", "W", NULL, ALL, NULL,
		"take the word from another console"},
	{KS_DO_THEME, "theme", NULL, NULL, ALL, NULL,
		"colours: default, light, contrast, mono (:theme light)"},
	{KS_DO_EVAL, "eval", NULL, NULL, ALL, NULL, "evaluate the working copy now"},
	{KS_DO_NOW, "now", NULL, NULL, ALL, NULL,
		":now WORDS cancels the agent's turn and says this at once"},
	{KS_DO_STEER, "steer", NULL, NULL, ALL, NULL,
		":steer WORDS says this into the running turn"},
	{KS_DO_REPAINT, "repaint", "ctrl-l", NULL, ALL, NULL, "draw every cell anew"},
	{KS_DO_SUSPEND, "suspend", "ctrl-z", NULL, ALL, NULL,
		"to the shell; the agent goes on"},
	{KS_DO_HELP, "help", "?", "f1", ALL, "help", "these keys; / searches them"},
	{KS_DO_BACK, "back", "esc", NULL, ALL, NULL, "back one level; never leaves"},
	{KS_DO_QUIT, "quit", "q", NULL, ALL, "leave",
		"close the view; at the top: detach or stop"},

	{KS_DO_UP, "up", "up", "k", LISTS, NULL, "up"},
	{KS_DO_DOWN, "down", "down", "j", LISTS, NULL, "down"},
	{KS_DO_PAGE_UP, "page-up", "pgup", NULL, LISTS, NULL, "a page up"},
	{KS_DO_PAGE_DOWN, "page-down", "pgdn", NULL, LISTS, NULL, "a page down"},
	{KS_DO_HALF_UP, "half-up", "ctrl-u", NULL, LISTS, NULL, "half a page up"},
	{KS_DO_HALF_DOWN, "half-down", "ctrl-d", NULL, LISTS, NULL, "half a page down"},
	{KS_DO_TOP, "top", "g", "home", LISTS, NULL, "to the top"},
	{KS_DO_BOTTOM, "bottom", "G", "end", LISTS, NULL,
		"to the end; in the live view: follow again"},
	{KS_DO_LEFT, "left", "left", "h", KS_WHERE_DIFF | KS_WHERE_ITEM |
		KS_WHERE_BANK, NULL, "to the left; in the bank: group before"},
	{KS_DO_RIGHT, "right", "right", "l", KS_WHERE_DIFF | KS_WHERE_ITEM |
		KS_WHERE_BANK, NULL, "to the right; in the bank: next group"},
	{KS_DO_OPEN, "open", "enter", NULL, MAIN | KS_WHERE_SCENARIOS |
		KS_WHERE_CANDIDATES | KS_WHERE_BANK | KS_WHERE_MOMENTS |
		KS_WHERE_QUEUE, "open",
		"open what is selected; in the bank: take the question"},
	{KS_DO_SEARCH, "search", "/", NULL, LISTS, "search",
		"search; in help, bank and scenarios: show only what matches"},
	{KS_DO_NEXT, "next", "n", NULL, LISTS, NULL, "next match"},
	{KS_DO_PREVIOUS, "previous", "N", NULL, LISTS, NULL, "match before"},
	{KS_DO_FILTER, "filter", "f", "&", MAIN | KS_WHERE_BANK, "filter",
		"live view: all, words, calls, evaluations; bank: this moment's"},
	{KS_DO_FOLLOW, "follow", "F", NULL, MAIN, NULL, "follow the newest event"},
	{KS_DO_SORT, "sort", "S", NULL, KS_WHERE_SCENARIOS | KS_WHERE_CANDIDATES,
		"sort", "next order of the list"},
	{KS_DO_MARK, "mark", "space", NULL, KS_WHERE_CANDIDATES, "mark",
		"mark a candidate to be diffed with another"},
	{KS_DO_DROP, "drop", "z", "delete", KS_WHERE_QUEUE, "take back",
		"take back a message that waits"},
	{KS_DO_ACT, "act", "t", NULL, MAIN | KS_WHERE_ITEM, NULL,
		"message: was a question, directive, ... (:act goal)"},
	{KS_DO_COPY, "copy", "y", NULL, LISTS & ~(unsigned)KS_WHERE_HELP, NULL,
		"copy the selected text"},
	{KS_DO_NEXT_PANE, "next-pane", "tab", NULL, MAIN, NULL, "next pane"},
	{KS_DO_PREVIOUS_PANE, "previous-pane", "shift-tab", NULL, MAIN, NULL,
		"pane before"},
	{KS_DO_PANE_1, "live", "1", NULL, MAIN, NULL, "focus on the live view"},
	{KS_DO_PANE_2, "bars", "2", NULL, MAIN, NULL, "focus on the scenarios"},
	{KS_DO_PANE_3, "clauses", "3", NULL, MAIN, NULL, "focus on the goal"},

	{KS_DO_OFFER_1, "offer-1", "1", NULL, KS_WHERE_MOMENT, "first",
		"put the first question into the prompt"},
	{KS_DO_OFFER_2, "offer-2", "2", NULL, KS_WHERE_MOMENT, "second",
		"put the second question into the prompt"},
	{KS_DO_OFFER_3, "offer-3", "3", NULL, KS_WHERE_MOMENT, "third",
		"put the third question into the prompt"},
	{KS_DO_CHOOSE, "choose", "enter", NULL, KS_WHERE_MOMENT, "choose",
		"put the selected question into the prompt"},
	{KS_DO_OWN_WORDS, "own-words", "i", NULL, KS_WHERE_MOMENT, "write",
		"answer the moment in your own words"},
	{KS_DO_DISMISS, "dismiss", "z", NULL, KS_WHERE_MOMENT, "dismiss",
		"dismiss the moment"},

	{KS_DO_ALLOW, "allow", "y", NULL, KS_WHERE_ASKS, "once", "allow it this once"},
	{KS_DO_ALLOW_ALWAYS, "allow-always", "Y", NULL, KS_WHERE_ASKS, "always",
		"allow exactly this from now on"},
	{KS_DO_REJECT, "reject", "n", NULL, KS_WHERE_ASKS, "no",
		"reject it; a form: decline to answer"},
	{KS_DO_REJECT_ALWAYS, "reject-always", "N", NULL, KS_WHERE_ASKS, NULL,
		"reject it, and let the agent remember that"},
	{KS_DO_REJECT_WORDS, "reject-words", "w", NULL, KS_WHERE_ASKS, "no, with words",
		"reject it and say what to do instead"},
	{KS_DO_FILL, "fill", "enter", "i", KS_WHERE_ASKS, "answer",
		"answer the form, field by field"},

	{KS_DO_DETACH, "detach", "d", NULL, KS_WHERE_QUIT, "detach",
		"leave the console; engine and agent go on"},
	{KS_DO_STOP_ALL, "stop-all", "s", NULL, KS_WHERE_QUIT, "stop",
		"stop agent and engine, and leave"},
	{KS_DO_YES, "yes", "y", NULL, KS_WHERE_ASK, "yes", "do it"},
	{KS_DO_NO, "cancel", "esc", "n", KS_WHERE_ASK | KS_WHERE_QUIT, "cancel",
		"stay, and do nothing"},
};
#define COUNT (sizeof(table) / sizeof(table[0]))

const struct ks_binding *ks_bindings(size_t *count)
{
	*count = COUNT;
	return table;
}

const struct ks_binding *ks_binding_of(enum ks_do what)
{
	size_t i;

	for (i = 0; i < COUNT; i++) {
		if (table[i].what == what) {
			return &table[i];
		}
	}
	return NULL;
}

const struct ks_binding *ks_binding_by_name(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < COUNT; i++) {
		if (strlen(table[i].name) == len &&
		    memcmp(table[i].name, name, len) == 0) {
			return &table[i];
		}
	}
	return NULL;
}

const char *ks_binding_group(const struct ks_binding *binding)
{
	if (binding->where & KS_WHERE_MOMENT) {
		return "In a moment's banner (after a)";
	}
	if (binding->where & KS_WHERE_ASKS) {
		return "Where the agent asks (after p)";
	}
	if (binding->where & (KS_WHERE_QUIT | KS_WHERE_ASK)) {
		return "On leaving, and where the console asks";
	}
	if (binding->what >= KS_DO_UP && binding->what <= KS_DO_ACT) {
		return "In lists and texts";
	}
	return "Everywhere (while no text is typed)";
}

static const struct ks_sign signs[] = {
	{KS_GLYPH_YES, NULL, "of a clause: it holds; of a scenario: correct, not timed"},
	{KS_GLYPH_NO, NULL, "of a clause: it does not hold; of a scenario: wrong results"},
	{KS_GLYPH_UNKNOWN, NULL, "of a clause: not computed yet"},
	{KS_GLYPH_STAR, NULL, "the champion, the best confirmed candidate; or the goal is met"},
	{KS_GLYPH_WARN, NULL, "a moment, or evidence that a figure may not be what it seems"},
	{KS_GLYPH_MARK, NULL, "in a bar: 1.00x, as fast as the seed"},
	{KS_GLYPH_MORE, NULL, "something is cut here; enter or a wider terminal shows it"},
	{KS_GLYPH_COUNT, "V H C R ...",
		"in the live view's title: the layers, as the bank's groups "
		"are called. The first bar says how much was measured there, a point: nothing; a "
		"second bar how much was read and edited; a small letter: edited since"},
};

const struct ks_sign *ks_signs(size_t *count)
{
	*count = sizeof(signs) / sizeof(signs[0]);
	return signs;
}

const char *ks_signs_title(void)
{
	return "What the signs mean";
}

void ks_keymap_default(struct ks_keymap *map)
{
	size_t i;

	memset(map, 0, sizeof(*map));
	for (i = 0; i < COUNT; i++) {
		if (table[i].key != NULL) {
			ks_key_parse(table[i].key, &map->key[table[i].what][0]);
		}
		if (table[i].other != NULL) {
			ks_key_parse(table[i].other, &map->key[table[i].what][1]);
		}
	}
}

/* Whether the prefix keys of tmux belong to it. */
static bool is_reserved(const struct ks_key *key)
{
	return key->kind == KS_KEY_CHAR && key->mods == KS_MOD_CTRL && key->cp == 'b';
}

static const struct ks_binding *owner_of(const struct ks_keymap *map,
	unsigned where, const struct ks_key *key)
{
	size_t i, k;

	for (i = 0; i < COUNT; i++) {
		if (!(table[i].where & where)) {
			continue;
		}
		for (k = 0; k < 2; k++) {
			const struct ks_key *own = &map->key[table[i].what][k];

			if (own->kind != KS_KEY_NONE && ks_key_same(own, key)) {
				return &table[i];
			}
		}
	}
	return NULL;
}

static int parse_key(const char *name, struct ks_key *out, struct ks_err *err)
{
	if (!ks_key_parse(name, out) || out->kind == KS_KEY_PASTE) {
		return ks_err_set(err, KS_EINVAL, "no key \"%s\"; write for example "
			"q, ctrl-l, alt-b, pgup, f2", name);
	}
	if (is_reserved(out)) {
		return ks_err_set(err, KS_EINVAL, "ctrl-b is the prefix of tmux and "
			"stays free");
	}
	return 0;
}

/* Takes the next word of a line into out; false at its end. */
static bool next_word(struct ks_str *line, char *out, size_t size)
{
	size_t len = 0;

	*line = ks_str_trim(*line);
	while (len < line->len && line->ptr[len] != ' ' && line->ptr[len] != '\t') {
		len++;
	}
	snprintf(out, size, "%.*s", (int)ks_utf8_cut(line->ptr, len, size - 1), line->ptr);
	line->ptr += len;
	line->len -= len;
	return len > 0;
}

/* A line "command key" or "command key key"; *out is its command, or NULL for a
 * line that says nothing. */
static int read_line(struct ks_keymap *map, struct ks_str line,
	const struct ks_binding **out, struct ks_err *err)
{
	const struct ks_binding *binding;
	struct ks_key keys[2] = {{.kind = KS_KEY_NONE}};
	char name[40], word[40];
	int n = 0, rc;

	*out = NULL;
	if (!next_word(&line, name, sizeof(name)) || name[0] == '#') {
		return 0;
	}
	binding = ks_binding_by_name(name, strlen(name));
	if (binding == NULL) {
		return ks_err_set(err, KS_EINVAL, "no command \"%s\"; the help (?) "
			"lists all", name);
	}
	while (next_word(&line, word, sizeof(word))) {
		if (n == 2) {
			return ks_err_set(err, KS_EINVAL, "\"%s\" takes two keys at most",
				name);
		}
		rc = parse_key(word, &keys[n++], err);
		if (rc != 0) {
			return rc;
		}
	}
	if (n == 0) {
		return ks_err_set(err, KS_EINVAL, "write \"%s KEY\"", name);
	}
	memcpy(map->key[binding->what], keys, sizeof(keys));
	*out = binding;
	return 0;
}

/* Whether a command's keys are its own, wherever it holds. */
static int check_keys(const struct ks_keymap *map, const struct ks_binding *binding,
	struct ks_err *err)
{
	size_t i, k;

	for (i = 0; i < COUNT; i++) {
		for (k = 0; k < 4; k++) {
			const struct ks_key *own = &map->key[binding->what][k & 1];
			const struct ks_key *other = &map->key[table[i].what][k >> 1];
			char name[24];

			if (&table[i] == binding || !(table[i].where & binding->where) ||
			    own->kind == KS_KEY_NONE || !ks_key_same(own, other)) {
				continue;
			}
			ks_key_name(own, name, sizeof(name));
			return ks_err_set(err, KS_EINVAL, "key %s of \"%s\" is that of "
				"\"%s\" too; give that another", name, binding->name,
				table[i].name);
		}
	}
	return 0;
}

/* All lines first, then the clashes: two commands may change their keys. */
int ks_keymap_read(struct ks_keymap *map, struct ks_str text, struct ks_err *err)
{
	struct ks_keymap copy = *map;
	unsigned set[KS_DO_COUNT] = {0}; /* the line that sets a command's keys */
	const struct ks_binding *binding;
	struct ks_str line;
	unsigned number = 0;
	size_t i;
	int rc;

	while (ks_str_next(&text, '\n', &line)) {
		number++;
		rc = read_line(&copy, line, &binding, err);
		if (rc != 0) {
			ks_err_prefix(err, "line %u", number);
			return rc;
		}
		if (binding != NULL) {
			set[binding->what] = number;
		}
	}
	for (i = 0; i < COUNT; i++) {
		rc = set[table[i].what] > 0 ? check_keys(&copy, &table[i], err) : 0;
		if (rc != 0) {
			ks_err_prefix(err, "line %u", set[table[i].what]);
			return rc;
		}
	}
	*map = copy;
	return 0;
}

enum ks_do ks_keymap_find(const struct ks_keymap *map, unsigned where,
	const struct ks_key *key)
{
	const struct ks_binding *owner = owner_of(map, where, key);

	return owner != NULL ? owner->what : KS_DO_NONE;
}

const char *ks_keymap_name(const struct ks_keymap *map, enum ks_do what, char *out,
	size_t size)
{
	const struct ks_key *key = &map->key[what][0];

	out[0] = '\0';
	if (key->kind != KS_KEY_NONE) {
		ks_key_name(key, out, size);
	}
	return out;
}

static void add_row(struct ks_buf *out, const struct ks_binding *b)
{
	const char *text;

	ks_buf_adds(out, "| ");
	if (b->key != NULL) {
		ks_buf_addf(out, "`%s`", b->key);
	}
	if (b->other != NULL) {
		ks_buf_addf(out, ", `%s`", b->other);
	}
	ks_buf_addf(out, " | `%s` | ", b->name);
	for (text = b->help; *text != '\0'; text++) {
		if (*text == '|') {
			ks_buf_addc(out, '\\');
		}
		ks_buf_addc(out, *text);
	}
	ks_buf_adds(out, " |\n");
}

static const char typing[] =
	"\n## While text is typed\n\n"
	"| key | what it does |\n|---|---|\n"
	"| `enter` | send |\n"
	"| `alt-enter`, `ctrl-j` | a new line |\n"
	"| `esc` | leave; the draft stays |\n"
	"| `left`, `right`, `home`, `end`, `ctrl-a`, `ctrl-e` | move |\n"
	"| `alt-b`, `alt-f`, `ctrl-left`, `ctrl-right` | move by words |\n"
	"| `up`, `down` | line above or below; at the edge: history |\n"
	"| `backspace`, `delete`, `ctrl-d`, `ctrl-w`, `alt-d` | remove a character, a word |\n"
	"| `ctrl-k`, `ctrl-u` | remove to the end, to the start of the line |\n"
	"| `ctrl-y` | put back what was removed last |\n"
	"| `ctrl-x` | a message: write it in `$VISUAL` or `$EDITOR` |\n"
	"| `ctrl-_`, `ctrl-g` | undo, also of a cleared draft |\n"
	"| `ctrl-c` | clear (undo brings it back) |\n\n"
	"In a console that only reads, the prompt opens as well: the footer says who has the "
	"word, `enter` sends nothing, and what was typed stays.\n"
	"A paste is one block: it never sends, and nothing in it is a command. "
	"A long paste is shown as `[200 lines pasted]` and removed like one character.\n";

void ks_keys_markdown(struct ks_buf *out)
{
	const char *group = "";
	size_t i;

	ks_buf_adds(out, "# Keys\n\n"
		"This page is made from the key table (ui/view/keys.c); the help in "
		"the console (`?`) shows the same.\n"
		"Each command can also be typed: `:scenarios`.\n"
		"Other keys can be given to commands in `$XDG_CONFIG_HOME/kseek/keys` "
		"(else `~/.config/kseek/keys`), one command a line:\n\n"
		"    # command  key  [second key]\n"
		"    bank  f5\n"
		"    diff  b\n\n"
		"Such a line takes the place of the command's own keys; what is typed as "
		"text keeps its keys.\n"
		"`ctrl-b` stays free for tmux.\n"
		"A file with a line that is wrong changes nothing: the console says which "
		"line, and why.\n");
	for (i = 0; i < COUNT; i++) {
		if (strcmp(group, ks_binding_group(&table[i])) != 0) {
			group = ks_binding_group(&table[i]);
			ks_buf_addf(out, "\n## %s\n\n| key | command | what it does |\n"
				"|---|---|---|\n", group);
		}
		add_row(out, &table[i]);
	}
	ks_buf_adds(out, typing);
	ks_buf_addf(out, "\n## %s\n\n| sign | what it says |\n|---|---|\n", ks_signs_title());
	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		ks_buf_addf(out, "| `%s` | %s |\n", signs[i].text != NULL ? signs[i].text :
			ks_glyph(signs[i].glyph, false), signs[i].help);
	}
}

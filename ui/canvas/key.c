/* Names of keys, both ways, from one table. */
#include "canvas/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const struct {
	const char *name;
	enum ks_key_kind kind;
	int32_t cp;
} named[] = {
	{"enter", KS_KEY_ENTER, 0}, {"esc", KS_KEY_ESC, 0},
	{"tab", KS_KEY_TAB, 0}, {"backspace", KS_KEY_BACKSPACE, 0},
	{"delete", KS_KEY_DELETE, 0}, {"insert", KS_KEY_INSERT, 0},
	{"up", KS_KEY_UP, 0}, {"down", KS_KEY_DOWN, 0},
	{"left", KS_KEY_LEFT, 0}, {"right", KS_KEY_RIGHT, 0},
	{"home", KS_KEY_HOME, 0}, {"end", KS_KEY_END, 0},
	{"pgup", KS_KEY_PGUP, 0}, {"pgdn", KS_KEY_PGDN, 0},
	{"space", KS_KEY_CHAR, ' '}, {"paste", KS_KEY_PASTE, 0},
};

static const char *take_mods(const char *name, unsigned *mods)
{
	static const struct {
		const char *prefix;
		unsigned mod;
	} list[] = {
		{"ctrl-", KS_MOD_CTRL}, {"alt-", KS_MOD_ALT},
		{"shift-", KS_MOD_SHIFT},
	};
	size_t i = 0;

	*mods = 0;
	while (i < sizeof(list) / sizeof(list[0])) {
		size_t len = strlen(list[i].prefix);

		if (strncmp(name, list[i].prefix, len) == 0 &&
		    !(*mods & list[i].mod)) {
			*mods |= list[i].mod;
			name += len;
			i = 0;
		} else {
			i++;
		}
	}
	return name;
}

static bool parse_f(const char *name, struct ks_key *key)
{
	char *end;
	long n;

	if (name[0] != 'f' || name[1] < '1' || name[1] > '9') {
		return false;
	}
	n = strtol(name + 1, &end, 10);
	if (*end != '\0' || n > 24) {
		return false;
	}
	key->kind = KS_KEY_F;
	key->cp = (int32_t)n;
	return true;
}

bool ks_key_parse(const char *name, struct ks_key *out)
{
	struct ks_key key = {0};
	size_t i, len;

	name = take_mods(name, &key.mods);
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (strcmp(name, named[i].name) == 0) {
			key.kind = named[i].kind;
			key.cp = named[i].cp;
			*out = key;
			return true;
		}
	}
	if (parse_f(name, &key)) {
		*out = key;
		return true;
	}
	len = strlen(name);
	if (len == 0 || !ks_utf8_valid(name, len) ||
	    ks_utf8_decode(name, len, &key.cp) != len || key.cp < 0x20 ||
	    key.cp == 0x7f) {
		return false;
	}
	key.kind = KS_KEY_CHAR;
	*out = key;
	return true;
}

static const char *base_name(const struct ks_key *key, char *room, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (key->kind == named[i].kind &&
		    (key->kind != KS_KEY_CHAR || key->cp == named[i].cp)) {
			return named[i].name;
		}
	}
	if (key->kind == KS_KEY_F) {
		snprintf(room, size, "f%d", (int)key->cp);
		return room;
	}
	if (key->kind == KS_KEY_CHAR) {
		room[ks_utf8_encode(key->cp, room)] = '\0';
		return room;
	}
	return "none";
}

void ks_key_name(const struct ks_key *key, char *out, size_t size)
{
	char room[16];

	snprintf(out, size, "%s%s%s%s",
		key->mods & KS_MOD_CTRL ? "ctrl-" : "",
		key->mods & KS_MOD_ALT ? "alt-" : "",
		key->mods & KS_MOD_SHIFT ? "shift-" : "",
		base_name(key, room, sizeof(room)));
}

bool ks_key_same(const struct ks_key *a, const struct ks_key *b)
{
	return a->kind == b->kind && a->mods == b->mods && a->cp == b->cp;
}

/* Names of keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "canvas/key.h"

static void names_round_trip(void **state)
{
	static const char *const names[] = {
		"q", "?", "G", "ctrl-l", "alt-b", "shift-tab", "up", "f1", "f12",
		"space", "esc", "ctrl-left", "pgdn", "é", "-", "ctrl-alt-x",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ks_key key;
		char back[32];

		assert_true(ks_key_parse(names[i], &key));
		ks_key_name(&key, back, sizeof(back));
		assert_string_equal(back, names[i]);
	}
}

static void bad_names_are_refused(void **state)
{
	static const char *const names[] = {
		"", "ctrl-", "f0", "f25", "f1x", "ab", "\033", "\xff",
	};
	struct ks_key key;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_false(ks_key_parse(names[i], &key));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_round_trip),
		cmocka_unit_test(bad_names_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

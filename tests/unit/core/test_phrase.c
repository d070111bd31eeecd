/* Phrases in a text: where they count, and the same as by a plain search. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <strings.h>
#include <cmocka.h>

#include "core/phrase.h"

static bool said(const char *text, const char *phrase)
{
	struct ks_phrases p;

	ks_phrases_init(&p, ks_str_of(text));
	return ks_phrases_say(&p, phrase);
}

static void test_at_the_beginning_of_a_word(void **state)
{
	assert_true(said("Memory-bound now", "memory"));
	assert_true(said("it is MEMORY bound", "memory bound"));
	assert_true(said("(register pressure)", "register"));
	assert_false(said("unregister it", "register"));
	assert_false(said("memory bound", "bounded"));
	assert_true(said("of 12.5% of the time", "% of the time"));
	assert_true(said("x.item()", ".item"));
	assert_true(said("the end", "end"));
	assert_false(said("the en", "end"));
	assert_true(said("a b", "b"));
	assert_false(said("ab", "b"));
	assert_false(said("ab", ""));
	assert_false(said("", "ab"));
	assert_true(said("2 µs each", "µs"));
}

static void test_the_last_of_a_long_text(void **state)
{
	struct ks_buf text = {0};

	ks_buf_adds(&text, "first words ");
	while (text.len < KS_PHRASES_TEXT) {
		ks_buf_adds(&text, "more of it ");
	}
	ks_buf_adds(&text, "last");
	assert_false(said(text.ptr, "first"));
	assert_true(said(text.ptr, "more of it"));
	assert_true(said(text.ptr, "last"));
	ks_buf_fini(&text);
}

static bool plainly(const char *text, const char *phrase)
{
	size_t len = strlen(phrase);

	for (size_t i = 0; i + len <= strlen(text); i++) {
		if ((i == 0 || !isalnum((unsigned char)text[i - 1])
			|| !isalnum((unsigned char)phrase[0]))
			&& strncasecmp(text + i, phrase, len) == 0) {
			return true;
		}
	}
	return false;
}

static void test_the_same_as_a_plain_search(void **state)
{
	static const char letters[] = "aAbB .-1@";
	uint32_t seed = 7;
	int found = 0;

	for (int n = 0; n < 20000; n++) {
		char text[24] = "", phrase[5] = "";

		for (size_t i = 0; i < 20; i++) {
			seed = seed * 1664525u + 1013904223u;
			text[i] = letters[(seed >> 16) % (sizeof(letters) - 1)];
			if (i < 1 + (size_t)n % 4) {
				seed = seed * 1664525u + 1013904223u;
				phrase[i] = letters[(seed >> 16) % (sizeof(letters) - 1)];
			}
		}
		const char *bare = phrase + strspn(phrase, " ");
		assert_int_equal(said(text, phrase), bare[0] != '\0' && plainly(text, bare));
		found += said(text, phrase);
	}
	assert_in_range(found, 2000, 18000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_the_beginning_of_a_word),
		cmocka_unit_test(test_the_last_of_a_long_text),
		cmocka_unit_test(test_the_same_as_a_plain_search),
	};

	return cmocka_run_group_tests_name("phrase", tests, NULL, NULL);
}

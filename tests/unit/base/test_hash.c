/* SHA-256 against the vectors of FIPS 180. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"

static void known_vectors(void **state)
{
	char hex[KS_HASH_HEX];
	char *million = malloc(1000000);

	ks_hash_of("", 0, hex);
	assert_string_equal(hex,
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	ks_hash_of("abc", 3, hex);
	assert_string_equal(hex,
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_non_null(million);
	memset(million, 'a', 1000000);
	ks_hash_of(million, 1000000, hex);
	assert_string_equal(hex,
		"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

static void peeking_does_not_end_it(void **state)
{
	struct ks_hash *h = ks_hash_new();
	char hex[KS_HASH_HEX], whole[KS_HASH_HEX];

	ks_hash_peek(h, hex);
	ks_hash_of("", 0, whole);
	assert_string_equal(hex, whole);
	ks_hash_add(h, "ab", 2);
	ks_hash_peek(h, hex);
	ks_hash_peek(h, hex);
	ks_hash_add(h, NULL, 0);
	ks_hash_add(h, "c", 1);
	ks_hash_peek(h, hex);
	ks_hash_of("abc", 3, whole);
	assert_string_equal(hex, whole);
	ks_hash_free(h);
	ks_hash_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_vectors),
		cmocka_unit_test(peeking_does_not_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

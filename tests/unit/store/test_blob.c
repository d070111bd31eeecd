/* Blobs: one file for the same contents, checked names, checked contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "folder.h"
#include "store/blob.h"

static void stores_and_reads(void **state)
{
	char *dir = folder_path(state, "deep/blobs"), name[KS_HASH_HEX], *path;
	struct ks_buf out = {0};

	assert_int_equal(ks_blob_put(dir, (struct ks_str){"a\0b", 3}, name, NULL), 0);
	path = ks_asprintf("%s/%.2s/%s", dir, name, name + 2);
	assert_true(ks_file_exists(path));
	ks_buf_adds(&out, "> ");
	assert_int_equal(ks_blob_get(&out, dir, name, 3, NULL), 0);
	assert_int_equal(out.len, 5);
	assert_memory_equal(out.ptr, "> a\0b", 5);
	assert_int_equal(ks_blob_get(&out, dir, name, 2, NULL), KS_ELIMIT);
	assert_int_equal(out.len, 5);
	ks_buf_fini(&out);
	free(path);
	free(dir);
}

static void the_same_contents_are_one_file(void **state)
{
	char a[KS_HASH_HEX], b[KS_HASH_HEX], *path;
	struct stat first, second;

	assert_int_equal(ks_blob_put(*state, KS_STR("same"), a, NULL), 0);
	path = ks_asprintf("%s/%.2s/%s", (char *)*state, a, a + 2);
	assert_int_equal(stat(path, &first), 0);
	assert_int_equal(ks_blob_put(*state, KS_STR("same"), b, NULL), 0);
	assert_string_equal(a, b);
	assert_int_equal(stat(path, &second), 0);
	assert_int_equal(first.st_ino, second.st_ino);
	free(path);
}

static void an_empty_blob(void **state)
{
	struct ks_buf out = {0};
	char name[KS_HASH_HEX];

	assert_int_equal(ks_blob_put(*state, ks_str_of(NULL), name, NULL), 0);
	assert_int_equal(ks_blob_get(&out, *state, name, 0, NULL), 0);
	assert_int_equal(out.len, 0);
	ks_buf_fini(&out);
}

static void names_lead_nowhere_else(void **state)
{
	static const char *const bad[] = {"", "abc", "../../../../etc/passwd",
		"ABCDEF0000000000000000000000000000000000000000000000000000000000",
		"../0000000000000000000000000000000000000000000000000000000000000",
		"00000000000000000000000000000000000000000000000000000000000000000"};
	struct ks_buf out = {0};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(ks_blob_is_name(bad[i]));
		assert_int_equal(ks_blob_get(&out, *state, bad[i], 10, NULL), KS_EINVAL);
		assert_int_equal(ks_blob_get_part(&out, *state, bad[i], 0, 10, NULL, NULL),
			KS_EINVAL);
	}
	assert_false(ks_blob_is_name(NULL));
	assert_int_equal(ks_blob_get(&out, *state, NULL, 10, NULL), KS_EINVAL);
	ks_buf_fini(&out);
}

static void a_missing_blob_is_not_found(void **state)
{
	const char *name = "0000000000000000000000000000000000000000000000000000000000000000";
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf out = {0};

	assert_int_equal(ks_blob_get(&out, *state, name, 10, &err), KS_ENOTFOUND);
	assert_int_equal(ks_blob_get_part(&out, *state, name, 0, 10, NULL, NULL), KS_ENOTFOUND);
	ks_buf_fini(&out);
}

static void changed_contents_are_refused_and_written_anew(void **state)
{
	struct ks_buf out = {0};
	char name[KS_HASH_HEX], *path;

	assert_int_equal(ks_blob_put(*state, KS_STR("true contents"), name, NULL), 0);
	path = ks_asprintf("%s/%.2s/%s", (char *)*state, name, name + 2);
	folder_put(path, KS_STR("fals contents"));
	assert_int_equal(ks_blob_get(&out, *state, name, 100, NULL), KS_EINVAL);
	assert_int_equal(out.len, 0);
	/* a cut file is seen by its size */
	folder_put(path, KS_STR("true"));
	assert_int_equal(ks_blob_put(*state, KS_STR("true contents"), name, NULL), 0);
	assert_int_equal(ks_blob_get(&out, *state, name, 100, NULL), 0);
	assert_string_equal(out.ptr, "true contents");
	ks_buf_fini(&out);
	free(path);
}

static void reads_parts(void **state)
{
	char *big = ks_alloc(200000), name[KS_HASH_HEX];
	struct ks_buf out = {0};
	size_t size = 0, i;

	for (i = 0; i < 200000; i++) {
		big[i] = (char)(i % 251);
	}
	assert_int_equal(ks_blob_put(*state, (struct ks_str){big, 200000}, name, NULL), 0);
	assert_int_equal(ks_blob_get_part(&out, *state, name, 1000, 150000, &size, NULL), 0);
	assert_int_equal(size, 200000);
	assert_int_equal(out.len, 150000);
	assert_memory_equal(out.ptr, big + 1000, 150000);
	ks_buf_clear(&out);
	assert_int_equal(ks_blob_get_part(&out, *state, name, 199990, 100, NULL, NULL), 0);
	assert_int_equal(out.len, 10);
	assert_int_equal(ks_blob_get_part(&out, *state, name, 200000, 100, NULL, NULL), 0);
	assert_int_equal(ks_blob_get_part(&out, *state, name, SIZE_MAX, 100, NULL, NULL), 0);
	assert_int_equal(out.len, 10);
	ks_buf_fini(&out);
	free(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(stores_and_reads),
		IN_FOLDER(the_same_contents_are_one_file),
		IN_FOLDER(an_empty_blob),
		IN_FOLDER(names_lead_nowhere_else),
		IN_FOLDER(a_missing_blob_is_not_found),
		IN_FOLDER(changed_contents_are_refused_and_written_anew),
		IN_FOLDER(reads_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

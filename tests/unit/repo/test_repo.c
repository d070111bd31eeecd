/* The campaign's repository, also as plain git sees it. */
#include "help.h"

struct fixture {
	char *top, *dir;
	struct ks_repo *repo;
};

static int setup(void **state)
{
	struct fixture *f = ks_zalloc(1, sizeof(*f));
	struct ks_err err = KS_ERR_INIT;

	f->top = scratch_new();
	f->dir = ks_path_join(f->top, "campaign");
	assert_int_equal(ks_file_mkdirs(f->dir, 0755, NULL), 0);
	if (ks_repo_create(&f->repo, f->dir, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ks_repo_free(f->repo);
	scratch_free(f->top);
	free(f->dir);
	free(f);
	return 0;
}

static void commit(struct fixture *f, const char *text, const char *parent, const char *message,
	int64_t t, char out[KS_OID_HEX])
{
	struct ks_repo_file files[] = {file_of("kernel.c", text), file_of("lib/h.h", "h\n")};
	struct ks_repo_commit commit = {.files = files, .count = 2, .parent = parent,
		.message = message, .t = t * 1000000};
	struct ks_err err = KS_ERR_INIT;

	if (ks_repo_commit(f->repo, &commit, out, &err) < 0) {
		fail_msg("%s", err.msg);
	}
}

static void test_log_and_notes(void **state)
{
	struct fixture *f = *state;
	char first[KS_OID_HEX], second[KS_OID_HEX];
	struct ks_buf note = {0};
	char *text;

	commit(f, "one\n", NULL, "candidate 1: 1.20x\n\nKseek-Geomean: 1.2\n", 1700000000, first);
	commit(f, "two\n", first, "candidate 2: 2.40x\n", 1700000010, second);
	assert_int_equal(ks_repo_note(f->repo, second, &note, NULL), KS_ENOTFOUND);
	assert_int_equal(ks_repo_note_set(f->repo, second, KS_STR("28/28 correct\n"), 0, NULL), 0);
	assert_int_equal(ks_repo_note_set(f->repo, second, KS_STR("confirmed: yes\n"), 0, NULL), 0);
	assert_int_equal(ks_repo_note_set(f->repo, first, KS_STR("27/28 correct\n"), 0, NULL), 0);
	assert_int_equal(ks_repo_note(f->repo, second, &note, NULL), 0);
	assert_string_equal(note.ptr, "confirmed: yes\n");
	/* Plain git, without options, shows subject, trailer and note. */
	text = GIT(f->dir, "log", "candidates");
	assert_non_null(strstr(text, "candidate 2: 2.40x"));
	assert_non_null(strstr(text, "Kseek-Geomean: 1.2"));
	assert_non_null(strstr(text, "Notes (kseek):"));
	assert_non_null(strstr(text, "confirmed: yes"));
	assert_non_null(strstr(text, "27/28 correct"));
	assert_null(strstr(text, "28/28 correct"));
	assert_non_null(strstr(text, "Author: kseek <kseek@localhost>"));
	free(text);
	text = GIT(f->dir, "show", "candidates:kernel.c");
	assert_string_equal(text, "two\n");
	free(text);
	text = GIT(f->dir, "fsck", "--strict");
	assert_null(strstr(text, "error"));
	free(text);
	ks_buf_fini(&note);
}

static void test_user_is_not_touched(void **state)
{
	struct fixture *f = *state;
	char hex[KS_OID_HEX], *text;
	int rc;

	put(f->dir, "kernel.c", "mine\n");
	put(f->dir, ".kseek/log.jsonl", "{}\n");
	free(GIT(f->dir, "add", "kernel.c"));
	commit(f, "candidate\n", NULL, "candidate 1\n", 1700000000, hex);
	/* HEAD is an unborn main, the index has the user's file, nothing else. */
	text = GIT(f->dir, "symbolic-ref", "HEAD");
	assert_string_equal(text, "refs/heads/main\n");
	free(text);
	text = git(f->dir, &rc, (const char *const[]){"rev-parse", "--verify", "HEAD", NULL});
	assert_int_not_equal(rc, 0);
	free(text);
	text = GIT(f->dir, "status", "--porcelain");
	assert_string_equal(text, "A  kernel.c\n");
	free(text);
	assert_true(holds(f->dir, "kernel.c", "mine\n"));
	/* The user may commit, without an account's name, on main. */
	free(GIT(f->dir, "commit", "-q", "-m", "own"));
	commit(f, "candidate 2\n", hex, "candidate 2\n", 1700000001, hex);
	text = GIT(f->dir, "log", "--format=%s");
	assert_string_equal(text, "own\n");
	free(text);
	text = GIT(f->dir, "status", "--porcelain");
	assert_string_equal(text, "");
	free(text);
}

static void test_inside_another_repository(void **state)
{
	struct fixture *f = *state;
	char *outer = ks_path_join(f->top, "outer"), *inner = ks_path_join(outer, "work/c");
	struct ks_repo *repo = NULL;
	struct ks_err err = KS_ERR_INIT;
	char tree[KS_OID_HEX], *before, *after;
	struct ks_repo_file files[] = {file_of("seed.c", "s")};

	put(outer, "file", "x\n");
	free(GIT(outer, "init", "-q", "-b", "main", "."));
	free(GIT(outer, "config", "user.name", "a"));
	free(GIT(outer, "config", "user.email", "a@b"));
	free(GIT(outer, "add", "file"));
	free(GIT(outer, "commit", "-q", "-m", "outer"));
	assert_int_equal(ks_file_mkdirs(inner, 0755, NULL), 0);
	assert_int_equal(ks_repo_open(&repo, inner, &err), KS_ENOTFOUND);
	assert_null(repo);
	before = GIT(outer, "for-each-ref");
	assert_int_equal(ks_repo_create(&repo, inner, NULL), 0);
	assert_int_equal(ks_repo_seal(repo, files, 1, tree, NULL), 0);
	ks_repo_free(repo);
	after = GIT(outer, "for-each-ref");
	assert_string_equal(before, after);
	free(after);
	after = GIT(inner, "rev-parse", "refs/kseek/problem^{tree}");
	assert_memory_equal(after, tree, 40);
	free(before);
	free(after);
	free(inner);
	free(outer);
}

static void test_existing_repository_is_kept(void **state)
{
	struct fixture *f = *state;
	char *own = ks_path_join(f->top, "own"), *text, hex[KS_OID_HEX];
	struct ks_repo *repo = NULL;
	struct ks_repo_file files[] = {file_of("k.c", "k")};
	struct ks_repo_commit c = {.files = files, .count = 1, .message = "c1\n"};

	put(own, "k.c", "mine\n");
	free(GIT(own, "init", "-q", "-b", "trunk", "."));
	free(GIT(own, "config", "user.name", "Ada"));
	free(GIT(own, "config", "user.email", "ada@example.org"));
	free(GIT(own, "config", "notes.displayRef", "refs/notes/other"));
	free(GIT(own, "add", "."));
	free(GIT(own, "commit", "-q", "-m", "mine"));
	for (int i = 0; i < 2; i++) { /* again: changes nothing more */
		assert_int_equal(ks_repo_create(&repo, own, NULL), 0);
		assert_int_equal(ks_repo_commit(repo, &c, hex, NULL), 0);
		ks_repo_free(repo);
	}
	text = GIT(own, "config", "--get-all", "notes.displayRef");
	assert_string_equal(text, "refs/notes/other\nrefs/notes/kseek\n");
	free(text);
	text = GIT(own, "config", "user.name");
	assert_string_equal(text, "Ada\n");
	free(text);
	text = GIT(own, "log", "--format=%s", "HEAD");
	assert_string_equal(text, "mine\n");
	free(text);
	text = GIT(own, "rev-parse", "candidates");
	assert_memory_equal(text, hex, 40);
	free(text);
	free(own);
}

static void test_linked_repository_is_refused(void **state)
{
	struct fixture *f = *state;
	char *linked = ks_path_join(f->top, "linked");
	struct ks_repo *repo = NULL;
	struct ks_err err = KS_ERR_INIT;

	put(linked, ".git", "gitdir: ../campaign/.git\n");
	assert_int_equal(ks_repo_create(&repo, linked, &err), KS_EUNSUPPORTED);
	assert_int_equal(ks_repo_open(&repo, linked, NULL), KS_EUNSUPPORTED);
	assert_non_null(strstr(err.msg, "folder of its own"));
	assert_null(repo);
	free(linked);
}

static void test_seal_and_materialise(void **state)
{
	struct fixture *f = *state;
	char *problem = ks_path_join(f->top, "problem"), *out = ks_path_join(f->top, "out");
	char *outside = ks_path_join(f->top, "outside"), *link_path;
	char tree[KS_OID_HEX], again[KS_OID_HEX];
	struct ks_err err = KS_ERR_INIT;

	put(problem, "definition.json", "{}\n");
	put(problem, "sets/edge.jsonl", "1\n2\n");
	put(problem, "sets/deep/er/x", "");
	assert_int_equal(ks_repo_seal_folder(f->repo, problem, tree, &err), 0);
	assert_int_equal(ks_repo_seal_folder(f->repo, problem, again, &err), 0);
	assert_string_equal(tree, again);
	/* What was there before is replaced, not written through. */
	put(outside, "target", "safe\n");
	assert_int_equal(ks_file_mkdirs(out, 0755, NULL), 0);
	link_path = ks_path_join(out, "definition.json");
	assert_int_equal(symlink("../outside/target", link_path), 0);
	if (ks_repo_materialise(f->repo, tree, out, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	assert_true(holds(out, "definition.json", "{}\n"));
	assert_true(holds(out, "sets/edge.jsonl", "1\n2\n"));
	assert_true(holds(out, "sets/deep/er/x", ""));
	assert_true(holds(outside, "target", "safe\n"));
	/* Editing the folder changes nothing that is sealed. */
	put(problem, "definition.json", "{\"changed\":1}\n");
	assert_int_equal(ks_repo_materialise(f->repo, tree, out, &err), 0);
	assert_true(holds(out, "definition.json", "{}\n"));
	free(link_path);
	link_path = ks_path_join(problem, "link");
	assert_int_equal(symlink("/etc/passwd", link_path), 0);
	assert_int_equal(ks_repo_seal_folder(f->repo, problem, tree, &err), KS_EINVAL);
	assert_string_equal(tree, again);
	ks_err_clear(&err);
	assert_int_equal(ks_repo_materialise(f->repo, "0123456789012345678901234567890123456789",
		out, &err), KS_ENOTFOUND);
	free(link_path);
	free(outside);
	free(problem);
	free(out);
}

static void test_bad_files(void **state)
{
	static const char *const bad[] = {"../x", "/x", "a/../b", "", "a//b", ".git/config", "./a"};
	struct fixture *f = *state;
	char hex[KS_OID_HEX] = "untouched";

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ks_repo_file file = file_of(bad[i], "x");

		assert_true(ks_repo_seal(f->repo, &file, 1, hex, NULL) < 0);
		assert_string_equal(hex, "untouched");
	}
}

static void test_the_branch_reaches_every_candidate(void **state)
{
	struct fixture *f = *state;
	char hex[4][KS_OID_HEX];

	commit(f, "0\n", NULL, "seed\n", 1700000000, hex[0]);
	commit(f, "1\n", hex[0], "c1\n", 1700000001, hex[1]);
	/* From another working copy, which began at the seed. */
	commit(f, "2\n", hex[0], "c2\n", 1700000002, hex[2]);
	commit(f, "3\n", hex[1], "c3\n", 1700000003, hex[3]);
	char *have = GIT(f->dir, "log", "--reverse", "--date-order", "--format=%H %ct %s",
		"candidates");
	char *want = ks_asprintf("%s 1700000000 seed\n%s 1700000001 c1\n%s 1700000002 c2\n"
		"%s 1700000003 c3\n", hex[0], hex[1], hex[2], hex[3]);
	assert_string_equal(have, want);
	free(have);
	free(want);
	/* The first parent is the candidate that it was made from. */
	have = GIT(f->dir, "rev-parse", "candidates^1", "candidates^2^1");
	want = ks_asprintf("%s\n%s\n", hex[1], hex[0]);
	assert_string_equal(have, want);
	free(have);
	free(want);
}

static void test_read(void **state)
{
	struct fixture *f = *state;
	struct ks_repo_file binary[] = {
		{(char *)"b", (char *)"\0\1\n\xff", 4, true}, {(char *)"a", (char *)"", 0, false}};
	struct ks_repo_commit c = {.files = binary, .count = 2, .message = "m\n"};
	struct ks_repo_file *files = NULL;
	size_t count = 0;
	char hex[KS_OID_HEX];

	assert_int_equal(ks_repo_commit(f->repo, &c, hex, NULL), 0);
	assert_int_equal(ks_repo_read(f->repo, hex, &files, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_string_equal(files[0].path, "a");
	assert_int_equal(files[0].len, 0);
	assert_int_equal(files[1].len, 4);
	assert_memory_equal(files[1].bytes, "\0\1\n\xff", 4);
	assert_true(files[1].executable);
	ks_repo_files_free(files, count);
	ks_repo_files_free(NULL, 0);
}

static void test_diff(void **state)
{
	struct fixture *f = *state;
	char a[KS_OID_HEX], b[KS_OID_HEX];
	struct ks_repo_file files[] = {file_of("kernel.c", "1\n2 new\n3\n"),
		{(char *)"bin", (char *)"\0\1\2", 3, false}};
	struct ks_repo_commit c = {.files = files, .count = 2, .message = "m\n"};
	struct ks_repo_diff_stat stat;
	struct ks_buf out = {0}, big = {0};

	commit(f, "1\n2\n3\n", NULL, "a\n", 1, a);
	assert_int_equal(ks_repo_commit(f->repo, &c, b, NULL), 0);
	ks_buf_adds(&out, "kept|");
	assert_int_equal(ks_repo_diff(f->repo, a, b, &out, &stat, NULL), 0);
	assert_non_null(strstr(out.ptr, "kept|diff --git"));
	assert_non_null(strstr(out.ptr, "\n-2\n+2 new\n 3\n"));
	assert_non_null(strstr(out.ptr, "Binary files /dev/null and b/bin differ"));
	assert_int_equal(stat.files, 3);
	assert_int_equal(stat.added, 1);
	assert_int_equal(stat.removed, 2); /* the line, and lib/h.h's */
	assert_false(stat.cut);
	for (int i = 0; i < 30000; i++) {
		ks_buf_addf(&big, "%d\n", i);
	}
	files[0] = (struct ks_repo_file){(char *)"kernel.c", big.ptr, big.len, false};
	assert_int_equal(ks_repo_commit(f->repo, &c, a, NULL), 0);
	ks_buf_clear(&out);
	assert_int_equal(ks_repo_diff(f->repo, b, a, &out, &stat, NULL), 0);
	assert_true(stat.cut);
	assert_in_range(stat.added, 19900, 20000);
	assert_non_null(strstr(out.ptr, "\n(cut here: a diff is shown up to 20000 lines"));
	assert_true(out.len < KS_REPO_DIFF_BYTES + 200);
	/* A file beyond the limit is named only. */
	ks_buf_reserve(&big, 2 << 20);
	while (big.len < (1 << 20) + 5) {
		ks_buf_adds(&big, "0123456789\n");
	}
	files[0] = (struct ks_repo_file){(char *)"kernel.c", big.ptr, big.len, false};
	assert_int_equal(ks_repo_commit(f->repo, &c, a, NULL), 0);
	ks_buf_clear(&out);
	assert_int_equal(ks_repo_diff(f->repo, b, a, &out, &stat, NULL), 0);
	assert_non_null(strstr(out.ptr, "Binary files a/kernel.c and b/kernel.c differ"));
	ks_buf_clear(&out);
	assert_int_equal(ks_repo_diff(f->repo, b, b, &out, &stat, NULL), 0);
	assert_int_equal(out.len, 0);
	ks_buf_fini(&out);
	ks_buf_fini(&big);
}

static void test_note_is_text(void **state)
{
	struct fixture *f = *state;
	char hex[KS_OID_HEX];

	commit(f, "1\n", NULL, "a\n", 1, hex);
	assert_int_equal(ks_repo_note_set(f->repo, hex, (struct ks_str){"a\0b", 3}, 0, NULL),
		KS_EINVAL);
	hex[5] = hex[5] == '0' ? '1' : '0';
	assert_int_equal(ks_repo_note_set(f->repo, hex, KS_STR("x"), 0, NULL), KS_ENOTFOUND);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_log_and_notes), T(test_user_is_not_touched),
		T(test_inside_another_repository), T(test_existing_repository_is_kept),
		T(test_linked_repository_is_refused), T(test_seal_and_materialise),
		T(test_bad_files), T(test_the_branch_reaches_every_candidate), T(test_read),
		T(test_diff), T(test_note_is_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What the engine does without a world: copies, hashes, cuts, words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/goal.h"
#include "engine/internal.h"
#include "engine/machine.h"
#include "eval/build.h"

static char *scratch(void)
{
	char *dir = ks_strdup("/tmp/kseek-test-engine-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static void drop(char *dir)
{
	struct ks_err err = KS_ERR_INIT;

	assert_int_equal(ks_file_remove_tree(dir, &err), 0);
	free(dir);
}

static struct ks_repo_file file(const char *path, const char *bytes)
{
	return (struct ks_repo_file){
		.path = ks_strdup(path), .bytes = ks_strdup(bytes), .len = strlen(bytes)
	};
}

static void the_hash_is_of_names_and_contents(void **state)
{
	struct ks_repo_file files[2] = {file("a.c", "one"), file("b.h", "two")};
	struct ks_repo_file turned[2] = {files[1], files[0]};
	struct ks_repo_file other[2] = {file("a.c", "onet"), file("b.h", "wo")};
	char x[65], y[65];

	ks_snapshot_hash(files, 2, x);
	ks_snapshot_hash(turned, 2, y);
	assert_string_equal(x, y);
	ks_snapshot_hash(other, 2, y);
	assert_string_not_equal(x, y);
	ks_snapshot_hash(files, 1, y);
	assert_string_not_equal(x, y);
	for (int i = 0; i < 2; i++) {
		free(files[i].path);
		free(files[i].bytes);
		free(other[i].path);
		free(other[i].bytes);
	}
}

static void lines_are_counted_with_the_last(void **state)
{
	struct ks_repo_file f = file("a.c", "one\ntwo");

	assert_int_equal(ks_snapshot_lines(&f, 1), 2);
	free(f.path);
	free(f.bytes);
}

static void a_variant_stands_in_for_the_first_source(void **state)
{
	char *dir = scratch();
	struct ks_engine e = {.opt = {.dir = dir}};
	struct ks_repo_file *files = NULL;
	size_t count = 0;
	struct ks_err err = KS_ERR_INIT;
	char *path = ks_path_join(dir, "variant.c"), *helper = ks_path_join(dir, "helper.h");

	ks_strings_add(&e.campaign.files, "kernel.c");
	ks_strings_add(&e.campaign.files, "helper.h");
	assert_int_equal(ks_file_write(path, KS_STR("v"), 0600, &err), 0);
	assert_int_equal(ks_file_write(helper, KS_STR("h"), 0600, &err), 0);
	assert_int_equal(ks_snapshot(&files, &count, &e, path, false, &err), 0);
	assert_int_equal(count, 2);
	assert_string_equal(files[0].path, "kernel.c");
	assert_string_equal(files[0].bytes, "v");
	assert_string_equal(files[1].path, "helper.h");
	ks_repo_files_free(files, count);
	/* The working copy itself lacks kernel.c: said with its path. */
	assert_true(ks_snapshot(&files, &count, &e, NULL, false, &err) < 0);
	assert_non_null(strstr(err.msg, "kernel.c"));
	ks_strings_fini(&e.campaign.files);
	free(path);
	free(helper);
	drop(dir);
}

static void who_is_shut_in_gives_nothing_from_outside(void **state)
{
	char *top = scratch(), *dir = ks_path_join(top, "campaign");
	char *secret = ks_path_join(top, "secret"), *kernel = ks_path_join(dir, "kernel.c");
	char *own = ks_path_join(dir, "variant.c"), *round = ks_path_join(dir, "../secret");
	struct ks_engine e = {.opt = {.dir = dir}};
	struct ks_repo_file *files = NULL;
	size_t count = 0;
	struct ks_err err = KS_ERR_INIT;

	ks_strings_add(&e.campaign.files, "kernel.c");
	assert_int_equal(ks_file_mkdirs(dir, 0700, &err), 0);
	assert_int_equal(ks_file_write(secret, KS_STR("s"), 0600, &err), 0);
	assert_int_equal(ks_file_write(own, KS_STR("v"), 0600, &err), 0);
	assert_int_equal(symlink(secret, kernel), 0);
	const char *const outside[] = {NULL, secret, round, kernel, top};
	for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++) {
		assert_true(ks_snapshot(&files, &count, &e, outside[i], true, &err) < 0);
	}
	assert_int_equal(ks_snapshot(&files, &count, &e, own, true, &err), 0);
	ks_repo_files_free(files, count);
	assert_int_equal(ks_snapshot(&files, &count, &e, secret, false, &err), 0);
	ks_repo_files_free(files, count);
	ks_strings_fini(&e.campaign.files);
	char *paths[] = {dir, secret, kernel, own, round};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		free(paths[i]);
	}
	drop(top);
}

static bool has(const struct ks_strings *list, const char *text)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i], text) == 0) {
			return true;
		}
	}
	return false;
}

static void a_build_sees_its_sources_and_no_home(void **state)
{
	char dir[] = "/campaign", cache[] = "/campaign/.kseek/cache";
	const char *includes[] = {"/scratch/candidate"};
	struct ks_engine e = {.opt = {.dir = dir}, .paths = {.cache = cache}};
	struct ks_build_spec build = {.includes = includes, .nincludes = 1,
		.flags = "-O2 -I/home/me/include -DX=\"y\" -L /opt/lib"};
	struct ks_walls walls;

	setenv("HOME", "/people/me", 1);
	ks_walls_init(&walls, &e, &build, "/bin/sh", "/scratch");
	assert_true(has(&walls.hide, "/people/me") && has(&walls.hide, "/campaign"));
	assert_true(has(&walls.show, "/scratch") && has(&walls.show, cache));
	assert_true(has(&walls.show, "/home/me/include") && has(&walls.show, "/opt/lib"));
	assert_true(has(&walls.show, "/scratch/candidate"));
	assert_false(has(&walls.show, "/people/me") || has(&walls.show, "/"));
	ks_walls_fini(&walls);
}

static void an_agent_keeps_nobody_out(void **state)
{
	struct ks_conn conns[64] = {{.by_agent = true}};
	struct ks_engine e = {.conns = NULL};
	int agents = 0, people = 0;

	for (; agents < 64 && !ks_server_full(&e, true); agents++) {
		conns[agents] = (struct ks_conn){.by_agent = true, .next = e.conns};
		e.conns = &conns[agents];
	}
	assert_in_range(agents, 8, 40);
	for (; agents + people < 64 && !ks_server_full(&e, false); people++) {
		conns[agents + people] = (struct ks_conn){.next = e.conns};
		e.conns = &conns[agents + people];
	}
	assert_in_range(people, 8, 40);
	assert_true(ks_server_full(&e, false));
	conns[0].refused = true; /* takes no place */
	assert_false(ks_server_full(&e, false));
}

static void cut(struct ks_engine *e, enum ks_ev kind, const char *text, struct ks_json **out)
{
	struct ks_buf fields = {0}, done = {0}, whole = {0};
	struct ks_jw w;
	struct ks_err err = KS_ERR_INIT;

	ks_jw_members(&w, &fields);
	ks_jw_str(&w, "call", "c1");
	ks_jw_str(&w, "text", text);
	ks_engine_cut_bodies(e, kind, ks_buf_str(&fields), &done);
	assert_true(done.len < KS_EVENT_LINE_MAX / 2);
	ks_buf_addf(&whole, "{%.*s}", (int)done.len, done.ptr);
	assert_int_equal(ks_json_parse(out, whole.ptr, whole.len, &err), 0);
	ks_buf_fini(&fields);
	ks_buf_fini(&done);
	ks_buf_fini(&whole);
}

static void long_bodies_go_to_blobs(void **state)
{
	char *dir = scratch();
	struct ks_engine e = {.paths = {.blobs = dir}};
	struct ks_json *doc = NULL;
	struct ks_buf body = {0};
	struct ks_err err = KS_ERR_INIT;
	char *text = ks_alloc(300001);

	memset(text, 'x', 300000);
	text[300000] = 0;
	memcpy(text, "first", 5);
	memcpy(text + 299996, "last", 4);
	cut(&e, KS_EV_AGENT_SAID, text, &doc);
	const char *preview = ks_json_get_str(doc, "text", "");
	assert_true(strlen(preview) < 5000);
	assert_memory_equal(preview, "first", 5);
	assert_string_equal(preview + strlen(preview) - 4, "last");
	assert_int_equal(ks_json_get_int(doc, "bytes", 0), 300000);
	assert_int_equal(ks_blob_get(&body, dir, ks_json_get_str(doc, "blob", ""), 1 << 20, &err),
		0);
	assert_string_equal(body.ptr, text);
	ks_json_free(doc);
	ks_buf_fini(&body);
	free(text);
	drop(dir);
}

static void short_bodies_stay(void **state)
{
	struct ks_engine e = {0};
	struct ks_json *doc = NULL;

	cut(&e, KS_EV_TOOL_ENDED, "done \"well\"", &doc);
	assert_string_equal(ks_json_get_str(doc, "text", ""), "done \"well\"");
	assert_null(ks_json_get(doc, "blob"));
	ks_json_free(doc);
}

static void the_socket_lies_in_a_private_folder(void **state)
{
	char *dir = scratch(), *path = NULL;
	struct ks_err err = KS_ERR_INIT;

	setenv("XDG_RUNTIME_DIR", dir, 1);
	assert_int_equal(ks_engine_socket(&path, "abc", &err), 0);
	assert_non_null(strstr(path, "/kseek/abc.sock"));
	free(path);
	/* A folder that others could have made is refused. */
	char *open_dir = ks_path_join(dir, "kseek");
	assert_int_equal(chmod(open_dir, 0777), 0);
	assert_true(ks_engine_socket(&path, "abc", &err) < 0);
	free(open_dir);
	drop(dir);
}

/* What the goal's clauses forbid, the judge is told. */
static void the_job_names_banned_libraries(void **state)
{
	const struct ks_str lines[] = {KS_STR("every scenario correct"),
		KS_STR("no library cublas cutlass"), KS_STR("no library cudnn")};
	struct ks_engine e = {.campaign = {.id = ks_strdup("c")}};
	struct ks_evaluation ev = {.engine = &e, .scratch = ks_strdup("/there")};
	struct ks_buf job = {0}, names = {0};
	struct ks_json *doc = NULL;
	struct ks_err err = KS_ERR_INIT;

	e.opt.programs.state = "/state";
	assert_int_equal(ks_goal_parse(&e.state.goal, lines, 3, NULL, &err), 0);
	for (int with = 1; with >= 0; with--) {
		ks_buf_clear(&job);
		ks_job_write(&job, &e, &ev);
		assert_int_equal(ks_json_parse(&doc, job.ptr, job.len, &err), 0);
		const struct ks_json *banned = ks_json_get(doc, "banned");
		assert_int_equal(ks_json_type(banned), KS_JSON_ARRAY);
		for (const struct ks_json *n = ks_json_first(banned); n != NULL;
				n = ks_json_next(n)) {
			ks_buf_addf(&names, "%s ", ks_json_str(n, ""));
		}
		ks_json_free(doc);
		ks_goal_free(e.state.goal);
		e.state.goal = NULL; /* a campaign without one bans nothing */
	}
	assert_string_equal(names.ptr, "cublas cutlass cudnn ");
	ks_buf_fini(&names);
	ks_buf_fini(&job);
	free(ev.scratch);
	free(e.campaign.id);
}

static void the_cache_is_cut(void **state)
{
	char *dir = scratch();
	struct ks_err err = KS_ERR_INIT;
	char **names = NULL;
	size_t count = 0;

	(void)state;
	for (int i = 0; i < 515; i++) { /* the lower the number, the older */
		char *path = ks_asprintf("%s/%03d.so", dir, i);
		struct timespec at[2] = {{1000 + i, 0}, {1000 + i, 0}};
		assert_int_equal(ks_file_write(path, KS_STR("x"), 0600, &err), 0);
		assert_int_equal(utimensat(AT_FDCWD, path, at, 0), 0);
		free(path);
	}
	char *copy = ks_path_join(dir, "100.so.a1B2c3"), *part = ks_path_join(dir, "x.so.part");
	assert_int_equal(ks_file_write(copy, KS_STR("x"), 0600, &err), 0);
	assert_int_equal(ks_file_write(part, KS_STR("x"), 0600, &err), 0);
	ks_cache_cut(dir);
	assert_int_equal(ks_file_list(&names, &count, dir, &err), 0);
	assert_int_equal(count, 512);
	assert_string_equal(names[0], "003.so");
	assert_string_equal(names[511], "514.so");
	ks_names_free(names, count);
	free(copy);
	free(part);
	drop(dir);
	ks_cache_cut("/nonexistent"); /* says nothing */
}

/* Every setting of campaign.json but these is a number of the policy. */
static void settings_are_numbers_of_the_policy(void **state)
{
	struct ks_settings s = {0};
	struct ks_policy usual, set;

	ks_policy_default(&usual);
	for (int i = 0; i < KS_SETTINGS; i++) {
		bool elsewhere = i == KS_SET_STALL || i == KS_SET_HOOK_BLOCKS;
		const struct ks_setting_info *info = ks_setting_info((enum ks_setting)i);

		set = usual;
		memset(&s, 0, sizeof(s));
		s.item[i].set = true;
		s.item[i].value = info->high;
		ks_engine_settings(&set, &s);
		if (i == KS_SET_FRESH_EVAL || i == KS_SET_START_WAITS) {
			s.item[i].value = 0;
			ks_engine_settings(&set, &s);
		}
		assert_int_equal(memcmp(&set, &usual, sizeof(set)) == 0, elsewhere);
	}
}

/* Evidence says of which scenario it is, but for the name of one held out. */
static void evidence_says_where(void **state)
{
	static const char *const cases[][2] = {
		{"wide", "\"scenario\":\"wide\""},
		{"secret/1000x61", "\"scenario\":\"a held-out scenario\""},
		{"", "\"figures\":\"2 us\""},
	};
	struct ks_scenario scenarios[2] = {{.name = "wide"},
		{.name = "held-out-1", .heldout = true}};
	struct ks_engine e = {.state = {.scenarios = scenarios, .n_scenarios = 2}};
	struct ks_evaluation ev = {.engine = &e, .id = 7, .candidate = 1};

	for (size_t i = 0; i < 3; i++) {
		char *text = ks_asprintf("{\"type\":\"evidence\",\"trigger\":\"floor\","
			"\"scenario\":\"%s\",\"figures\":\"2 us\"}", cases[i][0]);
		struct ks_json *doc = NULL;
		struct ks_buf fields = {0};

		assert_int_equal(ks_json_parse(&doc, text, strlen(text), NULL), 0);
		ks_job_evidence(&fields, &ev, doc);
		assert_non_null(strstr(fields.ptr, cases[i][1]));
		assert_null(strstr(fields.ptr, "secret"));
		assert_true(i < 2 || strstr(fields.ptr, "held-out") == NULL);
		ks_buf_fini(&fields);
		ks_json_free(doc);
		free(text);
	}
}

static void a_cpu_has_a_name_on_every_machine(void **state)
{
	static const struct {
		const char *cpuinfo, *name;
	} cases[] = {
		{"processor\t: 0\nmodel name\t: A: fast  one\nmodel name\t: other\n",
			"A: fast  one"},
		{"processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\n"
			"CPU part\t: 0xd0c\nCPU revision\t: 1\n\nprocessor\t: 1\n"
			"CPU implementer\t: 0x42\nCPU part\t: 0xd40\n",
			"aarch64, implementer 0x41, part 0xd0c"},
		{"CPU implementer\t: 0x41\nCPU part\t:\n", "aarch64"},
		{"model name\t: \x1b[31mred\n", "␛red"},
		{"", "aarch64"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[96];

		ks_machine_name_cpu(name, sizeof(name), ks_str_of(cases[i].cpuinfo), "aarch64");
		assert_string_equal(name, cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_hash_is_of_names_and_contents),
		cmocka_unit_test(lines_are_counted_with_the_last),
		cmocka_unit_test(a_variant_stands_in_for_the_first_source),
		cmocka_unit_test(who_is_shut_in_gives_nothing_from_outside),
		cmocka_unit_test(a_build_sees_its_sources_and_no_home),
		cmocka_unit_test(an_agent_keeps_nobody_out),
		cmocka_unit_test(long_bodies_go_to_blobs),
		cmocka_unit_test(short_bodies_stay),
		cmocka_unit_test(the_socket_lies_in_a_private_folder),
		cmocka_unit_test(the_job_names_banned_libraries),
		cmocka_unit_test(the_cache_is_cut),
		cmocka_unit_test(settings_are_numbers_of_the_policy),
		cmocka_unit_test(evidence_says_where),
		cmocka_unit_test(a_cpu_has_a_name_on_every_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

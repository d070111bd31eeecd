/*
 * What of an agent's calls the classifier knows: on recorded campaigns, and on
 * the ways in which one command is wrapped in others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "core/layer.h"

#define KNOWN_LEAST 0.9 /* of the calls of recorded campaigns */

struct tally {
	int calls, known;
};

static const char *kind_of(const char *tool)
{
	return strcmp(tool, "shell") == 0 || strcmp(tool, "eval") == 0 ? "execute"
		: strcmp(tool, "write") == 0 ? "edit" : tool;
}

static void count(struct tally *t, const struct ks_json *doc)
{
	struct ks_call call = {
		.name = ks_str_of(ks_json_get_str(doc, "name", "")),
		.kind = ks_str_of(kind_of(ks_json_get_str(doc, "tool", ""))),
		.command = ks_str_of(ks_json_get_str(doc, "text", "")),
		.path = ks_str_of(ks_json_get_str(doc, "path", "")),
	};
	struct ks_call_class class;
	bool known;

	ks_layer_classify(&class, &call);
	known = strcmp(class.rule, "unknown") != 0 && strcmp(class.rule, "other") != 0
		&& strcmp(class.rule, "ad hoc program") != 0;
	t->calls++;
	t->known += known ? 1 : 0;
	if (!known) {
		print_message("%s: %s\n", class.rule, ks_json_get_str(doc, "text", ""));
	}
}

static void read_log(struct tally *t, const char *path)
{
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_str rest, line;

	if (ks_file_read(&text, path, 16 << 20, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	rest = ks_buf_str(&text);
	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_json *doc = NULL;

		if (line.len > 0 && ks_json_parse(&doc, line.ptr, line.len, NULL) == 0
			&& strcmp(ks_json_get_str(doc, "kind", ""), "tool.started") == 0) {
			count(t, doc);
		}
		ks_json_free(doc);
	}
	ks_buf_fini(&text);
}

static void test_recorded_calls_are_known(void **state)
{
	struct ks_err err = KS_ERR_INIT;
	struct tally t = {0};
	char **names;
	size_t n;

	assert_int_equal(ks_file_list(&names, &n, KSEEK_TEST_TRANSCRIPTS, &err), 0);
	for (size_t i = 0; i < n; i++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/%s/log.jsonl", KSEEK_TEST_TRANSCRIPTS, names[i]);
		if (ks_file_exists(path)) {
			read_log(&t, path);
		}
	}
	ks_names_free(names, n);
	print_message("%d of %d calls known\n", t.known, t.calls);
	assert_true(t.calls >= 40);
	assert_true(t.known >= KNOWN_LEAST * t.calls);
}

static void test_wrapped_commands(void **state)
{
	static const char *const forms[] = {
		"%s", "bash -lc '%s'", "sh -c \"%s\"", "env A=1 %s", "A=1 B=2 %s", "timeout 60 %s",
		"timeout -s KILL 60 %s", "sudo -E %s", "nohup %s &", "time %s", "nice -n 5 %s",
		"cd /tmp && %s", "make -j2 && %s", "%s | tail -5", "%s 2>&1 | tee out.txt",
		"(%s)", "set -e; %s; echo done", "taskset -c 0 %s", "numactl --cpunodebind=0 %s",
		"ssh gpu1 '%s'", "ssh -p 22 user@gpu1 \"%s\"", "echo x | xargs %s", "stdbuf -oL %s",
		"cd a; for i in 1 2 3; do %s; done", "bash -c 'cd /x && %s'",
		"srun -n 1 %s", "if true; then %s; fi",
	};
	static const struct {
		const char *command;
		unsigned effort;
	} commands[] = {
		{"ncu --set full ./bench", KS_EFFORT_PROFILER},
		{"nsys profile ./bench", KS_EFFORT_TIMELINE},
		{"strace -c ./bench", KS_EFFORT_HOST},
		{"cuobjdump -sass bench.o", KS_EFFORT_DISASM},
	};

	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		for (size_t c = 0; c < sizeof(commands) / sizeof(commands[0]); c++) {
			struct ks_buf text = {0};
			struct ks_call_class class;
			const char *hole = strstr(forms[f], "%s");

			ks_buf_add(&text, forms[f], (size_t)(hole - forms[f]));
			ks_buf_adds(&text, commands[c].command);
			ks_buf_adds(&text, hole + 2);
			struct ks_call call = {.name = KS_STR("Bash"),
				.command = ks_buf_str(&text)};
			ks_layer_classify(&class, &call);
			if ((class.effort & commands[c].effort) == 0) {
				fail_msg("%s: %s", text.ptr, class.rule);
			}
			ks_buf_fini(&text);
		}
	}
}

/* The same words for a shell in the agents that there are. */
static void test_names_of_shells(void **state)
{
	static const char *const names[] = {
		"Bash", "bash", "shell", "Shell", "execute", "run_terminal_cmd", "exec_command",
		"local_shell", "run_shell_command", "terminal", "mcp__host__bash", "unified_exec",
		"execute_command", "run_in_terminal", "developer__shell", "container.exec",
		"execute_bash", "run_bash", "cmd",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct ks_call call = {.name = ks_str_of(names[i]),
			.command = KS_STR("nsys profile ./bench")};
		struct ks_call_class class;

		ks_layer_classify(&class, &call);
		if ((class.effort & KS_EFFORT_TIMELINE) == 0) {
			fail_msg("%s: %s", names[i], class.rule);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded_calls_are_known),
		cmocka_unit_test(test_wrapped_commands),
		cmocka_unit_test(test_names_of_shells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Words for a shell: what a shell reads of them is what was put in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sane.h"
#include "base/shell.h"

static const char *const odd[] = {
	"a b", "it's", "\"x\"", "$(id)", "`id`", "a;b", "*", "~", "~root", "#x", "a\\b", "!x",
	"a\nb", "\n", "a\tb", "\033[31mred", "'\n'", "\\n\n", "caf\xc3\xa9",
	"\xff\xfe", "a\xe2\x80\xae" "b",
	"a=b", "{a,b}", "a\n1", "&", "", " ", "'", "''",
};

typedef void write_fn(struct ks_buf *out, const char *text);

/* What `shell` makes of the word. */
static char *read_back(const char *shell, write_fn *write_word, const char *text)
{
	struct ks_buf line = {0}, out = {0};
	char part[256];
	int ends[2], status = -1;
	ssize_t n;

	ks_buf_adds(&line, "printf %s ");
	write_word(&line, text);
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], 1);
		execl(shell, shell, "-c", line.ptr, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	while ((n = read(ends[0], part, sizeof(part))) > 0) {
		ks_buf_add(&out, part, (size_t)n);
	}
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	ks_buf_fini(&line);
	return ks_buf_take(&out);
}

static void test_a_shell_reads_it_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char *script = read_back("/bin/sh", ks_shell_quote, odd[i]);

		assert_string_equal(script, odd[i]);
		free(script);
		if (access("/bin/bash", X_OK) == 0) {
			char *person = read_back("/bin/bash", ks_shell_word, odd[i]);

			assert_string_equal(person, odd[i]);
			free(person);
		}
	}
}

/* It goes through the sanitiser unchanged, in one line. */
static void test_it_is_shown_as_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct ks_buf word = {0}, shown = {0};

		ks_shell_word(&word, odd[i]);
		ks_sane(&shown, ks_buf_str(&word), KS_SANE_ONE_LINE);
		assert_string_equal(shown.ptr, word.ptr);
		ks_buf_fini(&word);
		ks_buf_fini(&shown);
	}
}

static void is(write_fn *write_word, const char *text, const char *want)
{
	struct ks_buf out = {0};

	write_word(&out, text);
	assert_string_equal(out.ptr, want);
	ks_buf_fini(&out);
}

static void test_what_it_looks_like(void **state)
{
	(void)state;
	is(ks_shell_word, "src/kernel_2.cu", "src/kernel_2.cu");
	is(ks_shell_word, "my kernel.c", "'my kernel.c'");
	is(ks_shell_word, "it's", "'it'\\''s'");
	is(ks_shell_word, "a\nb", "$'a\\012b'");
	is(ks_shell_word, "caf\xc3\xa9", "'caf\xc3\xa9'");
	is(ks_shell_word, "", "''");
	is(ks_shell_word, "-x", "-x");
	is(ks_shell_path, "-x", "./-x");
	is(ks_shell_path, "- x", "'./- x'");
	is(ks_shell_path, "/a/-x", "/a/-x");
	is(ks_shell_quote, "a", "'a'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_shell_reads_it_back),
		cmocka_unit_test(test_it_is_shown_as_it_is),
		cmocka_unit_test(test_what_it_looks_like),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

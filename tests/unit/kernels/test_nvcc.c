/*
 * The shipped kernels for GPUs by the compiler and the flags of a campaign, two at a
 * time: each compiles, and its file shows nothing that a kernel may not have. Exit
 * status 77, which meson shows as skipped, where there is no nvcc.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "eval/build.h"
#include "eval/symbols.h"

static const struct shipped {
	const char *source, *entry;
} shipped[] = {
	{"attention/seed.cu", "attention_forward"}, {"attention/reference.cu", "attention_forward"},
	{"matmul/seed.cu", "matmul"}, {"matmul/reference.cu", "matmul"},
	{"rmsnorm/seed.cu", "rmsnorm"}, {"rmsnorm/reference.cu", "rmsnorm"},
};
#define COUNT (sizeof(shipped) / sizeof(shipped[0]))

/* Replaces this process by the compiler. */
static void compile(const struct shipped *s, const char *out)
{
	char *source = ks_asprintf("%s/%s", KERNELS, s->source);
	char *flags = ks_build_flags("cuda", "sm_90a", NULL);
	const char *sources[] = {source}, *includes[] = {KERNELS "/include"};
	struct ks_build_spec spec = {.target = "cuda", .flags = flags, .sources = sources,
		.nsources = 1, .includes = includes, .nincludes = 1, .out = out, .threads = 1};
	struct ks_err err = KS_ERR_INIT;
	char **argv = NULL;
	if (ks_build_argv(&argv, &spec, &err) == 0) {
		execv(argv[0], argv);
	}
	fprintf(stderr, "%s: %s\n", s->source, err.msg);
	_exit(127);
}

static bool has(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0) {
			return true;
		}
	}
	return false;
}

static bool look(const struct shipped *s, const char *out)
{
	struct ks_binary bin;
	struct ks_err err = KS_ERR_INIT;
	int code = ks_binary_load(&bin, out, &err);
	if (code != 0) {
		printf("FAIL %s: %s\n", s->source, err.msg);
		return false;
	}
	code = ks_binary_check_load(&bin, KS_MAY_CUDA, &err);
	code = code != 0 ? code : ks_binary_check_imports(&bin, KS_MAY_CUDA, &err);
	code = code != 0 ? code : ks_binary_check_embedded(&bin, &err);
	if (code == 0 && (!has(bin.exports, bin.nexports, s->entry) || bin.nkernels == 0)) {
		code = ks_err_set(&err, KS_EINVAL, "no entry %s, or no kernel", s->entry);
	}
	printf("%s %s: %zu device functions %s\n", code == 0 ? "ok  " : "FAIL", s->source,
		bin.nkernels, err.msg);
	ks_binary_fini(&bin);
	return code == 0;
}

int main(void)
{
	char dir[] = "/tmp/kseek-test-nvcc-XXXXXX", *nvcc = NULL;
	struct ks_err err = KS_ERR_INIT;
	pid_t pids[COUNT] = {0};
	bool good = true;
	if (ks_build_find_nvcc(&nvcc, &err) != 0) {
		printf("skipped: %s\n", err.msg);
		return 77;
	}
	free(nvcc);
	if (mkdtemp(dir) == NULL) {
		perror(dir);
		return 1;
	}
	for (size_t i = 0; i < COUNT + 2; i++) {
		int status = 1;
		if (i >= 2) { /* the one before the last that was begun */
			char *out = ks_asprintf("%s/%zu.so", dir, i - 2);
			bool built = waitpid(pids[i - 2], &status, 0) > 0 && status == 0;
			good = built && look(&shipped[i - 2], out) && good;
			free(out);
		}
		if (i < COUNT) {
			char *out = ks_asprintf("%s/%zu.so", dir, i);
			pids[i] = fork();
			if (pids[i] == 0) {
				compile(&shipped[i], out);
			}
			free(out);
		}
	}
	ks_file_remove_tree(dir, NULL);
	return good ? 0 : 1;
}

/* kseek probe: what this machine reaches. */
#include "app/common.h"
#include "app/paths.h"
#include "app/subs.h"
#include "loop/child.h"
#include "loop/run.h"

static int measure(struct ks_run *run, struct ks_err *err)
{
	char *engine = NULL;
	const struct ks_limits limits = {.pdeathsig = true};
	int rc = ks_paths_program(&engine, "kseek-engine", err);

	if (rc == 0) {
		const char *argv[] = {engine, "probe", NULL};
		/* LD_LIBRARY_PATH and CUDA_VISIBLE_DEVICES say where a GPU is */
		struct ks_env *env = ks_env_full();
		rc = ks_run_env(run, argv, ks_env_list(env), "/", NULL, &limits, 180000, err);
		ks_env_free(env);
	}
	if (rc == 0 && run->how.status != 0) {
		rc = ks_err_set(err, KS_EIO, "the probe ended with status %d: %.200s",
			run->how.status, run->errors.ptr != NULL ? run->errors.ptr : "");
	}
	free(engine);
	return rc;
}

static void print_gpu(const struct ks_json *gpu)
{
	printf("\n%-28s ", "gpu");
	ks_put(stdout, ks_json_get_str(gpu, "device", "unknown"), 0);
	printf(", %s\n", ks_json_get_str(gpu, "uuid", ""));
	printf("%-28s %.0f GB/s\n", "memory bandwidth", ks_json_get_num(gpu, "bandwidth_gbs", 0));
	printf("%-28s %.0f GB/s\n", "second-level cache", ks_json_get_num(gpu, "l2_gbs", 0));
	printf("%-28s %.1f TFLOP/s\n", "multiply-adds, float32",
		ks_json_get_num(gpu, "fp32_fma_gflops", 0) / 1e3);
	printf("%-28s %.1f TFLOP/s\n", "matrices, tf32",
		ks_json_get_num(gpu, "tf32_gflops", 0) / 1e3);
	const struct ks_json *peaks = ks_json_get(gpu, "fma_gflops");
	for (const struct ks_json *n = ks_json_first(peaks); n != NULL; n = ks_json_next(n)) {
		printf("ceiling, %-19s %.1f TFLOP/s\n", ks_json_key(n), ks_json_num(n, 0) / 1e3);
	}
	printf("%-28s %.2f us in a row, %.2f us alone with the wait\n", "an empty launch",
		ks_json_get_num(gpu, "launch_ns", 0) / 1e3,
		ks_json_get_num(gpu, "call_ns", 0) / 1e3);
}

static void print_text(const struct ks_json *doc)
{
	printf("%-28s ", "cpu");
	ks_put(stdout, ks_json_get_str(doc, "cpu", "unknown"), 0);
	printf("\n%-28s %.1f GB/s\n", "memory bandwidth, one thread",
		ks_json_get_num(doc, "bandwidth_gbs", 0));
	const struct ks_json *fma = ks_json_get(doc, "fma_gflops");
	for (const struct ks_json *n = ks_json_first(fma); n != NULL; n = ks_json_next(n)) {
		printf("multiply-add rate, %-9s %.1f GFLOP/s\n", ks_json_key(n), ks_json_num(n, 0));
	}
	printf("%-28s %.1f ns\n", "an empty call", ks_json_get_num(doc, "call_ns", 0));
	if (ks_json_get(doc, "gpu") != NULL) {
		print_gpu(ks_json_get(doc, "gpu"));
	} else {
		printf("%-28s ", "no gpu");
		ks_put(stdout, ks_json_get_str(doc, "no_gpu", ""), 0);
		printf("\n");
	}
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	bool json = false;
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &json, NULL, "one JSON object"},
		{0}
	};
	struct ks_run probe = {0};
	struct ks_json *doc = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = measure(&probe, &err);
	if (rc == 0) {
		rc = ks_json_parse(&doc, probe.out.ptr != NULL ? probe.out.ptr : "", probe.out.len,
			&err);
	}
	if (rc == 0 && json) {
		struct ks_buf out = {0};
		ks_json_print(doc, &out);
		ks_put_json(&out);
	} else if (rc == 0) {
		print_text(doc);
	}
	ks_json_free(doc);
	ks_run_fini(&probe);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_probe = {
	"probe", "[--json]", "measure this machine's rates (a few seconds)",
	"Memory bandwidth, multiply-add rate and the cost of an empty call; where there\n"
	"is a GPU, also its memory, caches, arithmetic, matrix instructions and\n"
	"launches. The figures are kept by CPU and by GPU for campaigns that are made\n"
	"later; a campaign keeps those that it began with.", run
};

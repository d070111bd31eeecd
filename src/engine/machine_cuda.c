/*
 * The machine of a cuda campaign: its first GPU. Everything that needs CUDA is
 * asked of the judge, so the engine itself links none of it.
 */
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/sane.h"
#include "engine/machine.h"
#include "eval/build.h"
#include "loop/run.h"

#define LOOK_TIMEOUT_MS (60 * 1000)

struct ks_env *ks_judge_env(void)
{
	static const char *const names[] = {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
		"CUDA_DEVICE_ORDER"};
	struct ks_env *env = ks_env_clean();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (getenv(names[i]) != NULL) {
			ks_env_set(env, names[i], getenv(names[i]));
		}
	}
	return env;
}

void ks_job_target(struct ks_jw *w, const char *target, const char *arch,
	const struct ks_engine_programs *programs)
{
	ks_jw_str(w, "target", target);
	if (strcmp(target, "cuda") == 0) {
		ks_jw_str(w, "arch", arch);
		ks_jw_str(w, "cuda", programs->cuda != NULL ? programs->cuda : "");
		ks_jw_null(w, "devices");
	}
}

/* One JSON object of the judge; its {"error"} becomes ours. */
static int ask(struct ks_json **out, const char *const *argv,
	const struct ks_engine_programs *programs, struct ks_buf *text, struct ks_err *err)
{
	const struct ks_limits limits = {.pdeathsig = true};
	struct ks_env *env = ks_judge_env();
	struct ks_json *doc = NULL;
	struct ks_run run;
	int rc = ks_run_env(&run, argv, ks_env_list(env), "/", programs->exec, &limits,
		LOOK_TIMEOUT_MS, err);

	ks_env_free(env);
	if (rc == 0 && ks_json_parse(&doc, run.out.ptr != NULL ? run.out.ptr : "", run.out.len,
			NULL) < 0) {
		rc = ks_err_set(err, KS_EIO, "kseek-judge %s ended with status %d%s: %.200s",
			argv[1], run.how.status, run.how.timed_out ? ", out of time" : "",
			run.errors.ptr != NULL ? run.errors.ptr : "no word");
	}
	if (rc == 0 && ks_json_get_str(doc, "error", NULL) != NULL) {
		rc = ks_err_set(err, KS_ENOTFOUND, "%s", ks_json_get_str(doc, "error", ""));
	}
	if (rc == 0) {
		ks_buf_addstr(text, ks_str_trim(ks_buf_str(&run.out)));
		*out = doc;
	} else {
		ks_json_free(doc);
	}
	ks_run_fini(&run);
	return rc;
}

/* Name, architecture and UUID of the first GPU. */
static int find_gpu(struct ks_machine *m, const struct ks_engine_programs *programs,
	struct ks_err *err)
{
	struct ks_json *doc = NULL;
	struct ks_buf text = {0};

	if (programs->cuda == NULL) {
		return ks_err_set(err, KS_ENOTFOUND, "this kseek was built without the cuda "
			"target: install the CUDA Toolkit and build kseek again");
	}
	const char *argv[] = {programs->judge, "--devices", programs->cuda, NULL};
	int rc = ask(&doc, argv, programs, &text, err);
	const struct ks_json *first = rc == 0 ? ks_json_first(ks_json_get(doc, "devices")) : NULL;
	if (rc == 0 && first == NULL) {
		rc = ks_err_set(err, KS_ENOTFOUND,
			"no GPU is visible to CUDA here; see 'nvidia-smi' and "
			"CUDA_VISIBLE_DEVICES");
	}
	if (rc == 0) {
		snprintf(m->arch, sizeof(m->arch), "cuda %.48s",
			ks_json_get_str(first, "arch", "sm_80"));
		snprintf(m->uuid, sizeof(m->uuid), "%.47s", ks_json_get_str(first, "uuid", ""));
		ks_sane_into(m->name, sizeof(m->name),
			ks_str_of(ks_json_get_str(first, "device", "GPU")), KS_SANE_ONE_LINE);
	}
	ks_json_free(doc);
	ks_buf_fini(&text);
	return rc;
}

int ks_machine_measure_cuda(struct ks_machine *out, bool fresh,
	const struct ks_engine_programs *programs, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_err ignored = KS_ERR_INIT;
	struct ks_json *doc = NULL;
	int rc = find_gpu(out, programs, err);

	if (rc < 0) {
		return rc;
	}
	char *key = ks_asprintf("cuda|%s|%s", out->uuid, out->name);
	char *path = ks_machine_probe_path(key, programs);
	bool stored = !fresh && ks_file_read(&text, path, 1024 * 1024, &ignored) == 0 &&
		ks_machine_take_probe(out, ks_buf_str(&text), &ignored) == 0;
	free(path);
	if (!stored) {
		const char *argv[] = {programs->judge, "--probe-cuda", programs->cuda, out->uuid,
			NULL};
		if (programs->say != NULL) {
			programs->say(programs->say_ctx,
				"probing this GPU once: memory, cache, arithmetic, "
				"matrix instructions, launches");
		}
		ks_buf_clear(&text);
		rc = ask(&doc, argv, programs, &text, err);
		if (rc == 0) {
			rc = ks_machine_take_probe(out, ks_buf_str(&text), err);
		}
		if (rc == 0) {
			rc = ks_machine_keep_probe(out, key, programs, err);
		}
		ks_json_free(doc);
	}
	free(key);
	ks_buf_fini(&text);
	return rc;
}

int ks_machine_look_cuda(struct ks_machine *out, const char *arch,
	const struct ks_engine_programs *programs, struct ks_err *err)
{
	if (arch != NULL && !ks_build_is_arch(arch)) {
		return ks_err_set(err, KS_EINVAL,
			"--arch %.40s: give one as nvcc names it, such as sm_90a", arch);
	}
	int rc = ks_machine_measure_cuda(out, false, programs, err);
	if (rc == 0 && arch != NULL) {
		snprintf(out->arch, sizeof(out->arch), "cuda %.48s", arch);
	} else if (rc == KS_ENOTFOUND && arch != NULL) {
		ks_err_clear(err);
		snprintf(out->arch, sizeof(out->arch), "cuda %.48s", arch);
		snprintf(out->name, sizeof(out->name), "no GPU");
		out->probe = ks_strdup("{}");
		out->blind = true;
		rc = 0;
	}
	return rc;
}

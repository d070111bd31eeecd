/* The machine: its name, its rates, and whether the seed is right on it. */
#include "engine/machine.h"

#include <sys/utsname.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/sane.h"
#include "engine/cache.h"
#include "loop/run.h"
#include "eval/build.h"
#include "store/campaign.h"

#define PROBE_TIMEOUT_MS (60 * 1000)
#define PROBE_TRIES 3
#define PROBE_SPREAD 0.15 /* of its own repeats: above it the machine was busy */
#define CHECK_TIMEOUT_MS (10 * 60 * 1000)
#define CALL_S 10         /* of the seed; the judge gives the reference six times that */

/* What stands behind the first line that begins with key; empty without one. */
static struct ks_str cpuinfo_value(struct ks_str text, const char *key)
{
	struct ks_str line, name;

	while (ks_str_next(&text, '\n', &line)) {
		if (ks_str_starts(line, key) && ks_str_next(&line, ':', &name)) {
			return ks_str_trim(line);
		}
	}
	return (struct ks_str){.len = 0};
}

void ks_machine_name_cpu(char *out, size_t size, struct ks_str cpuinfo, const char *arch)
{
	struct ks_str model = cpuinfo_value(cpuinfo, "model name");
	struct ks_str maker = cpuinfo_value(cpuinfo, "CPU implementer");
	struct ks_str part = cpuinfo_value(cpuinfo, "CPU part");
	struct ks_buf name = {0};

	if (model.len > 0) {
		ks_buf_add(&name, model.ptr, model.len);
	} else {
		ks_buf_adds(&name, arch);
		if (maker.len > 0 && part.len > 0) {
			ks_buf_addf(&name, ", implementer %.*s, part %.*s", (int)maker.len,
				maker.ptr, (int)part.len, part.ptr);
		}
	}
	ks_sane_into(out, size, ks_buf_str(&name), KS_SANE_ONE_LINE);
	ks_buf_fini(&name);
}

static void cpu_name(char *out, size_t size, const char *arch)
{
	struct ks_buf text = {0};
	/* The file tells no size, so it is read as a stream. */
	FILE *f = fopen("/proc/cpuinfo", "r");
	char chunk[4096];
	size_t n;

	while (f != NULL && text.len < 65536 && (n = fread(chunk, 1, sizeof(chunk), f)) > 0) {
		ks_buf_add(&text, chunk, n);
	}
	if (f != NULL) {
		fclose(f);
	}
	ks_machine_name_cpu(out, size, ks_buf_str(&text), arch);
	ks_buf_fini(&text);
}

static void name_machine(struct ks_machine *m)
{
	struct utsname u;

	if (uname(&u) < 0) {
		snprintf(u.machine, sizeof(u.machine), "unknown");
	}
	for (char *p = u.machine; *p != 0; p++) {
		*p = *p == '_' ? '-' : *p;
	}
	snprintf(m->arch, sizeof(m->arch), "cpu %.48s", u.machine);
	cpu_name(m->name, sizeof(m->name), u.machine);
}

int ks_machine_take_probe(struct ks_machine *m, struct ks_str text, struct ks_err *err)
{
	struct ks_json *doc = NULL;
	struct ks_buf compact = {0};
	int rc = ks_json_parse(&doc, text.ptr, text.len, err);

	if (rc < 0) {
		ks_err_prefix(err, "probe");
		return rc;
	}
	m->rates = (struct ks_probe){
		.bandwidth_gbs = ks_json_get_num(doc, "bandwidth_gbs", 0),
		.call_ns = ks_json_get_num(doc, "call_ns", 0)
	};
	m->spread = ks_json_get_num(doc, "spread", 0);
	const struct ks_json *fma = ks_json_get(doc, "fma_gflops");
	for (int d = 0; d < KS_DTYPE_COUNT; d++) {
		m->rates.peak_gflops[d] = ks_json_get_num(fma, ks_dtype_name((enum ks_dtype)d), 0);
	}
	if (!(m->rates.bandwidth_gbs > 0)) {
		rc = ks_err_set(err, KS_EPROTO, "probe: no bandwidth in its answer");
	} else {
		ks_json_print(doc, &compact);
		free(m->probe);
		m->probe = ks_buf_take(&compact);
	}
	ks_json_free(doc);
	return rc;
}

char *ks_machine_probe_path(const char *key, const struct ks_engine_programs *programs)
{
	char hash[KS_HASH_HEX];

	ks_hash_of(key, strlen(key), hash);
	return ks_asprintf("%s/probes/%.16s.json", programs->state, hash);
}

int ks_machine_keep_probe(const struct ks_machine *m, const char *key,
	const struct ks_engine_programs *programs, struct ks_err *err)
{
	char *path = ks_machine_probe_path(key, programs);
	char *dir = ks_path_dir(path);
	int rc = ks_file_mkdirs(dir, 0700, err);

	if (rc == 0) {
		rc = ks_file_write(path, ks_str_of(m->probe), 0600, err);
	}
	free(dir);
	free(path);
	return rc;
}

/* What a CPU's probe is stored by. */
static char *cpu_key(const struct ks_machine *m)
{
	return ks_asprintf("%s|%s", m->arch, m->name);
}

/* One run of the probe. */
static int probe_once(struct ks_machine *out, const struct ks_engine_programs *programs,
	struct ks_err *err)
{
	const char *argv[] = {programs->judge, "--probe", NULL};
	const struct ks_limits limits = {.pdeathsig = true};
	struct ks_run run;
	int rc = ks_run(&run, argv, "/", programs->exec, &limits, PROBE_TIMEOUT_MS, err);
	if (rc == 0 && run.how.status != 0) {
		rc = ks_err_set(err, KS_EIO,
			"probe: kseek-judge --probe ended with status %d: %.200s",
			run.how.status, run.errors.ptr != NULL ? run.errors.ptr : "");
	}
	if (rc == 0) {
		rc = ks_machine_take_probe(out, ks_buf_str(&run.out), err);
	}
	ks_run_fini(&run);
	return rc;
}

/* A rate is an upper bound, so of several runs the best counts; a machine that
 * is busy is asked again. */
static int probe_best(struct ks_machine *out, const struct ks_engine_programs *programs,
	struct ks_err *err)
{
	struct ks_machine best = {0};
	int rc = probe_once(&best, programs, err);

	for (int i = 1; rc == 0 && i < PROBE_TRIES && best.spread > PROBE_SPREAD; i++) {
		struct ks_machine next = {0};
		rc = probe_once(&next, programs, err);
		if (rc == 0 && next.rates.bandwidth_gbs > best.rates.bandwidth_gbs) {
			free(best.probe);
			best = next;
		} else {
			free(next.probe);
		}
	}
	free(out->probe);
	out->probe = best.probe;
	out->rates = best.rates;
	out->spread = best.spread;
	return rc;
}

int ks_machine_measure(struct ks_machine *out, const struct ks_engine_programs *programs,
	struct ks_err *err)
{
	name_machine(out);
	int rc = probe_best(out, programs, err);

	if (rc == 0) {
		char *key = cpu_key(out);
		rc = ks_machine_keep_probe(out, key, programs, err);
		free(key);
	}
	return rc;
}

int ks_machine_look(struct ks_machine *out, const struct ks_engine_programs *programs,
	struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_err ignored = KS_ERR_INIT;

	name_machine(out);
	char *key = cpu_key(out);
	char *path = ks_machine_probe_path(key, programs);
	free(key);
	int rc = ks_file_read(&text, path, 1024 * 1024, &ignored);
	free(path);
	if (rc == 0) {
		rc = ks_machine_take_probe(out, ks_buf_str(&text), &ignored);
	}
	ks_buf_fini(&text);
	/* One that was taken while others worked is taken again. */
	if (rc == 0 && out->spread <= PROBE_SPREAD) {
		return 0;
	}
	if (programs->say != NULL) {
		programs->say(programs->say_ctx,
			"probing this machine once: bandwidth, arithmetic rate, empty call");
	}
	rc = ks_machine_measure(out, programs, err);
	if (rc == 0 && out->spread > PROBE_SPREAD && programs->say != NULL) {
		char line[200];
		snprintf(line, sizeof(line),
			"this machine is busy: the probe's repeats differ by %.0f %%, "
			"so shares of roofline are rough; 'kseek probe' measures again",
			out->spread * 100);
		programs->say(programs->say_ctx, line);
	}
	return rc;
}

void ks_machine_fini(struct ks_machine *machine)
{
	free(machine->probe);
	machine->probe = NULL;
}

/* ---- the seed ---- */

struct check { /* of the seed of a new campaign */
	const char *scratch, *problem_dir, *target, *arch, *flags;
	const struct ks_problem *problem;
	const struct ks_engine_programs *programs;
	const char *cache;
};

struct ks_str ks_compiler_error(struct ks_str output)
{
	static const char *const marks[] = {"error:", "undefined reference to", ": cannot find "};
	struct ks_str rest = output, line, first = {0};

	for (; ks_str_next(&rest, '\n', &line); first = first.len == 0 ? line : first) {
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
			if (ks_str_find(line, ks_str_of(marks[i])) >= 0) {
				return line;
			}
		}
	}
	return first;
}

/* The compiler's own lines, files named as their writer knows them, and one line
 * with the first error. */
static int say_build_failed(const struct ks_run *run, const char *problem_dir, const char *side,
	const struct ks_engine_programs *programs, struct ks_err *err)
{
	struct ks_str rest = ks_buf_str(&run->errors), line;
	struct ks_str first = ks_compiler_error(rest);
	size_t prefix = strlen(problem_dir) + 1;

	if (ks_str_starts(first, problem_dir) && first.len > prefix) {
		first.ptr += prefix;
		first.len -= prefix;
	}

	while (ks_str_next(&rest, '\n', &line)) {
		if (ks_str_starts(line, problem_dir) && line.len > prefix) {
			line.ptr += prefix;
			line.len -= prefix;
		}
		if (programs->say != NULL) {
			char *text = ks_strndup(line.ptr, line.len);
			programs->say(programs->say_ctx, text);
			free(text);
		}
	}
	if (first.len == 0) {
		return ks_err_set(err, KS_EBUILD, "the %s does not build (compiler's status %d)",
			side, run->how.status);
	}
	return ks_err_set(err, KS_EBUILD, "the %s does not build: %.*s", side,
		(int)(first.len < 300 ? first.len : 300), first.ptr);
}

static int compile(const struct check *c, const struct ks_build_spec *b, const char *side,
	struct ks_err *err)
{
	char **argv = NULL;
	struct ks_run run = {0};
	const struct ks_limits limits = {.mem_mb = ks_build_memory_mb(c->target), .file_mb = 256,
		.cpu_s = ks_build_seconds(c->target)};
	int rc = ks_build_argv(&argv, b, err);

	if (rc == 0) {
		rc = ks_run(&run, (const char *const *)argv, c->scratch, c->programs->exec, &limits,
			ks_build_seconds(c->target) * 1000, err);
		ks_build_argv_free(argv);
	}
	if (rc == 0 && run.how.status != 0) {
		rc = say_build_failed(&run, c->problem_dir, side, c->programs, err);
	}
	ks_run_fini(&run);
	return rc;
}

static int build(const struct check *c, const char *side, char **out_kept, struct ks_err *err)
{
	const char *problem_dir = c->problem_dir;
	const struct ks_engine_programs *programs = c->programs;
	const char *const *names;
	size_t count;
	struct ks_strings sources = {0};
	int rc = ks_problem_sources(&names, &count, c->problem, c->target, side, err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *path = ks_path_join(problem_dir, names[i]);
		ks_strings_add(&sources, path);
		free(path);
	}
	char *output = ks_asprintf("%s/%s.so", c->scratch, side);
	const char *includes[2] = {problem_dir, programs->include};
	struct ks_build_spec b = {
		.target = c->target, .flags = c->flags, .out = output,
		.includes = includes, .nincludes = 2,
		.sources = (const char *const *)sources.items, .nsources = sources.count,
		.threads = 1
	};
	if (rc == 0) {
		rc = compile(c, &b, side, err);
	}
	if (rc == 0) {
		rc = ks_cache_path(out_kept, c->cache, &b, err);
	}
	ks_strings_fini(&sources);
	free(output);
	return rc;
}

static void write_job(struct ks_buf *out, const struct check *c)
{
	const struct ks_engine_programs *programs = c->programs;
	struct ks_jw w;
	char *seed = ks_path_join(c->scratch, "seed.so");
	char *reference = ks_path_join(c->scratch, "reference.so");
	char *work = ks_path_join(c->scratch, "w");

	ks_jw_init(&w, out);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "v", 1);
	ks_jw_str(&w, "problem", c->problem_dir);
	ks_job_target(&w, c->target, c->arch, programs);
	ks_jw_str(&w, "flags", c->flags);
	ks_jw_str(&w, "seed", seed);
	ks_jw_str(&w, "reference", reference);
	ks_jw_str(&w, "candidate", seed);
	ks_jw_str(&w, "worker", programs->worker);
	ks_jw_str(&w, "exec", programs->exec);
	ks_jw_str(&w, "scratch", work);
	ks_jw_bool(&w, "perf", false);
	ks_jw_int(&w, "workers", 1);
	ks_jw_open(&w, "limits");
	ks_jw_int(&w, "call_ms", CALL_S * 1000);
	ks_jw_close(&w);
	ks_jw_str(&w, "key", "00000000000000000000000000000001");
	ks_jw_close(&w);
	free(seed);
	free(reference);
	free(work);
}

/* The judge's words for who wrote the problem. The seed stands in for a candidate,
 * and libraries of the scratch folder are called by what they were made of. */
static int refuse(const struct check *c, const char *text, struct ks_err *err)
{
	const char *side = strstr(text, "/.seed-check/reference.so") != NULL ? "reference" : "seed";
	const char *const *names;
	size_t count;

	if (strstr(text, " has no function ") == NULL) {
		return ks_err_set(err, KS_EINVAL, "%s", text);
	}
	int rc = ks_problem_sources(&names, &count, c->problem, c->target, side, err);
	return rc != 0 ? rc : ks_err_set(err, KS_EINVAL, "the %s: %s has no function %s that can "
		"be called; define it there, not static%s, or name the right one in "
		"definition.json: $.kseek.entry.symbol", side, names[0],
		ks_problem_symbol(c->problem),
		strcmp(c->target, "cuda") == 0 ? " and extern \"C\"" : "");
}

static int refuse_scenario(const struct check *c, const struct ks_json *doc, struct ks_err *err)
{
	const char *why = ks_json_get_str(doc, "why", "?");

	return strstr(why, " has no function ") != NULL ? refuse(c, why, err) :
		ks_err_set(err, KS_EINVAL, "the seed is wrong in scenario %.60s: %.200s; "
			"mend seed or reference, or set a tolerance",
			ks_json_get_str(doc, "name", "?"), why);
}

/* The first scenario that is wrong, or the judge's error. */
static int read_verdict(const struct check *c, const struct ks_run *run, struct ks_err *err)
{
	struct ks_str rest = ks_buf_str(&run->out), line;
	bool done = false;
	int rc = 0;

	while (rc == 0 && ks_str_next(&rest, '\n', &line)) {
		struct ks_json *doc = NULL;
		struct ks_err ignored = KS_ERR_INIT;
		if (ks_json_parse(&doc, line.ptr, line.len, &ignored) < 0) {
			continue;
		}
		const char *type = ks_json_get_str(doc, "type", "");
		if (strcmp(type, "error") == 0) {
			rc = refuse(c, ks_json_get_str(doc, "text", "the judge failed"), err);
		} else if (strcmp(type, "scenario") == 0 &&
				!ks_json_get_bool(doc, "correct", false)) {
			rc = refuse_scenario(c, doc, err);
		}
		done = done || strcmp(type, "done") == 0;
		ks_json_free(doc);
	}
	if (rc == 0 && !done) {
		rc = ks_err_set(err, KS_EIO, "the judge ended early (status %d): %.200s",
			run->how.status, run->errors.ptr != NULL ? run->errors.ptr : "");
	}
	return rc;
}

static int run_judge(struct ks_run *run, const struct check *c, const char *job, struct ks_err *err)
{
	const char *argv[] = {c->programs->judge, job, NULL};
	const struct ks_limits limits = {.pdeathsig = true};
	struct ks_env *env = ks_judge_env();
	int rc = ks_run_env(run, argv, ks_env_list(env), c->scratch, c->programs->exec, &limits,
		CHECK_TIMEOUT_MS, err);

	ks_env_free(env);
	return rc;
}

/* The first evaluation needs it too; without it, it builds. */
static void keep(const struct check *c, const char *side, const char *kept)
{
	char *path = ks_asprintf("%s/%s.so", c->scratch, side);

	if (ks_file_mkdirs(c->cache, 0700, NULL) == 0) {
		(void)rename(path, kept);
	}
	free(path);
}

static void say_limits(const struct check *c)
{
	char text[96];

	snprintf(text, sizeof(text), "they build; a call may take %d s, one of the reference %d s",
		CALL_S, 6 * CALL_S);
	if (c->programs->say != NULL) {
		c->programs->say(c->programs->say_ctx, text);
	}
}

static void say_right(const struct check *c, int64_t began_us)
{
	size_t n = ks_problem_scenarios(c->problem);
	char text[96];

	snprintf(text, sizeof(text), "the seed is right on %zu scenario%s (%.1f s)", n,
		ks_s(n), (double)(ks_clock_mono_us() - began_us) / 1e6);
	if (c->programs->say != NULL) {
		c->programs->say(c->programs->say_ctx, text);
	}
}

int ks_machine_check_seed(const char *scratch_root, const char *cache, const char *problem_dir,
	const struct ks_problem *problem, const char *target, const struct ks_machine *machine,
	const char *flags, const struct ks_engine_programs *programs, struct ks_err *err)
{
	char *scratch = ks_path_join(scratch_root, ".seed-check");
	const char *blank = strchr(machine->arch, ' ');
	const struct check c = {scratch, problem_dir, target, blank != NULL ? blank + 1 : "", flags,
		problem, programs, cache};
	int64_t began_us = ks_clock_mono_us();
	char *kept[2] = {NULL, NULL};
	char *path = ks_path_join(scratch, "job.json");
	struct ks_buf job = {0};
	struct ks_run run = {0};
	struct ks_err ignored = KS_ERR_INIT;
	char *work = ks_path_join(scratch, "w");
	int rc = ks_file_mkdirs(work, 0700, err);

	free(work);
	if (rc == 0) {
		rc = build(&c, "seed", &kept[0], err);
	}
	if (rc == 0) {
		rc = build(&c, "reference", &kept[1], err);
	}
	if (rc == 0 && machine->blind) {
		rc = ks_err_set(err, KS_ENOTFOUND,
			"seed and reference build for %s, but there is no GPU "
			"here to check the seed on: make the campaign on the machine that has one",
			c.arch);
	}
	if (rc == 0) {
		say_limits(&c);
		write_job(&job, &c);
		rc = ks_file_write(path, ks_buf_str(&job), 0600, err);
	}
	if (rc == 0) {
		rc = run_judge(&run, &c, path, err);
	}
	if (rc == 0) {
		rc = read_verdict(&c, &run, err);
	}
	if (rc == 0) {
		say_right(&c, began_us);
		keep(&c, "seed", kept[0]);
		keep(&c, "reference", kept[1]);
	}
	free(kept[0]);
	free(kept[1]);
	ks_run_fini(&run);
	ks_buf_fini(&job);
	(void)ks_file_remove_tree(scratch, &ignored);
	free(path);
	free(scratch);
	return rc;
}

int ks_machine_check_yardstick(const char *scratch_root, const char *problem_dir,
	const char *file, const char *target, const char *flags,
	const struct ks_engine_programs *programs, struct ks_err *err)
{
	struct ks_engine_programs silent = *programs;
	char *scratch = ks_path_join(scratch_root, ".yardstick-check");
	char *dir = ks_path_join(problem_dir, "yardstick");
	char *source = ks_path_join(dir, file);
	char *out = ks_path_join(scratch, "yardstick.so");
	const char *const sources[] = {source};
	const char *includes[2] = {dir, programs->include};
	const struct check c = {.scratch = scratch, .problem_dir = problem_dir, .target = target,
		.flags = flags, .programs = &silent};
	const struct ks_build_spec b = {
		.target = target, .flags = flags, .out = out, .includes = includes, .nincludes = 2,
		.sources = sources, .nsources = 1, .threads = 1, .libraries = true
	};
	struct ks_err ignored = KS_ERR_INIT;

	silent.say = NULL;
	int rc = ks_file_mkdirs(scratch, 0700, err);
	if (rc == 0) {
		rc = compile(&c, &b, "yardstick", err);
	}
	(void)ks_file_remove_tree(scratch, &ignored);
	free(out);
	free(source);
	free(dir);
	free(scratch);
	return rc;
}

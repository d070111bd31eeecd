/*
 * kseek-engine: started by kseek, never by hand.
 *
 *   kseek-engine run DIR [--agent] [--transient] [--unattended] [--ready-fd N]
 *   kseek-engine create     the options as one JSON object on standard input
 *   kseek-engine probe      measures this machine anew and keeps the figures
 *   kseek-engine diff DIR A B  what two commits of a campaign differ in
 *
 * A program apart, because it is what links git and (for agents over HTTP) the
 * network; the command line and the console stay small and quick to start.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/args.h"
#include "app/paths.h"
#include "app/rules.h"
#include "base/json.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/machine.h"
#include "repo/repo.h"
#include "store/campaign.h"

struct programs {
	struct ks_engine_programs p;
	char *owned[8];
};

static int find_programs(struct programs *out, struct ks_err *err)
{
	static const char *const names[4] = {"kseek-judge", "kseek-worker", "kseek-exec", "kseek"};
	int rc = 0;

	for (int i = 0; rc == 0 && i < 4; i++) {
		rc = ks_paths_program(&out->owned[i], names[i], err);
	}
	if (rc == 0) {
		rc = ks_paths_data(&out->owned[4], "kernels/include", err);
	}
	if (rc == 0) {
		rc = ks_paths_state(&out->owned[5], err);
	}
	if (rc == 0 && ks_paths_data(&out->owned[6], "agents/agents.json", NULL) < 0) {
		out->owned[6] = NULL;
	}
	if (rc == 0) {
		out->owned[7] = ks_paths_cuda();
	}
	out->p = (struct ks_engine_programs){
		.judge = out->owned[0], .worker = out->owned[1], .exec = out->owned[2],
		.kseek = out->owned[3], .include = out->owned[4], .state = out->owned[5],
		.agents = out->owned[6], .cuda = out->owned[7]
	};
	return rc;
}

static void free_programs(struct programs *p)
{
	for (int i = 0; i < 8; i++) {
		free(p->owned[i]);
	}
}

static int run_engine(int argc, char **argv)
{
	struct ks_engine_options o = {.dir = argv[0], .ready_fd = -1,
		.agent_spec = getenv("KSEEK_AGENT")};
	struct programs programs = {0};
	struct ks_err err = KS_ERR_INIT;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--agent") == 0) {
			o.agent = true;
		} else if (strcmp(argv[i], "--transient") == 0) {
			o.transient = true;
		} else if (strcmp(argv[i], "--unattended") == 0) {
			o.unattended = true;
		} else if (strcmp(argv[i], "--ready-fd") == 0 && i + 1 < argc) {
			o.ready_fd = (int)strtol(argv[++i], NULL, 10);
		} else {
			fprintf(stderr, "kseek-engine: unknown option %s\n", argv[i]);
			return KS_EXIT_USAGE;
		}
	}
	struct ks_rules *rules = NULL;
	int rc = find_programs(&programs, &err);
	if (rc == 0) {
		rc = ks_rules_open_for(&rules, o.dir, &err);
	}
	if (rc == 0) {
		o.programs = programs.p;
		o.policy = ks_rules_policy(rules);
		rc = ks_engine_run(&o, &err);
	} else if (o.ready_fd >= 0) {
		dprintf(o.ready_fd, "%s\n", err.msg);
	}
	ks_rules_free(rules);
	free_programs(&programs);
	if (rc < 0) {
		fprintf(stderr, "kseek-engine: %s\n", err.msg);
		return KS_EXIT_ENV;
	}
	return KS_EXIT_OK;
}

/* ---- create ---- */

static void say(void *ctx, const char *text)
{
	printf("%s\n", text);
	fflush(stdout);
}

static void read_stdin(struct ks_buf *out)
{
	char chunk[4096];
	ssize_t n;

	while (out->len < 1024 * 1024 && (n = read(0, chunk, sizeof(chunk))) > 0) {
		ks_buf_add(out, chunk, (size_t)n);
	}
}

static void strings_of(struct ks_strings *out, const struct ks_json *array)
{
	for (const struct ks_json *n = ks_json_first(array); n != NULL; n = ks_json_next(n)) {
		ks_strings_add(out, ks_json_str(n, ""));
	}
}

static int create_from(const struct ks_json *doc, const struct ks_engine_programs *programs,
	struct ks_err *err)
{
	struct ks_strings problem = {0}, goal = {0}, set = {0}, permit = {0};

	strings_of(&problem, ks_json_get(doc, "problem"));
	strings_of(&goal, ks_json_get(doc, "goal"));
	strings_of(&set, ks_json_get(doc, "set"));
	strings_of(&permit, ks_json_get(doc, "permit"));
	const struct ks_create_options o = {
		.dir = ks_json_get_str(doc, "dir", ""),
		.problem = (const char *const *)problem.items, .n_problem = problem.count,
		.name = ks_json_get_str(doc, "name", NULL),
		.target = ks_json_get_str(doc, "target", "cpu"),
		.arch = ks_json_get_str(doc, "arch", NULL),
		.flags = ks_json_get_str(doc, "flags", NULL),
		.threads = (long)ks_json_get_int(doc, "threads", 1),
		.goal = (const char *const *)goal.items, .n_goal = goal.count,
		.agent = ks_json_get_str(doc, "agent", NULL),
		.base_url = ks_json_get_str(doc, "base_url", NULL),
		.key_env = ks_json_get_str(doc, "key_env", NULL),
		.mode = ks_json_get_str(doc, "mode", NULL),
		.held_out = ks_json_get_str(doc, "held_out", NULL),
		.yardstick = ks_json_get_str(doc, "yardstick", NULL),
		.yardstick_flags = ks_json_get_str(doc, "yardstick_flags", ""),
		.set = (const char *const *)set.items, .n_set = set.count,
		.permit = (const char *const *)permit.items, .n_permit = permit.count,
		.no_shim = ks_json_get_bool(doc, "no_shim", false),
		.programs = *programs
	};
	int rc = ks_engine_create(&o, err);
	ks_strings_fini(&problem);
	ks_strings_fini(&goal);
	ks_strings_fini(&set);
	ks_strings_fini(&permit);
	return rc;
}

/* A signal must not leave half a campaign behind: it waits until a compiler or the
 * judge runs, which ends then, and making with it (loop/run.h). */
static void hold_signals(void)
{
	sigset_t held;

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigprocmask(SIG_BLOCK, &held, NULL);
}

static int run_create(void)
{
	struct programs programs = {0};
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	struct ks_err err = KS_ERR_INIT;
	int rc = find_programs(&programs, &err);

	hold_signals();
	if (rc == 0) {
		read_stdin(&text);
		rc = ks_json_parse(&doc, text.ptr != NULL ? text.ptr : "", text.len, &err);
	}
	if (rc == 0) {
		programs.p.say = say;
		rc = create_from(doc, &programs.p, &err);
	}
	ks_json_free(doc);
	ks_buf_fini(&text);
	free_programs(&programs);
	if (rc < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return rc == KS_EBUILD ? KS_EXIT_BUILD :
			rc == KS_EINVAL ? KS_EXIT_USAGE : KS_EXIT_ENV;
	}
	return KS_EXIT_OK;
}

/* The CPU's probe with the first GPU's as a member of its own, or the reason why
 * there is none. */
static void print_probe(const struct ks_machine *cpu, const struct ks_machine *gpu, const char *why)
{
	struct ks_json *doc = NULL;
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	if (ks_json_parse(&doc, cpu->probe, strlen(cpu->probe), NULL) == 0) {
		for (const struct ks_json *n = ks_json_first(doc); n != NULL; n = ks_json_next(n)) {
			ks_jw_node(&w, ks_json_key(n), n);
		}
	}
	ks_json_free(doc);
	if (gpu->probe != NULL) {
		ks_jw_raw(&w, "gpu", ks_str_of(gpu->probe));
	} else {
		ks_jw_str(&w, "no_gpu", why);
	}
	ks_jw_close(&w);
	printf("%s\n", out.ptr);
	ks_buf_fini(&out);
}

/* Measures this machine anew and keeps it; its JSON goes to standard output. */
static int run_probe(void)
{
	struct programs programs = {0};
	struct ks_machine cpu = {0}, gpu = {0};
	struct ks_err err = KS_ERR_INIT, no_gpu = KS_ERR_INIT;
	int rc = find_programs(&programs, &err);

	if (rc == 0) {
		rc = ks_machine_measure(&cpu, &programs.p, &err);
	}
	if (rc == 0) {
		(void)ks_machine_measure_cuda(&gpu, true, &programs.p, &no_gpu);
		print_probe(&cpu, &gpu, no_gpu.msg);
	} else {
		fprintf(stderr, "%s\n", err.msg);
	}
	ks_machine_fini(&cpu);
	ks_machine_fini(&gpu);
	free_programs(&programs);
	return rc == 0 ? KS_EXIT_OK : KS_EXIT_ENV;
}

/* Reads a campaign's repository beside whatever engine has it, and changes nothing. */
static int run_diff(const char *dir, const char *a, const char *b)
{
	struct ks_repo *repo = NULL;
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	int rc = ks_repo_open(&repo, dir, &err);

	if (rc == 0) {
		rc = ks_repo_diff(repo, a, b, &text, NULL, &err);
	}
	if (rc == 0) {
		fwrite(text.len > 0 ? text.ptr : "", 1, text.len, stdout);
	} else {
		fprintf(stderr, "%s\n", err.msg);
	}
	ks_buf_fini(&text);
	ks_repo_free(repo);
	return rc == 0 && fflush(stdout) == 0 ? KS_EXIT_OK : KS_EXIT_ENV;
}

int main(int argc, char **argv)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none); /* a key would lie in it */
	signal(SIGPIPE, SIG_IGN);
	/* A file-size limit is an error of a write, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc >= 3 && strcmp(argv[1], "run") == 0) {
		return run_engine(argc - 2, argv + 2);
	}
	if (argc == 2 && strcmp(argv[1], "create") == 0) {
		return run_create();
	}
	if (argc == 2 && strcmp(argv[1], "probe") == 0) {
		return run_probe();
	}
	if (argc == 5 && strcmp(argv[1], "diff") == 0) {
		return run_diff(argv[2], argv[3], argv[4]);
	}
	fprintf(stderr, "kseek-engine is started by kseek; see 'kseek --help'\n");
	return KS_EXIT_USAGE;
}

/* The judge's tests: building, running, reading. */
#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "eval/build.h"

static pid_t start_argv(char *const argv[], int out_fd)
{
	pid_t pid = fork();
	if (pid == 0) {
		if (out_fd >= 0) {
			dup2(out_fd, STDOUT_FILENO);
		}
		execv(argv[0], argv);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

static int run_argv(char *const argv[], int out_fd)
{
	int status = 0;
	pid_t pid = start_argv(argv, out_fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void build(const char *source, const char *out, const char *define)
{
	struct ks_err err = KS_ERR_INIT;
	const char *sources[] = {source};
	const char *includes[] = {INCLUDE_DIR};
	char *flags = ks_asprintf("-O2 %s", define != NULL ? define : "");
	char **argv = NULL;
	struct ks_build_spec spec = {.target = "cpu", .flags = flags, .sources = sources,
		.nsources = 1, .includes = includes, .nincludes = 1, .out = out, .threads = 1};
	if (ks_build_argv(&argv, &spec, &err) != 0) {
		fail_msg("%s", err.msg);
	}
	int status = run_argv(argv, -1);
	ks_build_argv_free(argv);
	free(flags);
	if (status != 0) {
		fail_msg("cannot build %s", source);
	}
}

void setup_init(struct setup *s, const char *judge, const char *worker)
{
	char path[160];
	s->judge = judge;
	s->worker = worker;
	snprintf(s->dir, sizeof(s->dir), "/tmp/kseek-judge-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	setenv("XDG_RUNTIME_DIR", s->dir, 1);
	snprintf(path, sizeof(path), "%s/scratch", s->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/seed.so", s->dir);
	build(EVAL_DIR "/problem/seed.c", path, NULL);
	snprintf(path, sizeof(path), "%s/reference.so", s->dir);
	build(EVAL_DIR "/problem/reference.c", path, NULL);
}

void build_as(const struct setup *s, const char *source, const char *object)
{
	char from[160], to[160];
	snprintf(from, sizeof(from), EVAL_DIR "/candidates/%s", source);
	snprintf(to, sizeof(to), "%s/%s", s->dir, object);
	build(from, to, NULL);
}

void setup_fini(struct setup *s)
{
	ks_file_remove_tree(s->dir, NULL);
}

static void write_job(const char *path, const struct setup *s, const struct request *r)
{
	struct ks_buf job = {0};
	struct ks_err err = KS_ERR_INIT;
	ks_buf_addf(&job, "{\"v\":1,\"problem\":\"%s/problem\",\"target\":\"%s\",", EVAL_DIR,
		r->cuda != NULL ? "cuda" : "cpu");
	if (r->cuda != NULL) {
		ks_buf_addf(&job, "\"cuda\":\"%s\",", r->cuda);
	}
	ks_buf_addf(&job, "\"seed\":\"%s/seed.so\",\"reference\":\"%s/reference.so\",", s->dir,
		s->dir);
	ks_buf_addf(&job, "\"candidate\":\"%s/%s\",", s->dir,
		r->object != NULL ? r->object : "candidate.so");
	ks_buf_addf(&job, "\"worker\":\"%s\",", s->worker);
	ks_buf_addf(&job, "\"scratch\":\"%s/scratch\",\"perf\":%s,", s->dir,
		r->no_perf ? "false" : "true");
	ks_buf_addf(&job, "\"budget_ms\":%d,\"key\":\"00112233445566778899aabbccddeeff\",",
		r->budget_ms > 0 ? r->budget_ms : 300);
	if (r->scenarios != NULL) {
		ks_buf_addf(&job, "\"scenarios\":[%s],", r->scenarios);
	}
	ks_buf_addf(&job, "\"limits\":{\"mem_mb\":%d,\"call_ms\":%d},\"without\":[%s]%s}",
		r->mem_mb > 0 ? r->mem_mb : 1024, r->call_ms > 0 ? r->call_ms : 10000,
		r->without != NULL ? r->without : "", r->extra != NULL ? r->extra : "");
	assert_int_equal(ks_file_write(path, ks_buf_str(&job), 0600, &err), 0);
	ks_buf_fini(&job);
}

static void take_scenario(struct outcome *out, const struct ks_json *doc)
{
	struct scenario_line *s = &out->scenarios[out->count];
	assert_true(out->count < 16);
	snprintf(s->name, sizeof(s->name), "%s", ks_json_get_str(doc, "name", ""));
	snprintf(s->why, sizeof(s->why), "%s", ks_json_get_str(doc, "why", ""));
	snprintf(s->verdict, sizeof(s->verdict), "%s", ks_json_get_str(doc, "verdict", ""));
	s->correct = ks_json_get_bool(doc, "correct", false);
	s->disturbed = ks_json_get_bool(doc, "disturbed", false);
	s->speedup = ks_json_get_num(doc, "speedup", -1);
	s->lo = ks_json_get_num(doc, "lo", -1);
	s->hi = ks_json_get_num(doc, "hi", -1);
	s->error_ratio = ks_json_get_num(doc, "error_ratio", -1);
	s->seed_us = ks_json_get_num(doc, "seed_us", -1);
	s->cand_us = ks_json_get_num(doc, "cand_us", -1);
	snprintf(s->no_yard, sizeof(s->no_yard), "%s", ks_json_get_str(doc, "no_yard", ""));
	s->yard_speedup = ks_json_get_num(doc, "yard_speedup", -1);
	s->pairs = (int)ks_json_get_int(doc, "pairs", -1);
	snprintf(s->device, sizeof(s->device), "%s", ks_json_get_str(doc, "device", ""));
	snprintf(s->kernels, sizeof(s->kernels), "%s", ks_json_get_str(doc, "kernels", ""));
	s->launches = (int)ks_json_get_int(doc, "launches_cand", -1);
	s->event_us = ks_json_get_num(doc, "event_cand_us", -1);
	out->count++;
}

static void take_calls(struct outcome *out, const struct ks_json *doc)
{
	struct ks_str twins = ks_str_of(ks_json_get_str(doc, "calls", "")), twin, pair;
	while (ks_str_next(&twins, ';', &twin)) {
		while (ks_str_next(&twin, ',', &pair)) {
			int seed = 0, cand = 0;
			for (size_t i = 0; i < pair.len; i++) {
				seed += pair.ptr[i] == 's';
				cand += pair.ptr[i] == 'c';
			}
			assert_true(pair.len == 0 || (seed > 0 && cand > 0 && seed + cand <= 3));
			out->twice[0] += seed == 2;
			out->twice[1] += cand == 2;
		}
	}
}

static void take_line(struct outcome *out, const struct ks_json *doc)
{
	const char *type = ks_json_get_str(doc, "type", "");
	if (strcmp(type, "scenario") == 0) {
		take_scenario(out, doc);
	} else if (strcmp(type, "evidence") == 0 && out->nevidence < 16) {
		snprintf(out->evidence[out->nevidence++], 32, "%s",
			ks_json_get_str(doc, "trigger", ""));
	} else if (strcmp(type, "note") == 0) {
		size_t used = strlen(out->notes);
		snprintf(out->notes + used, sizeof(out->notes) - used, "%s\n",
			ks_json_get_str(doc, "text", ""));
	} else if (strcmp(type, "calls") == 0) {
		take_calls(out, doc);
	} else if (strcmp(type, "error") == 0) {
		snprintf(out->error, sizeof(out->error), "%s", ks_json_get_str(doc, "text", ""));
	} else if (strcmp(type, "done") == 0) {
		out->done = true;
		out->geomean = ks_json_get_num(doc, "geomean", -1);
		snprintf(out->code_hash, sizeof(out->code_hash), "%s",
			ks_json_get_str(doc, "code_hash", ""));
	}
}

static void read_lines(struct outcome *out, const char *path)
{
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_str rest, line;
	assert_int_equal(ks_file_read(&text, path, (size_t)8 << 20, &err), 0);
	rest = ks_buf_str(&text);
	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_json *doc = NULL;
		if (line.len == 0) {
			continue;
		}
		if (ks_json_parse(&doc, line.ptr, line.len, &err) != 0) {
			fail_msg("not JSON: %.*s", KS_FMT(line));
		}
		take_line(out, doc);
		ks_json_free(doc);
	}
	ks_buf_fini(&text);
}

pid_t start_request(const struct setup *s, const struct request *r)
{
	char source[512], object[160], job[160], lines[160];
	snprintf(source, sizeof(source), r->source[0] == '/' ? "%s" : EVAL_DIR "/candidates/%s",
		r->source);
	snprintf(object, sizeof(object), "%s/candidate.so", s->dir);
	snprintf(job, sizeof(job), "%s/job.json", s->dir);
	snprintf(lines, sizeof(lines), "%s/lines", s->dir);
	build(source, object, r->define);
	write_job(job, s, r);
	int fd = open(lines, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	char *argv[] = {(char *)(uintptr_t)s->judge, job, NULL};
	pid_t pid = start_argv(argv, fd);
	close(fd);
	return pid;
}

bool has_written(const struct setup *s, const char *text)
{
	char path[160];
	bool found = false;
	snprintf(path, sizeof(path), "%s/lines", s->dir);
	for (int i = 0; i < 3000 && !found; i++) {
		struct ks_buf lines = {0};
		found = ks_file_read(&lines, path, (size_t)8 << 20, NULL) == 0 &&
			lines.len > 0 && strstr(lines.ptr, text) != NULL;
		ks_buf_fini(&lines);
		usleep(found ? 0 : 20000);
	}
	return found;
}

void finish_request(struct outcome *out, const struct setup *s, pid_t judge)
{
	char lines[160];
	int status = 0;
	*out = (struct outcome){.count = 0};
	snprintf(lines, sizeof(lines), "%s/lines", s->dir);
	assert_int_equal(waitpid(judge, &status, 0), judge);
	out->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	read_lines(out, lines);
}

void run_request(struct outcome *out, const struct setup *s, const struct request *r)
{
	finish_request(out, s, start_request(s, r));
}

static bool mentions(const char *path, const char *word)
{
	char text[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
	if (fd >= 0) {
		close(fd);
	}
	return n > 0 && memmem(text, (size_t)n, word, strlen(word)) != NULL;
}

/* The next process whose command line holds both words; 0 at the end. */
static pid_t next_process(DIR *dir, const char *a, const char *b)
{
	for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
		char path[300];
		snprintf(path, sizeof(path), "/proc/%s/cmdline", e->d_name);
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
		if (pid > 0 && pid != getpid() && mentions(path, a) && mentions(path, b)) {
			return pid;
		}
	}
	return 0;
}

int count_processes(const struct setup *s)
{
	int count = 0;
	DIR *dir = opendir("/proc");
	assert_non_null(dir);
	while (next_process(dir, s->dir, s->dir) > 0) {
		count++;
	}
	closedir(dir);
	return count;
}

int kill_worker(const struct setup *s, const char *library)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/%s", s->dir, library);
	DIR *dir = opendir("/proc");
	assert_non_null(dir);
	pid_t pid = next_process(dir, "kseek-worker", path);
	closedir(dir);
	return pid > 0 && kill(pid, SIGKILL) == 0;
}

/*
 * Strays: processes of the agent that use a core, or hold the GPU, while a
 * candidate is timed. A benchmark that was left running spoils the figures, so
 * it is found, told, and stands in the evaluation. This engine is a subreaper:
 * whatever the agent started, and whoever its parents were, is below it.
 */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/sane.h"
#include "engine/internal.h"
#include "loop/proc.h"

#define SAMPLE_MS 500
#define SHARE 0.2     /* of a core, over the whole of it: less is waiting, not working */
#define LOOKS_LEAST 4 /* before it counts how often it wanted one */
#define LEAST_US 500000 /* of measuring, before a share says anything */
#define STRAYS_MAX 64
#define TOLD_MAX 8

struct stray {
	pid_t pid;
	uint64_t started;
	uint64_t from, to;  /* ticks of processor time: at first sight, and last */
	unsigned looks, wanting; /* judge and worker are preferred: it may get little */
	bool gpu;
};

struct ks_strays {
	struct ks_engine *e;
	struct ks_evaluation *ev;
	struct ks_timer *timer;
	int64_t begun_us;
	struct stray list[STRAYS_MAX];
	size_t n;
};

/* Whether it has a file of the GPU open. */
static bool holds_gpu(pid_t pid)
{
	char path[64], target[64];
	struct dirent *entry;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = 0;
		found = strncmp(target, "/dev/nvidia", 11) == 0 &&
			strcmp(target, "/dev/nvidiactl") != 0;
	}
	if (dir != NULL) {
		closedir(dir);
	}
	return found;
}

static void look_at(struct ks_strays *s, const struct ks_proc *p, bool first)
{
	struct stray *known = NULL;

	for (size_t i = 0; i < s->n && known == NULL; i++) {
		if (s->list[i].pid == p->pid && s->list[i].started == p->started) {
			known = &s->list[i];
		}
	}
	if (known == NULL) {
		if (s->n == STRAYS_MAX) {
			return;
		}
		known = &s->list[s->n++];
		/* One that began meanwhile has used all of it while we measured. */
		*known = (struct stray){.pid = p->pid, .started = p->started,
			.from = first ? p->ticks : 0};
	}
	known->to = p->ticks;
	known->looks++;
	known->wanting += p->state == 'R';
	if (s->e->campaign.target == KS_TARGET_CUDA && !known->gpu) {
		known->gpu = holds_gpu(p->pid);
	}
}

static void sample(struct ks_strays *s, bool first)
{
	struct ks_proc *list = NULL;
	size_t count = 0;
	pid_t judge = s->ev->child != NULL ? ks_child_pid(s->ev->child) : 0;
	pid_t self = getpid();

	if (ks_proc_list(&list, &count, NULL) < 0) {
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct ks_proc *p = &list[i];
		if (p->state != 'Z' && p->pid != self &&
			ks_proc_below(list, count, p->pid, self) &&
			(judge == 0 || !ks_proc_below(list, count, p->pid, judge))) {
			look_at(s, p, first);
		}
	}
	free(list);
}

static void on_sample(void *ctx)
{
	struct ks_strays *s = ctx;

	sample(s, false);
	ks_timer_arm(s->timer, SAMPLE_MS);
}

struct ks_strays *ks_strays_begin(struct ks_evaluation *ev)
{
	struct ks_strays *s;

	if (!ev->perf || ev->engine->agent == NULL) {
		return NULL;
	}
	s = ks_zalloc(1, sizeof(*s));
	s->e = ev->engine;
	s->ev = ev;
	s->begun_us = ks_clock_mono_us();
	s->timer = ks_timer_new(s->e->loop, on_sample, s);
	sample(s, true);
	ks_timer_arm(s->timer, SAMPLE_MS);
	return s;
}

static void name_of(char *out, size_t size, pid_t pid)
{
	char path[64];
	char raw[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	FILE *f = fopen(path, "re");
	if (f != NULL) {
		if (fgets(raw, sizeof(raw), f) == NULL) {
			raw[0] = 0;
		}
		fclose(f);
	}
	ks_sane_into(out, size,
		ks_str_trim(ks_str_of(raw[0] != 0 ? raw : "a process that has ended")),
		KS_SANE_ONE_LINE);
}

/* Adds those that count to the evaluation's fields, and tells of them. */
void ks_strays_end(struct ks_strays *s, struct ks_jw *w)
{
	if (s == NULL) {
		return;
	}
	sample(s, false);
	double us = (double)(ks_clock_mono_us() - s->begun_us);
	double tick_us = 1e6 / (double)sysconf(_SC_CLK_TCK);
	size_t told = 0;
	for (size_t i = 0; i < s->n && told < TOLD_MAX && us >= LEAST_US; i++) {
		const struct stray *p = &s->list[i];
		double share = (double)(p->to - p->from) * tick_us / us;
		char name[40];
		bool eager = p->looks >= LOOKS_LEAST && 2 * p->wanting >= p->looks;
		if (share < SHARE && !eager && !p->gpu) {
			continue;
		}
		name_of(name, sizeof(name), p->pid);
		if (told++ == 0) {
			ks_jw_open_array(w, "strays");
		}
		ks_jw_open(w, NULL);
		ks_jw_int(w, "pid", p->pid);
		ks_jw_str(w, "name", name);
		ks_jw_num(w, "cores", share);
		ks_jw_bool(w, "gpu", p->gpu);
		ks_jw_close(w);
		ks_buf_addf(&s->ev->strays, "%s%s (pid %d) of the agent used %.2f of a core%s",
			told > 1 ? "; " : "", name, (int)p->pid, share,
			p->gpu ? " and had the GPU open" : "");
	}
	if (told > 0) {
		ks_jw_close_array(w);
	}
}

void ks_strays_free(struct ks_strays *s)
{
	if (s != NULL) {
		ks_timer_free(s->timer);
		free(s);
	}
}

/* Choosing processors by what /sys says about them. */
#include "eval/cpus.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "eval/lock.h"

static bool read_text(char *out, size_t size, int cpu, const char *what)
{
	char path[128];
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return false;
	}
	ssize_t n = read(fd, out, size - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static long speed_of(int cpu)
{
	char text[64];
	return read_text(text, sizeof(text), cpu, "cpufreq/cpuinfo_max_freq") ?
		strtol(text, NULL, 10) : 0;
}

/* Does a list like "0,4-6" hold n? */
static bool list_holds(const char *list, int n)
{
	struct ks_str rest = ks_str_of(list), part;
	while (ks_str_next(&rest, ',', &part)) {
		char text[32], *end = text;
		snprintf(text, sizeof(text), "%.*s", KS_FMT(part));
		long low = strtol(text, &end, 10);
		long high = *end == '-' ? strtol(end + 1, NULL, 10) : low;
		if (end != text && n >= low && n <= high) {
			return true;
		}
	}
	return false;
}

static bool same_core(int a, int b)
{
	char text[128];
	return read_text(text, sizeof(text), a, "topology/thread_siblings_list") &&
		list_holds(text, b);
}

/* All of `threads` processors from first on are ours. */
static bool row_is_ours(const cpu_set_t *set, int first, int threads)
{
	for (int i = 0; i < threads; i++) {
		if (first + i >= CPU_SETSIZE || !CPU_ISSET((size_t)(first + i), set)) {
			return false;
		}
	}
	return true;
}

/* The last row of the fastest processors. */
static int choose_worker(const cpu_set_t *set, int threads)
{
	int best = -1;
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (row_is_ours(set, i, threads) && (best < 0 || speed_of(i) >= speed_of(best))) {
			best = i;
		}
	}
	return best;
}

static int choose_judge(const cpu_set_t *set, int worker, int threads, bool other_core)
{
	for (int i = 0; i < CPU_SETSIZE; i++) {
		bool free_one = CPU_ISSET((size_t)i, set) && (i < worker || i >= worker + threads);
		for (int k = 0; free_one && other_core && k < threads; k++) {
			free_one = !same_core(worker + k, i);
		}
		if (free_one) {
			return i;
		}
	}
	return -1;
}

static void choose_from(struct ks_cpus *out, const cpu_set_t *set, int threads)
{
	out->worker = out->judge = -1;
	out->apart = false;
	int worker = CPU_COUNT(set) > threads ? choose_worker(set, threads) : -1;
	if (worker < 0) {
		return;
	}
	int judge = choose_judge(set, worker, threads, true);
	judge = judge >= 0 ? judge : choose_judge(set, worker, threads, false);
	if (judge >= 0) {
		out->worker = worker;
		out->judge = judge;
		out->apart = true;
	}
}

/* Locks one; false: another judge measures there. Where locks cannot be had at all
 * it is ours without. */
static bool lock_one(struct ks_cpus *c, int cpu)
{
	char name[48];
	bool busy = false;
	snprintf(name, sizeof(name), "kseek-processor-%d", cpu);
	int fd = ks_lock_try(name, &busy);
	if (fd >= 0) {
		c->locks[c->nlocks++] = fd;
	}
	return !busy;
}

static void unlock(struct ks_cpus *c)
{
	while (c->nlocks > 0) {
		close(c->locks[--c->nlocks]);
	}
}

/* Locks what was chosen. Else it has none, and *set lacks those that are taken. */
static bool lock_chosen(struct ks_cpus *c, int threads, cpu_set_t *set)
{
	bool all = true;
	for (int k = 0; k <= threads && all; k++) {
		int cpu = k < threads ? c->worker + k : c->judge;
		if (!lock_one(c, cpu)) {
			CPU_CLR((size_t)cpu, set);
			all = false;
		}
	}
	if (!all) {
		unlock(c);
	}
	return all;
}

void ks_cpus_take(struct ks_cpus *out, int threads)
{
	*out = (struct ks_cpus){.worker = -1, .judge = -1};
	if (sched_getaffinity(0, sizeof(out->all), &out->all) != 0) {
		return;
	}
	cpu_set_t set = out->all;
	out->rest = out->all;
	out->locks = ks_zalloc((size_t)threads + 1, sizeof(out->locks[0]));
	do {
		choose_from(out, &set, threads);
	} while (out->apart && !lock_chosen(out, threads, &set));
	for (int k = 0; out->apart && k < threads; k++) {
		CPU_CLR((size_t)(out->worker + k), &out->rest);
	}
	if (out->apart) {
		CPU_CLR((size_t)out->judge, &out->rest);
		ks_cpus_pin(out->judge);
	}
}

void ks_cpus_give_back(struct ks_cpus *cpus)
{
	unlock(cpus);
	free(cpus->locks);
	if (CPU_COUNT(&cpus->all) > 0) {
		sched_setaffinity(0, sizeof(cpus->all), &cpus->all);
	}
	*cpus = (struct ks_cpus){.worker = -1, .judge = -1};
}

void ks_cpus_pin(int cpu)
{
	cpu_set_t set;
	if (cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
	}
}

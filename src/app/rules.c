/* The rules: see rules.h. Looked at once, at the start. */
#include "app/rules.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/bank_files.h"
#include "app/outcomes.h"
#include "app/paths.h"
#include "base/file.h"
#include "base/mem.h"
#include "store/campaign.h"

#define HAS_MAX 8
#define VALUES_MAX 8

struct ks_rules {
	struct ks_policy policy;
	struct ks_bank *bank;
	struct ks_claim_set *claims;
	struct ks_outcomes outcomes;
	struct ks_str has[HAS_MAX];
	struct ks_bank_value values[VALUES_MAX];
	char numbers[VALUES_MAX][24];
};

static bool in_path(const char *program)
{
	char *path = ks_paths_which(program);
	bool found = path != NULL;

	free(path);
	return found;
}

/* Virtual machines often have no counters: ask for one. */
static bool counters_work(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0) {
		return false;
	}
	close((int)fd);
	return true;
}

/* ncu, and the right to read the GPU's counters. */
static bool gpu_counters_work(void)
{
	char *ncu = ks_paths_which("ncu");
	struct ks_buf text = {0};
	bool work = ncu != NULL || ks_file_exists("/usr/local/cuda/bin/ncu");

	work = work && ks_file_read(&text, "/proc/driver/nvidia/params", 65536, NULL) == 0 &&
		(getuid() == 0 ||
			ks_str_find(ks_buf_str(&text), KS_STR("RmProfilingAdminOnly: 0")) >= 0);
	free(ncu);
	ks_buf_fini(&text);
	return work;
}

static void look_around(struct ks_rules *r)
{
	size_t n = 0;
	char *tracer = ks_paths_timeline();

	if (in_path("perf")) {
		r->has[n++] = KS_STR("perf");
		if (counters_work()) {
			r->has[n++] = KS_STR("hw_counters");
		}
	}
	if (gpu_counters_work()) {
		r->has[n++] = KS_STR("gpu_counters");
	}
	if (tracer != NULL || in_path("nsys")) {
		r->has[n++] = KS_STR("timeline");
	}
	if (getuid() == 0) {
		r->has[n++] = KS_STR("root");
	}
	if (in_path("valgrind")) {
		r->has[n++] = KS_STR("valgrind");
	}
	if (in_path("strace")) {
		r->has[n++] = KS_STR("strace");
	}
	free(tracer);
	r->policy.has = r->has;
	r->policy.n_has = n;
}

static void add_value(struct ks_rules *r, const char *key, long number)
{
	size_t n = r->policy.n_values;

	if (number > 0 && n < VALUES_MAX) {
		snprintf(r->numbers[n], sizeof(r->numbers[n]), "%ld", number);
		r->values[n] = (struct ks_bank_value){ks_str_of(key), ks_str_of(r->numbers[n])};
		r->policy.n_values = n + 1;
	}
}

static void measure_around(struct ks_rules *r)
{
	r->policy.values = r->values;
	add_value(r, "cores", sysconf(_SC_NPROCESSORS_ONLN));
	add_value(r, "page_bytes", sysconf(_SC_PAGESIZE));
#ifdef _SC_LEVEL1_DCACHE_SIZE
	add_value(r, "l1_bytes", sysconf(_SC_LEVEL1_DCACHE_SIZE));
	add_value(r, "llc_bytes", sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
}

/* Takes the bank. */
static int open_with(struct ks_rules **out, struct ks_bank *bank, struct ks_err *err)
{
	struct ks_rules *r = ks_zalloc(1, sizeof(*r));
	int rc;

	ks_policy_default(&r->policy);
	r->bank = bank;
	r->claims = ks_claim_set_new();
	rc = ks_outcomes_read(&r->outcomes, err);
	if (rc < 0) {
		ks_rules_free(r);
		return rc;
	}
	r->policy.bank = r->bank;
	r->policy.claims = r->claims;
	r->policy.payoffs = r->outcomes.item;
	r->policy.n_payoffs = r->outcomes.count;
	look_around(r);
	measure_around(r);
	*out = r;
	return 0;
}

int ks_rules_open(struct ks_rules **out, struct ks_err *err)
{
	struct ks_bank *bank = NULL;
	int rc = ks_bank_open(&bank, err);

	return rc == 0 ? open_with(out, bank, err) : rc;
}

int ks_rules_open_for(struct ks_rules **out, const char *campaign, struct ks_err *err)
{
	struct ks_bank *bank = NULL;
	int rc = ks_bank_open_for(&bank, campaign, err);

	return rc == 0 ? open_with(out, bank, err) : rc;
}

int ks_rules_open_at(struct ks_rules **out, const char *path, struct ks_err *err)
{
	char *dir, *root = NULL;
	int rc;

	if (path == NULL) {
		return ks_rules_open(out, err);
	}
	dir = ks_file_is_dir(path) ? ks_strdup(path) : ks_path_dir(path);
	rc = ks_campaign_find(&root, dir, NULL) == 0 ? ks_rules_open_for(out, root, err)
		: ks_rules_open_for(out, NULL, err);
	free(root);
	free(dir);
	return rc;
}

void ks_rules_free(struct ks_rules *r)
{
	if (r == NULL) {
		return;
	}
	ks_bank_free(r->bank);
	ks_claim_set_free(r->claims);
	ks_outcomes_fini(&r->outcomes);
	free(r);
}

const struct ks_policy *ks_rules_policy(const struct ks_rules *rules)
{
	return &rules->policy;
}

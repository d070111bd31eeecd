/* Several devices at once: threads, and what a device that fails leaves behind. */
#include "base/mem.h"
#include "eval/lane.h"
#include "eval/lines.h"

/* What a failed device was judging is nobody's again, but for what is told. */
static void give_back(const struct ks_lane *l)
{
	struct ks_work *work = l->work;
	pthread_mutex_lock(&work->mutex);
	for (size_t i = 0; i < work->count; i++) {
		struct ks_result *r = &work->results[i];
		if (work->owner[i] == l->index && !r->told) {
			size_t index = r->index;
			ks_result_fini(r);
			ks_result_init(r, work->cases[i], index);
			work->owner[i] = -1;
		}
	}
	pthread_mutex_unlock(&work->mutex);
}

/* One of several: what it leaves behind, another takes while it still checks. */
static void *run_in_thread(void *arg)
{
	struct ks_lane *l = arg;
	if (ks_lane_run(l) != 0) {
		give_back(l);
		ks_lines_warn("a GPU is left out: %s", l->err.msg);
	}
	return NULL;
}

/* One lane for each GPU that the job names, or that there is. */
static int make_lanes(struct ks_lane **out, size_t *out_count, struct ks_work *work,
	struct ks_err *err)
{
	const struct ks_job *job = work->job;
	char found[KS_LANES_MAX][KS_UUID_MAX];
	size_t n = 1;
	bool listed = job->cuda != NULL && job->ndevices > 0;
	if (job->cuda != NULL && !listed) {
		int code = ks_device_list(&n, found, KS_LANES_MAX, job->cuda, err);
		if (code != 0) {
			return code;
		}
	} else if (listed) {
		n = job->ndevices < KS_LANES_MAX ? job->ndevices : KS_LANES_MAX;
	}
	n = n < work->count ? n : work->count;
	*out = ks_zalloc(n, sizeof(**out));
	*out_count = n;
	for (size_t i = 0; i < n; i++) {
		struct ks_lane *l = &(*out)[i];
		l->work = work;
		l->index = (int)i;
		l->job = *job;
		if (job->cuda != NULL) {
			const char *uuid = listed ? job->devices[i] : found[i];
			snprintf(l->uuid, sizeof(l->uuid), "%.*s", KS_UUID_MAX - 1, uuid);
		}
	}
	return 0;
}

/* A lane alone works in our thread. */
static void run_pass(struct ks_lane *lanes, size_t count)
{
	pthread_t threads[KS_LANES_MAX];
	bool started[KS_LANES_MAX] = {false};
	size_t living = 0;
	for (size_t i = 0; i < count; i++) {
		living += lanes[i].code == 0;
	}
	for (size_t i = 0; i < count; i++) {
		lanes[i].alone = living == 1;
		started[i] = lanes[i].code == 0 && living > 1 &&
			pthread_create(&threads[i], NULL, run_in_thread, &lanes[i]) == 0;
	}
	for (size_t i = 0; i < count; i++) {
		if (started[i]) {
			pthread_join(threads[i], NULL);
		} else if (lanes[i].code == 0 && living == 1) {
			ks_lane_run(&lanes[i]);
		} else if (lanes[i].code == 0) {
			run_in_thread(&lanes[i]); /* there was no thread for it */
		}
	}
}

/* Whether a device is left. Else why the last one failed; or what is the problem's
 * own fault, which each device would meet. */
static int look_at_lanes(const struct ks_lane *lanes, size_t count, struct ks_err *err)
{
	const struct ks_lane *why = NULL;
	bool living = false;
	for (size_t i = 0; i < count; i++) {
		const struct ks_lane *l = &lanes[i];
		living = living || l->code == 0;
		if (l->code != 0 && (why == NULL || why->code != KS_EINVAL)) {
			why = l;
		}
	}
	if (why != NULL && (!living || why->code == KS_EINVAL)) {
		return ks_err_set(err, why->code, "%s", why->err.msg);
	}
	return 0;
}

static bool some_left(const struct ks_work *work)
{
	for (size_t i = 0; i < work->count; i++) {
		if (work->owner[i] < 0) {
			return true;
		}
	}
	return false;
}

int ks_lanes_run(struct ks_lane **out, size_t *out_count, struct ks_work *work,
	struct ks_err *err)
{
	*out = NULL;
	*out_count = 0;
	int code = make_lanes(out, out_count, work, err);
	while (code == 0 && some_left(work)) {
		run_pass(*out, *out_count);
		code = look_at_lanes(*out, *out_count, err);
	}
	return code;
}

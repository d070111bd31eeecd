/* The GPU in a worker. Links nothing but libc and libdl. */
#include "eval/worker_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool say(char *text, const char *what, const char *why)
{
	snprintf(text, KS_WORKER_TEXT, "%s: %s", what, why);
	return false;
}

bool ks_worker_device_open(struct ks_worker_device *d, const char *library, const char *cupti,
	const struct ks_ctl *ctl, char *text)
{
	char why[KS_CUDA_TEXT] = "";
	void *lib = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
	if (lib == NULL) {
		return say(text, "GPU", dlerror());
	}
	ks_cuda_api_fn ask = NULL;
	void *found = dlsym(lib, "ks_cuda_api");
	memcpy(&ask, &found, sizeof(ask));
	const struct ks_cuda_api *api = ask != NULL ? ask() : NULL;
	if (api == NULL || api->version != KS_CUDA_API_VERSION) {
		return say(text, "GPU", "the library is of another version");
	}
	if (api->side_open(&d->side, ctl->handles, cupti, why) != 0) {
		return say(text, "GPU", why);
	}
	d->api = api;
	d->trace = cupti != NULL;
	d->stream = api->side_stream(d->side);
	for (unsigned i = 0; i < 2; i++) {
		d->base[i] = api->side_base(d->side, i);
	}
	return true;
}

void ks_worker_device_arm(const struct ks_worker_device *d, bool flush)
{
	d->api->side_arm(d->side, flush);
	if (d->trace) {
		d->api->side_trace_start(d->side);
	}
}

static void take_trace(const struct ks_worker_device *d, struct ks_ctl *ctl)
{
	struct ks_cuda_trace trace;
	ctl->launches = UINT32_MAX;
	if (d->api->side_trace_stop(d->side, &trace) != 0) {
		return;
	}
	ctl->launches = trace.launches;
	ctl->transfers = trace.copies + trace.fills;
	ctl->span_ns = trace.span_ns;
	ctl->busy_ns = trace.busy_ns;
	snprintf(ctl->names, sizeof(ctl->names), "%s", trace.names);
}

void ks_worker_device_finish(const struct ks_worker_device *d, int waited, bool events,
	struct ks_ctl *ctl)
{
	char why[KS_CUDA_TEXT] = "";
	double event_ns = 0;
	if (d->api->side_finish(d->side, waited, &event_ns, why) != 0) {
		snprintf(ctl->text, sizeof(ctl->text), "%s", why);
		ctl->status = 1;
		return;
	}
	ctl->event_ns = events ? event_ns : 0;
	if (d->trace) {
		take_trace(d, ctl);
	}
}

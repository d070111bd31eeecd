/* NVML by name; prototypes and numbers are those of NVIDIA's nvml.h. */
#include "eval/nvml.h"

#include <dlfcn.h>

#include "base/clock.h"
#include "base/mem.h"

#define AGE_US 10000
#define CLOCK_SM 1
#define REASONS_BAD (0x4u | 0x8u | 0x20u | 0x40u | 0x80u)

struct ks_nvml {
	void *lib;
	void *device;
	int (*clock)(void *device, int type, unsigned *mhz);
	int (*why)(void *device, unsigned long long *reasons);
	int (*shutdown)(void);
	int64_t at_us;
	struct ks_nvml_state last;
};

static void take(void *function_pointer, void *lib, const char *name)
{
	void *found = dlsym(lib, name);
	memcpy(function_pointer, &found, sizeof(found));
}

static void *load(const char *folder)
{
	void *lib = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (lib == NULL && folder[0] != '\0') {
		char *path = ks_asprintf("%s/libnvidia-ml.so.1", folder);
		lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		free(path);
	}
	return lib;
}

int ks_nvml_open(struct ks_nvml **out, const char *uuid, const char *folder,
	struct ks_err *err)
{
	struct ks_nvml *n = ks_zalloc(1, sizeof(*n));
	int (*init)(void) = NULL;
	int (*by_uuid)(const char *, void **) = NULL;
	n->lib = load(folder);
	if (n->lib == NULL) {
		free(n);
		return ks_err_set(err, KS_EUNSUPPORTED, "libnvidia-ml.so.1 cannot be loaded");
	}
	take(&init, n->lib, "nvmlInit_v2");
	take(&by_uuid, n->lib, "nvmlDeviceGetHandleByUUID");
	take(&n->clock, n->lib, "nvmlDeviceGetClockInfo");
	take(&n->why, n->lib, "nvmlDeviceGetCurrentClocksThrottleReasons");
	if (n->why == NULL) {
		take(&n->why, n->lib, "nvmlDeviceGetCurrentClocksEventReasons");
	}
	int code = init == NULL || by_uuid == NULL ? -1 : init();
	if (code == 0) {
		take(&n->shutdown, n->lib, "nvmlShutdown");
		code = by_uuid(uuid, &n->device);
	}
	if (code != 0) {
		ks_nvml_close(n);
		return ks_err_set(err, KS_EUNSUPPORTED, "NVML does not know GPU %s (error %d)",
			uuid, code);
	}
	*out = n;
	return 0;
}

void ks_nvml_close(struct ks_nvml *n)
{
	if (n == NULL) {
		return;
	}
	if (n->shutdown != NULL) {
		n->shutdown();
	}
	dlclose(n->lib);
	free(n);
}

void ks_nvml_look(struct ks_nvml *n, struct ks_nvml_state *out)
{
	int64_t now = ks_clock_mono_us();
	unsigned long long reasons = 0;
	unsigned mhz = 0;
	if (n->at_us == 0 || now - n->at_us >= AGE_US) {
		bool known = n->clock != NULL && n->clock(n->device, CLOCK_SM, &mhz) == 0;
		bool told = n->why != NULL && n->why(n->device, &reasons) == 0;
		n->last.sm_mhz = known ? mhz : 0;
		n->last.reasons = told ? reasons : 0;
		n->last.throttled = told && (reasons & REASONS_BAD) != 0;
		n->at_us = ks_clock_mono_us();
	}
	*out = n->last;
}

/* NVML by name; prototypes and numbers are those of NVIDIA's nvml.h. */
#include "eval/nvml.h"

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

#include "base/mem.h"

#define EVERY_MS 500
#define CLOCK_SM 1
#define REASONS_BAD (0x4u | 0x8u | 0x20u | 0x40u | 0x80u)

struct ks_nvml {
	void *lib;
	void *device;
	int (*clock)(void *device, int type, unsigned *mhz);
	int (*why)(void *device, unsigned long long *reasons);
	int (*shutdown)(void);
	pthread_t thread;
	bool running;
	pthread_mutex_t mutex; /* over last and stop */
	pthread_cond_t wake;
	bool stop;
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

static struct ks_nvml_state read_now(const struct ks_nvml *n)
{
	unsigned long long reasons = 0;
	unsigned mhz = 0;
	bool known = n->clock != NULL && n->clock(n->device, CLOCK_SM, &mhz) == 0;
	bool told = n->why != NULL && n->why(n->device, &reasons) == 0;
	return (struct ks_nvml_state){.sm_mhz = known ? mhz : 0, .reasons = told ? reasons : 0,
		.throttled = told && (reasons & REASONS_BAD) != 0};
}

static void *keep_reading(void *arg)
{
	struct ks_nvml *n = arg;
	pthread_mutex_lock(&n->mutex);
	while (!n->stop) {
		struct timespec until;
		pthread_mutex_unlock(&n->mutex);
		struct ks_nvml_state now = read_now(n);
		pthread_mutex_lock(&n->mutex);
		n->last = now;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += EVERY_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		if (!n->stop) {
			pthread_cond_timedwait(&n->wake, &n->mutex, &until);
		}
	}
	pthread_mutex_unlock(&n->mutex);
	return NULL;
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
	pthread_mutex_init(&n->mutex, NULL);
	pthread_cond_init(&n->wake, NULL);
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
	n->running = pthread_create(&n->thread, NULL, keep_reading, n) == 0;
	*out = n;
	return 0;
}

void ks_nvml_close(struct ks_nvml *n)
{
	if (n == NULL) {
		return;
	}
	if (n->running) {
		pthread_mutex_lock(&n->mutex);
		n->stop = true;
		pthread_cond_signal(&n->wake);
		pthread_mutex_unlock(&n->mutex);
		pthread_join(n->thread, NULL);
	}
	if (n->shutdown != NULL) {
		n->shutdown();
	}
	pthread_cond_destroy(&n->wake);
	pthread_mutex_destroy(&n->mutex);
	dlclose(n->lib);
	free(n);
}

void ks_nvml_look(struct ks_nvml *n, struct ks_nvml_state *out)
{
	pthread_mutex_lock(&n->mutex);
	*out = n->last;
	pthread_mutex_unlock(&n->mutex);
}

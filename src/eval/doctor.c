/* Guards by name. */
#include "eval/doctor.h"

#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "eval/arena.h"
#include "eval/flush.h"
#include "eval/host.h"
#include "eval/nvml.h"
#include "eval/watch.h"

struct wall {
	bool guard; /* a bit of enum ks_guard, else of enum ks_contain */
	unsigned bit;
	enum ks_check check;
	const char *name;
};

static const struct wall walls[] = {
	{false, KS_CONTAIN_USER, KS_CHECK_NAMESPACES, "user namespace"},
	{false, KS_CONTAIN_MOUNT, KS_CHECK_NAMESPACES, "mount namespace"},
	{false, KS_CONTAIN_PID, KS_CHECK_NAMESPACES, "pid namespace"},
	{false, KS_CONTAIN_IPC, KS_CHECK_NAMESPACES, "ipc namespace"},
	{false, KS_CONTAIN_NET, KS_CHECK_NAMESPACES, "net namespace"},
	{false, KS_CONTAIN_READONLY, KS_CHECK_FILES, "read-only file systems"},
	{true, KS_GUARD_FILES, KS_CHECK_FILES, "Landlock"},
	{true, KS_GUARD_SYSCALLS, KS_CHECK_SYSCALLS, "seccomp filter"},
	{true, KS_GUARD_MDWE, KS_CHECK_MDWE, "memory-deny-write-execute"},
};
#define NWALLS (sizeof(walls) / sizeof(walls[0]))

static bool stands(const struct wall *w, unsigned contained, unsigned guards)
{
	return ((w->guard ? guards : contained) & w->bit) != 0;
}

void ks_doctor_missing(struct ks_buf *out, unsigned contained, unsigned guards,
	const struct ks_checks *checks)
{
	for (size_t i = 0; i < NWALLS; i++) {
		if (ks_check_on(checks, walls[i].check) && !stands(&walls[i], contained, guards)) {
			ks_buf_addf(out, "%s%s", out->len > 0 ? ", " : "", walls[i].name);
		}
	}
}

static int try_worker(struct ks_jw *w, const char *worker, const char *scratch,
	struct ks_err *err)
{
	struct ks_arena in = {.fd = -1}, out = {.fd = -1};
	struct ks_host *host = NULL;
	struct ks_watch *watch = NULL;
	bool sealed = false;
	int code = ks_arena_init(&in, "in", 65536, true, &sealed, err);
	code = code != 0 ? code : ks_arena_init(&out, "out", 65536, false, NULL, err);
	struct ks_host_spec spec = {.worker = worker, .scratch = scratch, .symbol = "cos",
		.libs = {"libm.so.6"}, .nlibs = 1, .cpu = -1, .threads = 1, .in_fd = in.fd,
		.out_fd = out.fd, .limits = {.call_ms = 1000, .mem_mb = 1024, .procs = 16}};
	code = code != 0 ? code : ks_host_new(&host, &spec, err);
	if (code == 0) {
		for (size_t i = 0; i < NWALLS; i++) {
			ks_jw_bool(w, walls[i].name, stands(&walls[i], ks_host_contained(host),
				ks_host_guards(host)));
		}
		ks_jw_bool(w, "sealed inputs", sealed);
		ks_jw_bool(w, "memory can be inspected",
			ks_watch_new(&watch, ks_host_pid(host), NULL, NULL, false, NULL) == 0);
		ks_jw_str(w, "flush", ks_flush_name((enum ks_flush)ks_host_flush_kind(host)));
	}
	ks_watch_free(watch);
	ks_host_free(host);
	ks_arena_fini(&in);
	ks_arena_fini(&out);
	return code;
}

/* ---- GPUs ---- */

static void entry(struct ks_jw *w, const char *what, bool ok, const char *text)
{
	ks_jw_open(w, NULL);
	ks_jw_str(w, "what", what);
	ks_jw_bool(w, "ok", ok);
	ks_jw_str(w, "text", text);
	ks_jw_close(w);
}

/* A worker on the GPU, guarded as in an evaluation; traced: with CUPTI. */
static int try_gpu(struct ks_buf *missing, struct ks_device *d, const char *worker,
	const char *scratch, bool traced, struct ks_err *err)
{
	struct ks_arena in = {.fd = -1}, out = {.fd = -1};
	struct ks_checks checks = {{false}};
	struct ks_host *host = NULL;
	int code = d->ops->arena(d, &in, "in", 65536, true, NULL, err);
	code = code != 0 ? code : d->ops->arena(d, &out, "out", 65536, false, NULL, err);
	struct ks_host_spec spec = {.worker = worker, .scratch = scratch, .symbol = "cos",
		.libs = {"libm.so.6"}, .nlibs = 1, .cpu = -1, .threads = 1, .in_fd = -1,
		.out_fd = -1, .device = d, .handles = {in.handle, out.handle}, .trace = traced,
		.limits = {.call_ms = 1000, .mem_mb = 4096, .file_mb = 64, .procs = 64}};
	code = code != 0 ? code : ks_host_new(&host, &spec, err);
	if (code == 0) {
		ks_doctor_missing(missing, ks_host_contained(host), ks_host_guards(host), &checks);
	}
	ks_host_free(host);
	d->ops->arena_fini(d, &in);
	d->ops->arena_fini(d, &out);
	return code;
}

static void tell_nvml(struct ks_jw *w, const struct ks_device *d)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_nvml *nvml = NULL;
	struct ks_nvml_state now = {.sm_mhz = 0};
	char text[64];
	if (ks_nvml_open(&nvml, d->info.uuid, d->driver_dir, &err) != 0) {
		entry(w, "NVML (clocks, throttling)", false, err.msg);
		return;
	}
	for (int i = 0; i < 50 && now.sm_mhz == 0; i++) {
		usleep(20000); /* its first reading */
		ks_nvml_look(nvml, &now);
	}
	snprintf(text, sizeof(text), "%u MHz%s", now.sm_mhz, now.throttled ? ", throttled" : "");
	entry(w, "NVML (clocks, throttling)", now.sm_mhz > 0, text);
	ks_nvml_close(nvml);
}

static void tell_gpu(struct ks_jw *w, const char *library, const char *uuid, const char *worker,
	const char *scratch)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf missing = {0};
	struct ks_device *d = NULL;
	char text[256];
	if (ks_device_cuda(&d, library, uuid, &err) != 0) {
		entry(w, uuid, false, err.msg);
		return;
	}
	const struct ks_cuda_info *i = &d->info;
	snprintf(text, sizeof(text), "%s, sm_%d%d, %.0f GB, driver %d.%d", i->name, i->major,
		i->minor, (double)i->memory / 1e9, i->driver / 1000, i->driver % 1000 / 10);
	entry(w, i->uuid, true, text);
	int code = try_gpu(&missing, d, worker, scratch, false, &err);
	entry(w, "memory shared with a worker", code == 0, code != 0 ? err.msg : "CUDA IPC");
	entry(w, "guards of a GPU worker", code == 0 && missing.len == 0,
		missing.len > 0 ? missing.ptr : code == 0 ? "all" : "");
	ks_err_clear(&err);
	ks_buf_fini(&missing);
	code = try_gpu(&missing, d, worker, scratch, true, &err);
	entry(w, "CUPTI (traces)", code == 0, code != 0 ? err.msg : "loaded in a worker");
	ks_buf_fini(&missing);
	tell_nvml(w, d);
	ks_device_free(d);
}

static void tell_gpus(struct ks_jw *w, const char *library, const char *worker,
	const char *scratch)
{
	struct ks_err err = KS_ERR_INIT;
	char uuids[16][KS_UUID_MAX];
	size_t n = 0;
	ks_jw_open_array(w, "gpus");
	if (ks_device_list(&n, uuids, 16, library, &err) != 0) {
		entry(w, "GPU", false, err.msg);
	}
	for (size_t i = 0; i < n; i++) {
		tell_gpu(w, library, uuids[i], worker, scratch);
	}
	ks_jw_close_array(w);
}

int ks_doctor_print(const char *worker, const char *library)
{
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_jw w;
	const char *tmp = getenv("TMPDIR");
	char *scratch = ks_asprintf("%s/kseek-doctor-XXXXXX",
		tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");
	int code = mkdtemp(scratch) != NULL ? 0 :
		ks_err_set(&err, KS_EIO, "cannot make a folder %s", scratch);
	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "type", "doctor");
	code = code != 0 ? code : try_worker(&w, worker, scratch, &err);
	if (code != 0) {
		ks_jw_str(&w, "error", err.msg);
	}
	if (code == 0 && library != NULL) {
		tell_gpus(&w, library, worker, scratch);
	}
	ks_jw_close(&w);
	puts(text.ptr);
	ks_buf_fini(&text);
	rmdir(scratch);
	free(scratch);
	return code == 0 ? 0 : 3;
}

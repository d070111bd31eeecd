/* Guards by name. */
#include "eval/doctor.h"

#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "eval/arena.h"
#include "eval/flush.h"
#include "eval/host.h"
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

int ks_doctor_print(const char *worker)
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
	ks_jw_close(&w);
	puts(text.ptr);
	ks_buf_fini(&text);
	rmdir(scratch);
	free(scratch);
	return code == 0 ? 0 : 3;
}

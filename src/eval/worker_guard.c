/*
 * The worker's guards: PR_SET_MDWE, Landlock, seccomp. Links nothing but libc.
 *
 * The filter is an allow-list. What it does not name raises SIGSYS, whose
 * handler records the number and ends the process, so that the judge can say
 * what was tried. Opening a file only to read fails with EACCES instead:
 * libraries probe /sys and go on without it.
 */
#include "eval/worker_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#define MDWE_REFUSE_EXEC_GAIN 1UL

bool ks_guard_mdwe(void)
{
	return prctl(PR_SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0UL, 0UL, 0UL) == 0;
}

/* ---- Landlock ---- */

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif
#define LL_EXECUTE (1ULL << 0)
#define LL_WRITE_FILE (1ULL << 1)
#define LL_READ_FILE (1ULL << 2)
#define LL_READ_DIR (1ULL << 3)
#define LL_ABI1 ((1ULL << 13) - 1)
#define LL_REFER (1ULL << 13)     /* ABI 2 */
#define LL_TRUNCATE (1ULL << 14)  /* ABI 3 */
#define LL_IOCTL_DEV (1ULL << 15) /* ABI 5 */
#define LL_NET 3ULL               /* ABI 4: bind, connect */
#define LL_SCOPE 3ULL             /* ABI 6: abstract sockets, signals */

struct ruleset_attr {
	uint64_t fs, net, scoped;
};

struct path_attr {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

static bool allow_path(int rules, const char *path, uint64_t allowed)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0) {
		return false;
	}
	struct path_attr attr = {.allowed = allowed, .fd = fd};
	long r = syscall(__NR_landlock_add_rule, rules, 1, &attr, 0);
	close(fd);
	return r == 0;
}

/* While the driver starts it names its threads, by writing to /proc. */
static bool allow_gpu(int rules, uint64_t all, bool loaded)
{
	uint64_t read = LL_READ_FILE | LL_READ_DIR;
	uint64_t write = loaded ? 0 : all & (LL_WRITE_FILE | LL_TRUNCATE);
	bool ok = allow_path(rules, "/dev", all & ~LL_EXECUTE);
	ok = allow_path(rules, "/proc", read | write) && ok;
	return (!loaded || allow_path(rules, "/sys", read)) && ok;
}

bool ks_guard_files(const char *scratch, bool gpu, bool loaded)
{
	long abi = syscall(__NR_landlock_create_ruleset, NULL, (size_t)0, 1);
	if (abi < 1) {
		return false;
	}
	struct ruleset_attr attr = {.fs = LL_ABI1};
	size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
	attr.fs |= abi >= 2 ? LL_REFER : 0;
	attr.fs |= abi >= 3 ? LL_TRUNCATE : 0;
	attr.fs |= abi >= 5 ? LL_IOCTL_DEV : 0;
	attr.net = abi >= 4 ? LL_NET : 0;
	attr.scoped = abi >= 6 ? LL_SCOPE : 0;
	int rules = (int)syscall(__NR_landlock_create_ruleset, &attr, size, 0);
	if (rules < 0) {
		return false;
	}
	bool ok = scratch == NULL ||
		allow_path(rules, scratch, attr.fs & ~(LL_EXECUTE | LL_IOCTL_DEV));
	ok = ok && (!gpu || allow_gpu(rules, attr.fs, loaded));
	if (!loaded) {
		ok = ok && allow_path(rules, "/", LL_EXECUTE | LL_READ_FILE | LL_READ_DIR);
	}
	ok = ok && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(__NR_landlock_restrict_self, rules, 0) == 0;
	close(rules);
	return ok;
}

/* ---- seccomp ---- */

#define FILTER_MAX 256

struct filter {
	struct sock_filter code[FILTER_MAX];
	unsigned short len;
};

static void emit(struct filter *f, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	if (f->len < FILTER_MAX) {
		f->code[f->len++] = (struct sock_filter){code, jt, jf, k};
	}
}

static void load_word(struct filter *f, size_t offset)
{
	emit(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void leave(struct filter *f, uint32_t action)
{
	emit(f, BPF_RET | BPF_K, action, 0, 0);
}

static void allow(struct filter *f, long nr)
{
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
	leave(f, SECCOMP_RET_ALLOW);
}

static void fail_with(struct filter *f, long nr, int sys)
{
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
	leave(f, SECCOMP_RET_ERRNO | (uint32_t)sys);
}

static void refuse(struct filter *f, long nr)
{
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1);
	leave(f, SECCOMP_RET_TRAP);
}

static size_t arg_low(unsigned index)
{
	return offsetof(struct seccomp_data, args) + 8 * index +
		(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0);
}

/* nr with any of `bits` in the low half of an argument gets `hit`, else `miss`. */
static void by_bits(struct filter *f, long nr, unsigned arg, uint32_t bits, uint32_t hit,
	uint32_t miss)
{
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 4);
	load_word(f, arg_low(arg));
	emit(f, BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
	leave(f, hit);
	leave(f, miss);
}

/* nr with one of two values of an argument is allowed, else a signal. The high half does
 * not count: the kernel looks at the low one alone for what goes here. */
static void by_value(struct filter *f, long nr, unsigned arg, uint32_t a, uint32_t b)
{
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 5);
	load_word(f, arg_low(arg));
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, a, 1, 0);
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, b, 0, 1);
	leave(f, SECCOMP_RET_ALLOW);
	leave(f, SECCOMP_RET_TRAP);
}

/* nr with value a of an argument is allowed, with b it gets `other`, else a signal. */
static void by_two(struct filter *f, long nr, unsigned arg, uint32_t a, uint32_t b,
	uint32_t other)
{
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 6);
	load_word(f, arg_low(arg));
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, a, 1, 0);
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, b, 1, 2);
	leave(f, SECCOMP_RET_ALLOW);
	leave(f, other);
	leave(f, SECCOMP_RET_TRAP);
}

/* nr on one of the first three descriptors gets `hit`, else a signal. */
static void by_stdio(struct filter *f, long nr, uint32_t hit)
{
	emit(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 4);
	load_word(f, arg_low(0));
	emit(f, BPF_JMP | BPF_JGT | BPF_K, 2, 1, 0);
	leave(f, hit);
	leave(f, SECCOMP_RET_TRAP);
}

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

static void allow_plain(struct filter *f)
{
	static const long calls[] = {
		__NR_futex, __NR_sched_yield, __NR_clock_gettime, __NR_clock_getres,
		__NR_gettimeofday, __NR_clock_nanosleep, __NR_nanosleep, __NR_brk,
		__NR_munmap, __NR_mremap, __NR_exit, __NR_exit_group,
		__NR_rt_sigreturn, __NR_rt_sigprocmask, __NR_gettid, __NR_getpid,
		__NR_getcpu, __NR_sched_getaffinity, __NR_restart_syscall,
		__NR_getrandom, __NR_ppoll, __NR_sysinfo, __NR_uname, __NR_getrusage,
	};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		allow(f, calls[i]);
	}
}

static void allow_threads(struct filter *f)
{
	static const long calls[] = {
		__NR_set_robust_list, __NR_sched_getparam,
		__NR_sched_getscheduler, __NR_sched_get_priority_min,
		__NR_sched_get_priority_max, __NR_set_tid_address,
	};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		allow(f, calls[i]);
	}
	by_value(f, __NR_rt_sigaction, 0, 32, 33); /* libc's own, for its threads */
	by_bits(f, __NR_clone, 0, CLONE_THREAD, SECCOMP_RET_ALLOW, SECCOMP_RET_TRAP);
	fail_with(f, __NR_clone3, ENOSYS); /* its flags cannot be seen: clone is tried next */
	fail_with(f, __NR_rseq, ENOSYS); /* a call back at every waking up */
	fail_with(f, __NR_sched_setaffinity, EPERM);
}

bool ks_guard_syscalls(bool threads)
{
#ifdef FILTER_ARCH
	struct filter f = {.len = 0};
	load_word(&f, offsetof(struct seccomp_data, arch));
	emit(&f, BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
	leave(&f, SECCOMP_RET_KILL_PROCESS);
	load_word(&f, offsetof(struct seccomp_data, nr));
	allow_plain(&f);
	/* to itself, as abort does: where there is no pid namespace others are in reach */
	by_value(&f, __NR_tgkill, 0, (uint32_t)getpid(), (uint32_t)getpid());
	by_bits(&f, __NR_mmap, 2, PROT_EXEC, SECCOMP_RET_TRAP, SECCOMP_RET_ALLOW);
	/* rights may be taken away (the worker locks its tables so), never given */
	by_bits(&f, __NR_mprotect, 2, threads ? PROT_EXEC : PROT_EXEC | PROT_WRITE,
		SECCOMP_RET_TRAP, SECCOMP_RET_ALLOW);
	/* libc gives the pages of threads' stacks back so and goes on if it may not; a
	 * kernel could give the seed's back */
	by_two(&f, __NR_madvise, 2, MADV_HUGEPAGE, MADV_DONTNEED,
		threads ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_TRAP);
	by_bits(&f, __NR_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC,
		SECCOMP_RET_TRAP, SECCOMP_RET_ERRNO | EACCES);
#ifdef __NR_open
	by_bits(&f, __NR_open, 1, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC,
		SECCOMP_RET_TRAP, SECCOMP_RET_ERRNO | EACCES);
#endif
	by_stdio(&f, __NR_write, SECCOMP_RET_ALLOW);
	by_stdio(&f, __NR_writev, SECCOMP_RET_ALLOW);
	by_stdio(&f, __NR_read, SECCOMP_RET_ALLOW);
	by_stdio(&f, __NR_fstat, SECCOMP_RET_ALLOW);
	by_stdio(&f, __NR_newfstatat, SECCOMP_RET_ALLOW);
	by_stdio(&f, __NR_lseek, SECCOMP_RET_ALLOW);
	by_stdio(&f, __NR_ioctl, SECCOMP_RET_ERRNO | ENOTTY);
	if (threads) {
		allow_threads(&f);
	}
	leave(&f, SECCOMP_RET_TRAP);
	if (f.len >= FILTER_MAX) {
		return false;
	}
	struct sock_fprog prog = {.len = f.len, .filter = f.code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0;
#else
	(void)threads;
	return false;
#endif
}

static void refuse_all(struct filter *f)
{
	static const long calls[] = {
		__NR_execve, __NR_execveat, __NR_ptrace, __NR_process_vm_readv,
		__NR_process_vm_writev, __NR_setns, __NR_unshare, __NR_mount, __NR_umount2,
		__NR_chroot, __NR_pivot_root, __NR_bpf, __NR_perf_event_open, __NR_userfaultfd,
		__NR_connect, __NR_bind, __NR_listen, __NR_accept, __NR_accept4, __NR_sendto,
		__NR_sendmsg, __NR_kexec_load, __NR_init_module, __NR_finit_module,
		__NR_add_key, __NR_request_key, __NR_keyctl, __NR_shmget, __NR_shmat,
		__NR_mq_open, __NR_seccomp, __NR_setpriority, __NR_personality,
#ifdef __NR_fork
		__NR_fork, __NR_vfork,
#endif
	};
	static const long later[] = { /* numbers of newer kernels, the same everywhere */
		425 /* io_uring_setup */, 434 /* pidfd_open */, 438 /* pidfd_getfd */,
		424 /* pidfd_send_signal */, 440 /* process_madvise */,
	};
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		refuse(f, calls[i]);
	}
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		refuse(f, later[i]);
	}
}

bool ks_guard_syscalls_gpu(void)
{
#ifdef FILTER_ARCH
	struct filter f = {.len = 0};
	load_word(&f, offsetof(struct seccomp_data, arch));
	emit(&f, BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
	leave(&f, SECCOMP_RET_KILL_PROCESS);
	load_word(&f, offsetof(struct seccomp_data, nr));
	refuse_all(&f);
	fail_with(&f, __NR_kill, EPERM);
	fail_with(&f, __NR_tkill, EPERM);
	fail_with(&f, __NR_sched_setaffinity, EPERM);
	fail_with(&f, __NR_clone3, ENOSYS); /* its flags cannot be seen: clone is tried next */
	fail_with(&f, __NR_rseq, ENOSYS);
	by_bits(&f, __NR_clone, 0, CLONE_THREAD, SECCOMP_RET_ALLOW, SECCOMP_RET_TRAP);
	by_bits(&f, __NR_mmap, 2, PROT_EXEC, SECCOMP_RET_TRAP, SECCOMP_RET_ALLOW);
	by_bits(&f, __NR_mprotect, 2, PROT_EXEC, SECCOMP_RET_TRAP, SECCOMP_RET_ALLOW);
	leave(&f, SECCOMP_RET_ALLOW);
	if (f.len >= FILTER_MAX) {
		return false;
	}
	struct sock_fprog prog = {.len = f.len, .filter = f.code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
		&prog) == 0;
#else
	return false;
#endif
}

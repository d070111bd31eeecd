/*
 * The way back. ks_mode_restore uses write and tcsetattr only. It runs at most
 * once for each take-over.
 */
#include "term/mode.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Synchronised output, paste, focus and mouse reports off; keypad normal; look
 * reset; cursor shown. */
#define UNDO "\033[?2026l\033[?2004l\033[?1004l\033[?1006l\033[?1003l\033[?1002l" \
	"\033[?1000l\033[?1l\033>\033[0m\033[?25h"

static const int fatal[] = {
	SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP, SIGINT, SIGQUIT
};
#define FATAL_COUNT (sizeof(fatal) / sizeof(fatal[0]))

static struct {
	volatile sig_atomic_t active;
	bool saved;
	int in_fd, out_fd;
	struct termios before;
	char undo[256];
	size_t undo_len;
	struct sigaction old[FATAL_COUNT];
	bool hooked[FATAL_COUNT];
} restore;

void ks_mode_active(bool active)
{
	restore.active = active;
}

void ks_mode_restore(void)
{
	size_t at = 0;
	int tries = 0;

	if (!restore.active) {
		return;
	}
	restore.active = 0;
	while (at < restore.undo_len && tries < 100) {
		ssize_t n = write(restore.out_fd, restore.undo + at,
			restore.undo_len - at);

		if (n > 0) {
			at += (size_t)n;
		} else if (errno == EINTR || errno == EAGAIN) {
			tries++;
		} else {
			break;
		}
	}
	tcflush(restore.in_fd, TCIFLUSH);
	tcsetattr(restore.in_fd, TCSANOW, &restore.before);
}

static void on_fatal(int sig)
{
	struct sigaction dfl;

	ks_mode_restore();
	memset(&dfl, 0, sizeof(dfl));
	dfl.sa_handler = SIG_DFL;
	sigaction(sig, &dfl, NULL);
	raise(sig);
}

/* Faults are ours in any case; requests to end only where nobody takes them. */
static bool wants_hook(int sig, const struct sigaction *old)
{
	switch (sig) {
	case SIGTERM:
	case SIGHUP:
	case SIGINT:
	case SIGQUIT:
		return !(old->sa_flags & SA_SIGINFO) && old->sa_handler == SIG_DFL;
	default:
		return true;
	}
}

static void hook_signals(void)
{
	struct sigaction act;
	size_t i;

	memset(&act, 0, sizeof(act));
	act.sa_handler = on_fatal;
	act.sa_flags = SA_ONSTACK | SA_NODEFER;
	sigemptyset(&act.sa_mask);
	for (i = 0; i < FATAL_COUNT; i++) {
		sigaction(fatal[i], NULL, &restore.old[i]);
		restore.hooked[i] = wants_hook(fatal[i], &restore.old[i]);
		if (restore.hooked[i]) {
			sigaction(fatal[i], &act, NULL);
		}
	}
}

bool ks_mode_save(int in_fd, int out_fd)
{
	if (tcgetattr(in_fd, &restore.before) != 0) {
		return false;
	}
	restore.in_fd = in_fd;
	restore.out_fd = out_fd;
	memcpy(restore.undo, UNDO, sizeof(UNDO) - 1);
	restore.undo_len = sizeof(UNDO) - 1;
	restore.saved = true;
	hook_signals();
	return true;
}

void ks_mode_add_undo(const char *bytes)
{
	size_t len = bytes != NULL ? strlen(bytes) : 0;

	if (len > 0 && restore.undo_len + len <= sizeof(restore.undo)) {
		memcpy(restore.undo + restore.undo_len, bytes, len);
		restore.undo_len += len;
	}
}

void ks_mode_forget(void)
{
	size_t i;

	if (!restore.saved) {
		return;
	}
	for (i = 0; i < FATAL_COUNT; i++) {
		struct sigaction now;

		if (restore.hooked[i] && sigaction(fatal[i], NULL, &now) == 0 &&
		    now.sa_handler == on_fatal) {
			sigaction(fatal[i], &restore.old[i], NULL);
		}
	}
	memset(&restore, 0, sizeof(restore));
}

void ks_mode_plain(int out_fd)
{
	ks_mode_write(out_fd, UNDO, sizeof(UNDO) - 1);
}

bool ks_mode_write(int fd, const char *bytes, size_t len)
{
	int waits = 0;

	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		} else if (n < 0 && errno == EAGAIN && waits++ < 10) {
			struct pollfd p = {fd, POLLOUT, 0};

			poll(&p, 1, 100);
		} else if (!(n < 0 && errno == EINTR)) {
			return false;
		}
	}
	return true;
}

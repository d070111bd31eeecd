/*
 * A program on a pseudo-terminal, timed.
 *
 *   ptybench first N -- PROGRAM ARGS   median ms from start to the end of the
 *                                      first frame, and its largest memory
 *   ptybench keys N -- PROGRAM ARGS    p99 ms from a key to its frame's end
 *   ptybench idle S -- PROGRAM ARGS    CPU in per cent over S seconds
 *
 * A frame has ended when the program is silent for 2 ms after writing. The
 * program is ended with SIGTERM. Prints "value [value]".
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS 2
#define KEYS_MAX 4096

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static pid_t start(int *out_fd, char **argv)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	pid_t pid = forkpty(out_fd, NULL, NULL, &size);

	if (pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0) {
		perror("forkpty");
		exit(3);
	}
	return pid;
}

/* Waits for output and then for silence; the time of the last byte, or -1. */
static double frame_end(int fd, int wait_ms)
{
	char bytes[65536];
	struct pollfd p = {.fd = fd, .events = POLLIN};
	double last = -1;

	while (poll(&p, 1, last < 0 ? wait_ms : QUIET_MS) > 0) {
		ssize_t n = read(fd, bytes, sizeof(bytes));
		if (n <= 0) {
			break;
		}
		last = now_ms();
	}
	return last;
}

static long finish(pid_t pid, int fd)
{
	struct rusage usage;
	int status;

	kill(pid, SIGTERM);
	frame_end(fd, 200);
	close(fd);
	if (wait4(pid, &status, 0, &usage) < 0) {
		return -1;
	}
	return usage.ru_maxrss;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void bench_first(int runs, char **argv)
{
	double times[KEYS_MAX];
	long rss = 0;

	for (int i = 0; i < runs; i++) {
		int fd;
		double begin = now_ms();
		pid_t pid = start(&fd, argv);
		times[i] = frame_end(fd, 5000) - begin;
		usleep(50 * 1000);
		long kb = finish(pid, fd);
		rss = kb > rss ? kb : rss;
	}
	qsort(times, (size_t)runs, sizeof(times[0]), by_value);
	printf("%.2f %.2f\n", times[runs / 2], (double)rss / 1024);
}

static void bench_keys(int count, char **argv)
{
	static const char keys[] = {'k', 'j', 'k', 'k', 'j', 'j'};
	double times[KEYS_MAX];
	int fd, n = 0;
	pid_t pid = start(&fd, argv);

	frame_end(fd, 5000);
	usleep(300 * 1000);
	frame_end(fd, 10);
	for (int i = 0; i < count; i++) {
		double begin = now_ms();
		if (write(fd, &keys[i % (int)sizeof(keys)], 1) != 1) {
			break;
		}
		double end = frame_end(fd, 200);
		if (end > 0) {
			times[n++] = end - begin;
		}
		usleep(5000);
	}
	finish(pid, fd);
	if (n == 0) {
		printf("-1\n");
		return;
	}
	qsort(times, (size_t)n, sizeof(times[0]), by_value);
	printf("%.2f %d\n", times[(n * 99) / 100 < n ? (n * 99) / 100 : n - 1], n);
}

static double cpu_s(pid_t pid)
{
	char path[64], line[1024];
	unsigned long user = 0, sys = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	if (f == NULL || fgets(line, sizeof(line), f) == NULL) {
		return -1;
	}
	fclose(f);
	const char *rest = strrchr(line, ')');
	sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys);
	return (double)(user + sys) / (double)sysconf(_SC_CLK_TCK);
}

static void bench_idle(int seconds, char **argv)
{
	int fd;
	pid_t pid = start(&fd, argv);

	frame_end(fd, 5000);
	for (int i = 0; i < 20; i++) {
		frame_end(fd, 100);
	}
	double before = cpu_s(pid);
	double until = now_ms() + seconds * 1e3;
	while (now_ms() < until) {
		frame_end(fd, 500);
	}
	double used = cpu_s(pid) - before;
	finish(pid, fd);
	printf("%.3f\n", used / seconds * 100);
}

int main(int argc, char **argv)
{
	if (argc < 5 || strcmp(argv[3], "--") != 0) {
		fprintf(stderr, "usage: ptybench first|keys|idle N -- PROGRAM ARGS\n");
		return 2;
	}
	int n = (int)strtol(argv[2], NULL, 10);
	n = n < 1 ? 1 : n > KEYS_MAX ? KEYS_MAX : n;
	if (strcmp(argv[1], "first") == 0) {
		bench_first(n, argv + 4);
	} else if (strcmp(argv[1], "keys") == 0) {
		bench_keys(n, argv + 4);
	} else {
		bench_idle(n, argv + 4);
	}
	return 0;
}

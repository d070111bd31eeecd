/*
 * How long an agent's line takes to a frame of the console.
 *
 *   agentbench SECONDS STAMPS -- PROGRAM ARGS
 *
 * Runs the program on a pseudo-terminal of 120 columns and notes when each word
 * of the scripted agent (tests/agents/scene.c, `pace`) is written to it; when
 * SECONDS are over it compares with the agent's own times in STAMPS. Prints
 * "COUNT P50 P99 FRAMES": words that were shown, milliseconds, and frames a
 * second while they were. Words that had left the screen before a frame was due
 * are not counted.
 */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MAX 65536
#define WORD 12
#define GAP_US 2000
#define BYTES_MAX (64u * 1024 * 1024)

struct chunk {
	int64_t us;
	size_t at; /* its first byte */
};

struct bench {
	char *bytes;
	size_t len;
	struct chunk *chunks;
	size_t n_chunks;
};

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void record(struct bench *b, int fd, int64_t until)
{
	while (now_us() < until && b->len + 65536 < BYTES_MAX) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (poll(&p, 1, 100) <= 0) {
			continue;
		}
		n = read(fd, b->bytes + b->len, 65536);
		if (n <= 0) {
			return;
		}
		if (b->n_chunks < WORDS_MAX) {
			b->chunks[b->n_chunks++] = (struct chunk){now_us(), b->len};
		}
		b->len += (size_t)n;
	}
}

/* When the first place of a word at or behind `from` was read; 0: never. */
static int64_t shown_at(const struct bench *b, const char *word, int64_t from)
{
	for (size_t i = 0; i < b->n_chunks; i++) {
		size_t end = i + 1 < b->n_chunks ? b->chunks[i + 1].at : b->len;
		size_t begin = b->chunks[i].at;

		if (b->chunks[i].us < from) {
			continue;
		}
		if (b->chunks[i].us > from + 2000000) {
			return 0;
		}
		/* A word may begin in the chunk before. */
		begin -= begin < WORD ? begin : WORD - 1;
		if (memmem(b->bytes + begin, end - begin, word, WORD) != NULL) {
			return b->chunks[i].us;
		}
	}
	return 0;
}

static int by_size(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static double frames(const struct bench *b, int64_t from, int64_t to)
{
	int64_t last = 0;
	int count = 0;

	for (size_t i = 0; i < b->n_chunks; i++) {
		if (b->chunks[i].us >= from && b->chunks[i].us <= to) {
			count += b->chunks[i].us - last > GAP_US;
			last = b->chunks[i].us;
		}
	}
	return to > from ? count * 1e6 / (double)(to - from) : 0;
}

static int report(const struct bench *b, const char *path)
{
	int64_t *took = calloc(WORDS_MAX, sizeof(*took)), first = 0, last = 0;
	FILE *stamps = fopen(path, "r");
	long long us;
	size_t count = 0;
	long n;

	if (stamps == NULL || took == NULL) {
		fprintf(stderr, "agentbench: %s: no times of the agent\n", path);
		return 1;
	}
	while (fscanf(stamps, "%ld %lld", &n, &us) == 2 && count < WORDS_MAX) {
		char word[WORD + 1] = "";
		int64_t shown;

		for (int i = 0; i < WORD; i++) {
			long odd = 3 * (n / 26) * (i % 2), fourth = 5 * (n / 676) * (i % 4 == 3);
			word[i] = (char)('a' + (n + odd + fourth) % 26);
		}
		first = first == 0 ? us : first;
		last = us;
		shown = shown_at(b, word, us);
		if (shown > 0) {
			took[count++] = shown - us;
		}
	}
	fclose(stamps);
	if (count == 0) {
		fprintf(stderr, "agentbench: no word of the agent was shown\n");
		return 1;
	}
	qsort(took, count, sizeof(*took), by_size);
	printf("%zu %.1f %.1f %.1f\n", count, (double)took[count / 2] / 1e3,
		(double)took[count - 1 - count / 100] / 1e3, frames(b, first, last));
	free(took);
	return 0;
}

int main(int argc, char **argv)
{
	struct winsize size = {.ws_row = 40, .ws_col = 120};
	struct bench b = {0};
	int fd, status;
	pid_t pid;

	if (argc < 5 || strcmp(argv[3], "--") != 0) {
		fprintf(stderr, "usage: agentbench SECONDS STAMPS -- PROGRAM ARGS\n");
		return 2;
	}
	b.bytes = malloc(BYTES_MAX);
	b.chunks = calloc(WORDS_MAX, sizeof(*b.chunks));
	if (b.bytes == NULL || b.chunks == NULL) {
		return 1;
	}
	pid = forkpty(&fd, NULL, NULL, &size);
	if (pid == 0) {
		setenv("TERM", "xterm-256color", 1);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	record(&b, fd, now_us() + strtol(argv[1], NULL, 10) * 1000000);
	kill(pid, SIGTERM);
	close(fd);
	waitpid(pid, &status, 0);
	status = report(&b, argv[2]);
	free(b.bytes);
	free(b.chunks);
	return status;
}

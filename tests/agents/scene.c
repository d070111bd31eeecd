/*
 * An agent that plays a scene: a file of steps, one a line. It speaks whatever
 * protocol its scene holds, so it stands for ACP agents and for Claude Code, and
 * for all that goes wrong with either.
 *
 *   want TEXT        reads lines until one holds TEXT; its id (or uuid) becomes $id
 *   keep NAME        $NAME is from now on what $id is
 *   send LINE        writes LINE and a newline; $id and kept names are put in
 *   raw BYTES        writes without a newline; \n \r \t \0 \xHH \\ are escapes
 *   flood N LINE     writes LINE N times; $n counts
 *   pace N US LINE   the same with US microseconds between; $w is a word that
 *                    has no letter in common with the ones before and after it,
 *                    and "N TIME" (CLOCK_MONOTONIC, us) goes to $SCENE_STAMPS
 *   big N HEAD|TAIL  writes HEAD, N letters, TAIL and a newline
 *   errors TEXT      writes TEXT and a newline to the error output
 *   errorfill N      writes N bytes there
 *   sleep MS         label NAME, goto NAME
 *   run COMMAND      runs it by the shell, its output away; $id is its status
 *   say TEXT         an ACP agent's words, in pieces
 *   call COMMAND     an ACP agent's call: its begin, COMMAND is run, its output and end
 *   edit FILE COMMAND  the same as an edit of FILE
 *   stray SECONDS    starts a process that leaves our group and sleeps
 *   deaf             from now on ignores SIGINT and SIGTERM
 *   eof              reads until the end of its input
 *   hang             never does anything again
 *   close            closes its output
 *   exit N, die      ends; by SIGKILL
 *
 * Every line that was read is appended to $SCENE_LOG. At the end of its input,
 * while it waits for something, it ends with status 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_MAX 2048
#define OUTPUT_MAX 16384 /* of a call */
#define NAMES_MAX 16
#define ID_MAX 512

struct name {
	char key[32], value[ID_MAX];
};

struct player {
	char *text;
	char *steps[STEPS_MAX];
	int count;
	struct name names[NAMES_MAX];
	int n_names;
	int n_said, n_calls;
	char *line;           /* as read */
	size_t cap;
	FILE *log;
};

static void out(const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(1, bytes, len);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			exit(0);
		}
		bytes += n;
		len -= (size_t)n;
	}
}

static void set(struct player *p, const char *key, const char *value, size_t len)
{
	int i = 0;

	while (i < p->n_names && strcmp(p->names[i].key, key) != 0) {
		i++;
	}
	if (i == NAMES_MAX || len >= ID_MAX) {
		exit(8);
	}
	p->n_names += i == p->n_names;
	snprintf(p->names[i].key, sizeof(p->names[i].key), "%s", key);
	memcpy(p->names[i].value, value, len);
	p->names[i].value[len] = '\0';
}

static const char *get(const struct player *p, const char *key, size_t len)
{
	for (int i = 0; i < p->n_names; i++) {
		if (strlen(p->names[i].key) == len && strncmp(p->names[i].key, key, len) == 0) {
			return p->names[i].value;
		}
	}
	return NULL;
}

/* Writes a line with its names put in. */
/* The letters of a word that no other number has; agentbench knows it too. */
static int letter_of(long n, int i)
{
	return 'a' + (int)((n + 3 * (n / 26) * (i % 2) + 5 * (n / 676) * (i % 4 == 3)) % 26);
}

static void send_line(const struct player *p, const char *line, long n)
{
	char *whole = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&whole, &len);

	for (; *line != '\0'; line++) {
		size_t name = *line == '$' ? strspn(line + 1, "abcdefghijklmnopqrstuvwxyz") : 0;
		const char *value = name > 0 ? get(p, line + 1, name) : NULL;

		if (name == 1 && line[1] == 'w' && value == NULL) {
			for (int i = 0; i < 12; i++) {
				fputc(letter_of(n, i), to);
			}
			line++;
		} else if (name == 1 && line[1] == 'n' && value == NULL) {
			fprintf(to, "%ld", n);
			line++;
		} else if (value != NULL) {
			fputs(value, to);
			line += name;
		} else {
			fputc(*line, to);
		}
	}
	fputc('\n', to);
	fclose(to);
	out(whole, len);
	free(whole);
}

static void send_raw(const char *text)
{
	char *bytes = malloc(strlen(text) + 1);
	size_t len = 0;

	for (; *text != '\0'; text++) {
		char c = *text;

		if (c == '\\' && text[1] != '\0') {
			char hex[3] = "";

			c = *++text;
			c = c == 'n' ? '\n' :
				c == 'r' ? '\r' : c == 't' ? '\t' : c == '0' ? '\0' : c;
			if (c == 'x' && text[1] != '\0' && text[2] != '\0') {
				hex[0] = text[1];
				hex[1] = text[2];
				c = (char)strtol(hex, NULL, 16);
				text += 2;
			}
		}
		bytes[len++] = c;
	}
	out(bytes, len);
	free(bytes);
}

static bool read_line(struct player *p)
{
	ssize_t len = getline(&p->line, &p->cap, stdin);

	if (len <= 0) {
		return false;
	}
	if (p->log != NULL) {
		fwrite(p->line, 1, (size_t)len, p->log);
		fflush(p->log);
	}
	return true;
}

/* What is behind "request_id":, "id": or "uuid":, as it is written. */
static void take_id(struct player *p)
{
	static const char *const keys[] = {"\"request_id\":", "\"id\":", "\"uuid\":"};
	const char *at = NULL;
	size_t len;

	for (size_t i = 0; at == NULL && i < sizeof(keys) / sizeof(keys[0]); i++) {
		at = strstr(p->line, keys[i]);
	}
	if (at == NULL) {
		return;
	}
	at = strchr(at, ':') + 1;
	len = *at == '"' ? (size_t)(strchr(at + 1, '"') - at) + 1 : strcspn(at, ",}");
	set(p, "id", at, len);
}

static void want(struct player *p, const char *text)
{
	while (read_line(p)) {
		if (strstr(p->line, text) != NULL) {
			take_id(p);
			return;
		}
	}
	exit(0);
}

static void flood(const struct player *p, const char *rest, bool paced)
{
	char *end;
	long count = strtol(rest, &end, 10);
	long us = paced ? strtol(end, &end, 10) : 0;

	const char *path = getenv("SCENE_STAMPS");
	FILE *stamps = paced && path != NULL ? fopen(path, "a") : NULL;

	for (long n = 0; n < count; n++) {
		if (stamps != NULL) {
			struct timespec ts;

			clock_gettime(CLOCK_MONOTONIC, &ts);
			fprintf(stamps, "%ld %lld\n", n,
				(long long)ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
		}
		send_line(p, end + 1, n);
		if (us > 0) {
			usleep((useconds_t)us);
		}
	}
	if (stamps != NULL) {
		fclose(stamps);
	}
}

static void big(const char *rest)
{
	char *head, letters[65536];
	long left = strtol(rest, &head, 10);
	const char *tail = strchr(head, '|');

	memset(letters, 'x', sizeof(letters));
	out(head + 1, (size_t)(tail - head - 1));
	while (left > 0) {
		size_t part = left > (long)sizeof(letters) ? sizeof(letters) : (size_t)left;

		out(letters, part);
		left -= (long)part;
	}
	out(tail + 1, strlen(tail + 1));
	out("\n", 1);
}

static void error_fill(long left)
{
	char letters[4096];

	memset(letters, 'e', sizeof(letters));
	letters[sizeof(letters) - 1] = '\n';
	while (left > 0) {
		ssize_t n = write(2, letters, sizeof(letters));

		left -= n > 0 ? n : left;
	}
}

static void stray(const char *seconds)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			execlp("sleep", "sleep", seconds, (char *)NULL);
		}
		_exit(0);
	}
}

static void run(struct player *p, const char *command)
{
	char text[16];
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	snprintf(text, sizeof(text), "%d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	set(p, "id", text, strlen(text));
}

/* ---- what an ACP agent does: session s1 ---- */

static FILE *update_begin(char **whole, size_t *len, const char *kind)
{
	FILE *to = open_memstream(whole, len);

	fprintf(to, "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":"
		"\"s1\",\"update\":{\"sessionUpdate\":\"%s\"", kind);
	return to;
}

static void update_end(FILE *to, char **whole, const size_t *len)
{
	fputs("}}}\n", to);
	fclose(to);
	out(*whole, *len);
	free(*whole);
}

static void put_string(FILE *to, const char *key, const char *text, size_t len)
{
	fprintf(to, "\"%s\":\"", key);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\') {
			fprintf(to, "\\%c", c);
		} else if (c < ' ') {
			fprintf(to, "\\u%04x", c);
		} else {
			fputc(c, to);
		}
	}
	fputc('"', to);
}

/* Pieces of some words each, as models stream. */
static void say(struct player *p, const char *text)
{
	p->n_said++;
	while (*text != '\0') {
		size_t len = strlen(text), all;
		const char *blank = len > 40 ? strchr(text + 40, ' ') : NULL;
		char *whole;
		FILE *to = update_begin(&whole, &all, "agent_message_chunk");

		len = blank != NULL ? (size_t)(blank - text) : len;
		fprintf(to, ",\"messageId\":\"m%d\",\"content\":{\"type\":\"text\",", p->n_said);
		put_string(to, "text", text, len);
		fputc('}', to);
		update_end(to, &whole, &all);
		text += len;
	}
}

/* Runs it without input; its output goes to text, at most OUTPUT_MAX of it. */
static int run_output(const char *command, char *text, size_t *len)
{
	char rest[4096];
	int ends[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe(ends) < 0 || (pid = fork()) < 0) {
		exit(8);
	}
	if (pid == 0) {
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	*len = 0;
	do {
		bool full = *len == OUTPUT_MAX;

		n = read(ends[0], full ? rest : text + *len,
			full ? sizeof(rest) : OUTPUT_MAX - *len);
		*len += full || n < 0 ? 0 : (size_t)n;
	} while (n > 0);
	close(ends[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void call(struct player *p, const char *command, const char *file, size_t file_len)
{
	char *whole, text[OUTPUT_MAX];
	size_t all, len;
	int status;
	FILE *to = update_begin(&whole, &all, "tool_call");

	fprintf(to, ",\"toolCallId\":\"c%d\",\"status\":\"in_progress\",\"kind\":\"%s\",",
		++p->n_calls, file != NULL ? "edit" : "execute");
	put_string(to, "title", file != NULL ? file : command, file != NULL ? file_len :
		strlen(command));
	if (file != NULL) {
		fputs(",\"locations\":[{", to);
		put_string(to, "path", file, file_len);
		fputs("}]", to);
	} else {
		fputs(",\"rawInput\":{", to);
		put_string(to, "command", command, strlen(command));
		fputc('}', to);
	}
	update_end(to, &whole, &all);
	status = run_output(command, text, &len);
	to = update_begin(&whole, &all, "tool_call_update");
	fprintf(to, ",\"toolCallId\":\"c%d\",\"status\":\"%s\",\"content\":[{\"type\":\"content\","
		"\"content\":{\"type\":\"text\",", p->n_calls,
		status == 0 ? "completed" : "failed");
	put_string(to, "text", text, len);
	fputs("}}]", to);
	update_end(to, &whole, &all);
}

static bool play_acp(struct player *p, const char *word, const char *rest)
{
	size_t file = strcspn(rest, " ");

	if (strcmp(word, "say") == 0) {
		say(p, rest);
	} else if (strcmp(word, "call") == 0) {
		call(p, rest, NULL, 0);
	} else if (strcmp(word, "edit") == 0) {
		call(p, rest + file, rest, file);
	} else {
		return false;
	}
	return true;
}

static int find_label(const struct player *p, const char *name)
{
	for (int i = 0; i < p->count; i++) {
		if (strncmp(p->steps[i], "label ", 6) == 0 && strcmp(p->steps[i] + 6, name) == 0) {
			return i;
		}
	}
	exit(8);
}

static void hang(void)
{
	for (;;) {
		pause();
	}
}

/* Ends and signals; false: not one of them. */
static bool play_end(const char *word, const char *rest)
{
	if (strcmp(word, "exit") == 0) {
		exit((int)strtol(rest, NULL, 10));
	} else if (strcmp(word, "die") == 0) {
		kill(getpid(), SIGKILL);
	} else if (strcmp(word, "deaf") == 0) {
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
	} else if (strcmp(word, "hang") == 0) {
		hang();
	} else if (strcmp(word, "close") == 0) {
		close(1);
	} else if (strcmp(word, "sleep") == 0) {
		usleep((useconds_t)strtol(rest, NULL, 10) * 1000);
	} else if (strcmp(word, "stray") == 0) {
		stray(rest);
	} else {
		return false;
	}
	return true;
}

static bool play_write(struct player *p, const char *word, const char *rest)
{
	if (strcmp(word, "send") == 0) {
		send_line(p, rest, 0);
	} else if (strcmp(word, "raw") == 0) {
		send_raw(rest);
	} else if (strcmp(word, "flood") == 0 || strcmp(word, "pace") == 0) {
		flood(p, rest, *word == 'p');
	} else if (strcmp(word, "big") == 0) {
		big(rest);
	} else if (strcmp(word, "errors") == 0) {
		fprintf(stderr, "%s\n", rest);
	} else if (strcmp(word, "errorfill") == 0) {
		error_fill(strtol(rest, NULL, 10));
	} else {
		return false;
	}
	return true;
}

static int play(struct player *p, int at)
{
	char word[16];
	const char *step = p->steps[at], *rest = step + strcspn(step, " ");

	snprintf(word, sizeof(word), "%.*s", (int)(rest - step), step);
	rest += *rest == ' ';
	if (strcmp(word, "want") == 0) {
		want(p, rest);
	} else if (strcmp(word, "keep") == 0) {
		const char *id = get(p, "id", 2);

		set(p, rest, id != NULL ? id : "null", id != NULL ? strlen(id) : 4);
	} else if (strcmp(word, "run") == 0) {
		run(p, rest);
	} else if (strcmp(word, "eof") == 0) {
		while (read_line(p)) {
		}
	} else if (strcmp(word, "goto") == 0) {
		return find_label(p, rest);
	} else if (strcmp(word, "label") != 0 && !play_write(p, word, rest) &&
		!play_acp(p, word, rest) && !play_end(word, rest)) {
		fprintf(stderr, "scene: no step \"%s\"\n", word);
		exit(8);
	}
	return at + 1;
}

static void load(struct player *p, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	if (file == NULL) {
		fprintf(stderr, "scene: %s: %s\n", path, strerror(errno));
		exit(8);
	}
	while ((len = getline(&line, &cap, file)) > 0) {
		if (p->count == STEPS_MAX) {
			fprintf(stderr, "scene: %s: more than %d steps\n", path, STEPS_MAX);
			exit(8);
		}
		if (line[len - 1] == '\n') {
			line[len - 1] = '\0';
		}
		if (line[0] != '\0' && line[0] != '#') {
			p->steps[p->count++] = strdup(line);
		}
	}
	free(line);
	fclose(file);
}

int main(int argc, char **argv)
{
	static struct player p;
	const char *log = getenv("SCENE_LOG");

	if (argc < 2) {
		fprintf(stderr, "usage: scene FILE\n");
		return 8;
	}
	signal(SIGPIPE, SIG_IGN);
	load(&p, argv[1]);
	p.log = log != NULL ? fopen(log, "a") : NULL;
	for (int at = 0; at < p.count;) {
		at = play(&p, at);
	}
	while (read_line(&p)) {
	}
	return 0;
}

/*
 * foldbench LOG BANK [--kinds]: how long the fold of a log takes, behind the parser,
 * without and with the detectors (moments with their offers, and quiet notes, which
 * take their place in the fold as they do in an engine), and what single events cost,
 * once their line is parsed: the fold, the look for moments, and the offers of one
 * that is found. The events that come of it (written, parsed and folded as an engine
 * does) are counted as "found". BANK is a folder of questions. Prints "name value
 * unit", one a line; --kinds adds a table of every kind's count, median, 99th
 * percentile and longest, and what is left out of it is the time that asking for the
 * time takes.
 *
 * Events are timed one by one by the monotonic clock, which is read without a system
 * call: one of those would stand in every sample, and leave the processor's predictors
 * cold for the next. A longest event may therefore hold another program's time slice.
 * A whole pass is the sum: the difference of two passes over a large log, with the
 * parser and without, is mostly of memory that the system gives at two speeds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "core/claim.h"
#include "core/replay.h"
#include "core/scan.h"

#define SAMPLES (1 << 20)
#define SENTENCES KS_EV_COUNT /* the row of events that completed whole sentences */
#define FOUND (KS_EV_COUNT + 1) /* of the events that come of what is found, with their text */
#define ROWS (KS_EV_COUNT + 2)

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

struct samples {
	float *us;
	size_t count;
};

static void sample(struct samples *s, double us)
{
	if (s->us == NULL) {
		s->us = ks_zalloc(SAMPLES, sizeof(s->us[0]));
	}
	if (s->count < SAMPLES) {
		s->us[s->count++] = (float)us;
	}
}

/* Of sorted samples; share 0.5 is the median. */
static double at(const struct samples *s, double share)
{
	return s->count > 0 ? (double)s->us[(size_t)(share * (double)(s->count - 1))] : 0;
}

static double mean(const struct samples *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->count; i++) {
		sum += (double)s->us[i];
	}
	return s->count > 0 ? sum / (double)s->count : 0;
}

struct looks { /* at single events */
	struct samples all, row[ROWS];
};

static void look(struct looks *looks, const struct ks_state *state,
	const struct ks_event *event, double us)
{
	sample(&looks->all, us);
	sample(&looks->row[event->kind], us);
	if (state->scan->to > state->scan->from) {
		sample(&looks->row[SENTENCES], us);
	}
}

static void looks_sort(struct looks *looks)
{
	qsort(looks->all.us, looks->all.count, sizeof(float), by_size);
	for (int i = 0; i < ROWS; i++) {
		qsort(looks->row[i].us, looks->row[i].count, sizeof(float), by_size);
	}
}

static void looks_print(const struct looks *looks, double clock)
{
	printf("%-20s %8s %9s %9s %9s %9s\n", "kind, in us", "count", "mean", "median", "p99",
		"longest");
	for (int i = 0; i <= ROWS; i++) {
		const struct samples *s = i < ROWS ? &looks->row[i] : &looks->all;

		if (s->count > 0) {
			printf("%-20s %8zu %9.2f %9.2f %9.2f %9.2f\n", i == ROWS ? "all"
				: i == SENTENCES ? "(whole sentences)" :
				i == FOUND ? "(what was found)"
				: ks_ev_name((enum ks_ev)i), s->count, mean(s) - clock,
				at(s, 0.5) - clock, at(s, 0.99) - clock, at(s, 1) - clock);
		}
	}
}

static void looks_free(struct looks *looks)
{
	free(looks->all.us);
	for (int i = 0; i < ROWS; i++) {
		free(looks->row[i].us);
	}
}

/* One pass over the log, with or without the detectors: the microseconds behind the
 * parser, with two readings of the clock an event. looks NULL: no single event is
 * looked at. */
static double pass(FILE *in, const struct ks_policy *policy, bool detect, struct looks *looks)
{
	struct ks_replay replay;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	double spent = 0;

	rewind(in);
	ks_replay_init(&replay, policy);
	while ((n = getline(&line, &cap, in)) > 0) {
		struct ks_event event;
		struct ks_replay_found found;
		double t;

		n -= line[n - 1] == '\n';
		if (ks_event_parse(&event, (struct ks_str){line, (size_t)n}, NULL) < 0) {
			continue;
		}
		bool more = false;
		t = now_us();
		if (detect) {
			more = ks_replay_look(&replay, &event, &found);
		} else {
			ks_evolve(&replay.state, &event);
		}
		t = now_us() - t;
		spent += t;
		if (looks != NULL) {
			look(looks, &replay.state, &event, t);
		}
		if (more) {
			t = now_us();
			ks_replay_take(&replay, &event, &found);
			t = now_us() - t;
			spent += t;
		}
		if (looks != NULL && more) {
			sample(&looks->row[FOUND], t);
		}
		ks_event_fini(&event);
	}
	free(line);
	ks_replay_fini(&replay);
	return spent;
}

/* What asking for the time costs by itself. */
static double clock_cost(void)
{
	double begin = now_us();

	for (int i = 0; i < 10000; i++) {
		now_us();
	}
	return (now_us() - begin) / 10000;
}

static void print_passes(FILE *in, const struct ks_policy *policy)
{
	pass(in, policy, false, NULL); /* the file, the allocator and the processor are warm then */
	printf("fold %.2f s\n", pass(in, policy, false, NULL) / 1e6);
	printf("fold_and_detect %.2f s\n", pass(in, policy, true, NULL) / 1e6);
}

static void print_events(FILE *in, const struct ks_policy *policy, bool kinds)
{
	struct looks looks = {0};
	double clock = clock_cost();

	pass(in, policy, true, &looks);
	looks_sort(&looks);
	printf("event_median %.2f us\n", at(&looks.all, 0.5) - clock);
	printf("event_with_sentences_mean %.2f us\n", mean(&looks.row[SENTENCES]) - clock);
	printf("evaluation_median %.2f us\n", at(&looks.row[KS_EV_EVAL_FINISHED], 0.5) - clock);
	printf("found_median %.2f us\n", at(&looks.row[FOUND], 0.5) - clock);
	if (kinds) {
		looks_print(&looks, clock);
	}
	looks_free(&looks);
}

static struct ks_bank *load_bank(const char *dir, struct ks_err *err)
{
	struct ks_bank *bank = ks_bank_new();
	char **names = NULL;
	size_t count = 0;
	int rc = ks_file_list(&names, &count, dir, err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *path = ks_path_join(dir, names[i]);
		struct ks_buf text = {0};

		rc = ks_file_read(&text, path, 4 << 20, err);
		if (rc == 0) {
			rc = ks_bank_load(bank, ks_buf_str(&text), names[i], err);
		}
		ks_buf_fini(&text);
		free(path);
	}
	ks_names_free(names, count);
	if (rc == 0) {
		return bank;
	}
	ks_bank_free(bank);
	return NULL;
}

int main(int argc, char **argv)
{
	bool kinds = argc == 4 && strcmp(argv[3], "--kinds") == 0;
	FILE *in = argc == 3 || kinds ? fopen(argv[1], "re") : NULL;
	struct ks_err err = KS_ERR_INIT;
	struct ks_bank *bank = in != NULL ? load_bank(argv[2], &err) : NULL;
	struct ks_claim_set *claims;
	struct ks_policy policy;
	double begin = now_us();

	if (bank == NULL) {
		fprintf(stderr, "foldbench: use foldbench LOG BANK [--kinds]; %s\n", err.msg);
		return 2;
	}
	claims = ks_claim_set_new();
	printf("claim_set_new %.2f ms\n", (now_us() - begin) / 1e3);
	ks_policy_default(&policy);
	policy.claims = claims;
	policy.bank = bank;
	print_passes(in, &policy);
	print_events(in, &policy, kinds);
	ks_claim_set_free(claims);
	ks_bank_free(bank);
	fclose(in);
	return 0;
}

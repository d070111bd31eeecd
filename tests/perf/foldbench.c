/*
 * foldbench LOG: how long the fold of a log takes, without and with the
 * detectors (moments and quiet notes, which take their place in the fold as they
 * do in an engine), and what events of one kind cost, once their line is parsed. Prints "name value unit", one a
 * line; times are of this thread's processor time, so that other programs
 * disturb them little.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "core/claim.h"
#include "core/replay.h"
#include "core/scan.h"

#define SAMPLES (1 << 20)

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct samples {
	double *us;
	size_t count;
};

static void sample(struct samples *s, double us)
{
	if (s->count < SAMPLES) {
		s->us[s->count++] = us;
	}
}

static double median(struct samples *s)
{
	if (s->count == 0) {
		return 0;
	}
	qsort(s->us, s->count, sizeof(s->us[0]), by_size);
	return s->us[s->count / 2];
}

static double mean(const struct samples *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->count; i++) {
		sum += s->us[i];
	}
	return s->count > 0 ? sum / (double)s->count : 0;
}

struct looks { /* at single events; NULL: none is looked at */
	struct samples all, words, evals;
};

enum how { PARSE, FOLD, DETECT };

/* One pass over the log: lines parsed, folded too, detectors too. */
static double pass(FILE *in, const struct ks_policy *policy, enum how how,
	struct looks *looks)
{
	struct ks_replay replay;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	double begin = now_us();

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
		t = looks != NULL ? now_us() : 0;
		if (how == FOLD) {
			ks_evolve(&replay.state, &event);
		} else if (how == DETECT) {
			ks_replay_step(&replay, &event, &found);
		}
		if (looks != NULL) {
			t = now_us() - t;
			sample(&looks->all, t);
			if (replay.state.scan->to > replay.state.scan->from) {
				sample(&looks->words, t); /* whole sentences came with it */
			} else if (event.kind == KS_EV_EVAL_FINISHED) {
				sample(&looks->evals, t);
			}
		}
		ks_event_fini(&event);
	}
	free(line);
	ks_replay_fini(&replay);
	return now_us() - begin;
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

int main(int argc, char **argv)
{
	FILE *in = argc == 2 ? fopen(argv[1], "re") : NULL;
	struct ks_claim_set *claims;
	struct ks_policy policy;
	struct looks looks = {0};
	double parse, fold, detect, clock, begin = now_us();

	if (in == NULL) {
		fprintf(stderr, "foldbench: use foldbench LOG\n");
		return 2;
	}
	claims = ks_claim_set_new();
	printf("claim_set_new %.2f ms\n", (now_us() - begin) / 1e3);
	ks_policy_default(&policy);
	policy.claims = claims;
	looks.all.us = malloc(SAMPLES * sizeof(double));
	looks.words.us = malloc(SAMPLES * sizeof(double));
	looks.evals.us = malloc(SAMPLES * sizeof(double));
	if (looks.all.us == NULL || looks.words.us == NULL || looks.evals.us == NULL) {
		return 1;
	}
	pass(in, &policy, PARSE, NULL); /* the file, the allocator and the processor are warm then */
	parse = pass(in, &policy, PARSE, NULL) / 1e6;
	fold = pass(in, &policy, FOLD, NULL) / 1e6;
	detect = pass(in, &policy, DETECT, NULL) / 1e6;
	printf("parse %.2f s\nfold %.2f s\nfold_and_detect %.2f s\n", parse, fold - parse,
		detect - parse);
	pass(in, &policy, DETECT, &looks);
	clock = clock_cost();
	printf("event_median %.2f us\n", median(&looks.all) - clock);
	printf("event_with_sentences_mean %.2f us\n", mean(&looks.words) - clock);
	printf("evaluation_median %.2f us\n", median(&looks.evals) - clock);
	free(looks.all.us);
	free(looks.words.us);
	free(looks.evals.us);
	ks_claim_set_free(claims);
	fclose(in);
	return 0;
}

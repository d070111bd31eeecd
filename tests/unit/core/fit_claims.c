/*
 * fit_claims [--tuned] FILE...: fits the weights of claims to labelled sentences
 * (JSON lines with "text" and "label") and writes claim_weights.c to standard
 * output. Files after --tuned were looked at when the patterns were written, so
 * what patterns say there is better than it will be: a part of it is left out.
 *
 * A multinomial logistic regression with an L2 penalty, classes balanced
 * halfway, by gradient steps with momentum; the same input gives the same weights.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/claim_impl.h"

#define PAIRS (CLAIM_CLASSES * CLAIM_CLASSES)
#define FEATURES (1 + CLAIM_SINGLES + PAIRS)
#define PENALTY 7.0 /* 1 / C */
#define STEPS 1500
#define LEAST 2      /* a feature in fewer sentences is left out */
#define LEAST_WEIGHT 3 /* in units of 1 / CLAIM_SCALE; less is left out */
#define TUNED_LOST 40 /* of a hundred claims whose signs are hidden */
#define TUNED_WRONG 15 /* of a hundred others that get a wrong one */

struct sample {
	int label;
	int *feature;
	size_t count;
	double weight;
};

struct data {
	struct sample *item;
	size_t count, cap;
	size_t labels[KS_CLAIMS];
};

static void put(struct sample *s, size_t *cap, int feature)
{
	ks_grow(&s->feature, cap, s->count + 1, sizeof(s->feature[0]));
	s->feature[s->count++] = feature;
}

/* Hides signs of some claims, and gives some others a wrong one. */
static void roughen(struct claim_parts *parts, int label, uint32_t *seed)
{
	uint32_t roll;

	*seed = *seed * 1664525u + 1013904223u;
	roll = (*seed >> 16) % 100;
	if (label > 0 && roll < TUNED_LOST) {
		memset(parts->has + CLAIM_SIGN, 0, 2 * (KS_CLAIMS - 1));
	} else if (label == 0 && roll < TUNED_WRONG) {
		parts->has[CLAIM_SIGN + 2 * (roll % (KS_CLAIMS - 1)) + 1] = 1;
	}
}

static void take(struct data *data, const struct ks_claim_set *set, const char *text,
	int label, uint32_t *tuned)
{
	struct claim_parts parts;
	struct sample *s;
	size_t cap = 0;

	claim_features_of(&parts, set, ks_str_of(text));
	if (tuned) {
		roughen(&parts, label, tuned);
	}
	ks_grow(&data->item, &data->cap, data->count + 1, sizeof(data->item[0]));
	s = &data->item[data->count++];
	*s = (struct sample){.label = label};
	data->labels[label]++;
	put(s, &cap, 0);
	for (int f = 0; f < CLAIM_SINGLES; f++) {
		if (parts.has[f]) {
			put(s, &cap, 1 + f);
		}
	}
	for (size_t i = 0; i < parts.count; i++) {
		for (size_t j = i + 1; j < parts.count; j++) {
			put(s, &cap, 1 + CLAIM_SINGLES + parts.set[i] * CLAIM_CLASSES +
				parts.set[j]);
		}
	}
}

static void read_file(struct data *data, const struct ks_claim_set *set, const char *path,
	uint32_t *tuned)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;

	if (!in) {
		fprintf(stderr, "fit_claims: %s: cannot be read\n", path);
		exit(1);
	}
	while (getline(&line, &cap, in) > 0) {
		struct ks_json *doc = NULL;
		int label;

		if (ks_json_parse(&doc, line, strlen(line), NULL) != KS_OK) {
			continue;
		}
		label = ks_claim_of(ks_str_of(ks_json_get_str(doc, "label", "")));
		if (label >= 0) {
			take(data, set, ks_json_get_str(doc, "text", ""), label, tuned);
		}
		ks_json_free(doc);
	}
	free(line);
	fclose(in);
}

/* Drops what is rare, and balances the labels halfway: sentences that claim nothing
 * are the most where an agent talks. */
static void prepare(struct data *data)
{
	int *seen = ks_zalloc(FEATURES, sizeof(*seen));

	for (size_t i = 0; i < data->count; i++) {
		for (size_t k = 0; k < data->item[i].count; k++) {
			seen[data->item[i].feature[k]]++;
		}
	}
	for (size_t i = 0; i < data->count; i++) {
		struct sample *s = &data->item[i];
		size_t kept = 0;

		for (size_t k = 0; k < s->count; k++) {
			if (seen[s->feature[k]] >= LEAST) {
				s->feature[kept++] = s->feature[k];
			}
		}
		s->count = kept;
		s->weight = sqrt((double)data->count /
			(KS_CLAIMS * (double)data->labels[s->label]));
	}
	free(seen);
}

static void chances(double p[KS_CLAIMS], const struct sample *s, const double *w)
{
	double most = -1e300, sum = 0;

	for (int k = 0; k < KS_CLAIMS; k++) {
		p[k] = 0;
		for (size_t i = 0; i < s->count; i++) {
			p[k] += w[s->feature[i] * KS_CLAIMS + k];
		}
		most = p[k] > most ? p[k] : most;
	}
	for (int k = 0; k < KS_CLAIMS; k++) {
		p[k] = exp(p[k] - most);
		sum += p[k];
	}
	for (int k = 0; k < KS_CLAIMS; k++) {
		p[k] /= sum;
	}
}

/* Gradient steps with momentum, each feature at its own rate. */
static void fit(const struct data *data, double *w)
{
	size_t n = (size_t)FEATURES * KS_CLAIMS;
	double *gradient = ks_zalloc(n, sizeof(*gradient));
	double *speed = ks_zalloc(n, sizeof(*speed)), *size = ks_zalloc(n, sizeof(*size));

	for (int step = 0; step < STEPS; step++) {
		double rate = 0.05 * (1 - step / (double)STEPS) + 1e-4;

		for (size_t i = 0; i < n; i++) {
			gradient[i] = i < KS_CLAIMS ? 0 : PENALTY * w[i];
		}
		for (size_t i = 0; i < data->count; i++) {
			const struct sample *s = &data->item[i];
			double p[KS_CLAIMS];

			chances(p, s, w);
			for (int k = 0; k < KS_CLAIMS; k++) {
				double off = s->weight * (p[k] - (k == s->label));

				for (size_t f = 0; f < s->count; f++) {
					gradient[s->feature[f] * KS_CLAIMS + k] += off;
				}
			}
		}
		for (size_t i = 0; i < n; i++) {
			speed[i] = 0.9 * speed[i] + 0.1 * gradient[i];
			size[i] = 0.999 * size[i] + 0.001 * gradient[i] * gradient[i];
			w[i] -= rate * speed[i] / (sqrt(size[i]) + 1e-3);
		}
	}
	free(gradient);
	free(speed);
	free(size);
}

/* ---- writing ---- */

/* A feature's weights against none; false where all are next to nothing. */
static bool rounded(int out[KS_CLAIMS - 1], const double *w, int feature)
{
	bool any = false;

	for (int k = 1; k < KS_CLAIMS; k++) {
		double v = (w[feature * KS_CLAIMS + k] - w[feature * KS_CLAIMS]) * CLAIM_SCALE;

		out[k - 1] = (int)lround(v < -127 && feature ? -127 : v > 127 && feature ? 127 : v);
		any = any || abs(out[k - 1]) > LEAST_WEIGHT;
	}
	return any;
}

static void write_row(int *column, const char *front, const int v[KS_CLAIMS - 1])
{
	char text[64];
	int len = snprintf(text, sizeof(text), "{%s {%d, %d, %d, %d}},", front, v[0], v[1],
		v[2], v[3]);

	if (*column + len + 1 > 96) {
		printf("\n");
		*column = 0;
	}
	printf(*column ? " %s" : "\t%s", text);
	*column += len + (*column ? 1 : 8);
}

static void write_weights(const double *w, size_t sentences)
{
	int v[KS_CLAIMS - 1], column = 0;
	char front[32];

	rounded(v, w, 0);
	printf("/*\n * Weights of claims, written by tests/unit/core/fit_claims from %zu labelled\n"
		" * sentences; not to be edited by hand. A row is a feature (or a pair of classes)\n"
		" * and how it speaks for limit, completion, explained away and suspicious win.\n"
		" */\n#include \"core/claim_impl.h\"\n\nconst short claim_bias[KS_CLAIMS - 1] = "
		"{%d, %d, %d, %d};\n\nconst struct claim_single claim_singles[] = {\n", sentences,
		v[0], v[1], v[2], v[3]);
	for (int f = 0; f < CLAIM_SINGLES; f++) {
		if (rounded(v, w, 1 + f)) {
			snprintf(front, sizeof(front), "%d,", f);
			write_row(&column, front, v);
		}
	}
	printf("\n};\nconst size_t claim_single_count =\n\tsizeof(claim_singles) / "
		"sizeof(claim_singles[0]);\n\nconst struct claim_pair claim_pairs[] = {\n");
	column = 0;
	for (int i = 0; i < PAIRS; i++) {
		if (rounded(v, w, 1 + CLAIM_SINGLES + i)) {
			snprintf(front, sizeof(front), "%d, %d,", i / CLAIM_CLASSES,
				i % CLAIM_CLASSES);
			write_row(&column, front, v);
		}
	}
	printf("\n};\nconst size_t claim_pair_count = sizeof(claim_pairs) / "
		"sizeof(claim_pairs[0]);\n");
}

int main(int argc, char **argv)
{
	struct ks_claim_set *set = ks_claim_set_new();
	struct data data = {0};
	double *w = ks_zalloc((size_t)FEATURES * KS_CLAIMS, sizeof(*w));
	uint32_t seed = 7;
	bool tuned = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--tuned") == 0) {
			tuned = true;
		} else {
			read_file(&data, set, argv[i], tuned ? &seed : NULL);
		}
	}
	prepare(&data);
	fit(&data, w);
	write_weights(w, data.count);
	for (size_t i = 0; i < data.count; i++) {
		free(data.item[i].feature);
	}
	free(data.item);
	free(w);
	ks_claim_set_free(set);
	return 0;
}

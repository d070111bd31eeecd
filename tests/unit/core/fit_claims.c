/*
 * fit_claims [--out DIR | --leave FILE ...] [--tuned FILE ...] [--] FILE ...: fits the
 * weights of claims to labelled sentences (JSON lines with "text" and "label"), and
 * writes claim_weights.c and claim_stem_weights.c into DIR; or leaves each set of
 * --leave (files joined by +) out of the fit in turn, and says how well its sentences
 * are labelled by a fit to all others. Files after --tuned were looked at when the
 * patterns were written, so what patterns say there is better than it will be: a
 * part of it is left out.
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
#define STEMS (1 + CLAIM_SINGLES + PAIRS) /* the first bucket */
#define FEATURES (STEMS + CLAIM_STEM_BUCKETS)
#define PENALTY 5.0       /* of classes and signs */
#define PENALTY_PAIR 12.0
#define PENALTY_STEM 0.1  /* of buckets, whose values are below one */
#define STEPS 700
#define FORM_COST 1.5     /* as claim.c takes it */
#define FILES 64
#define LEAST_WEIGHT 3 /* in units of 1 / CLAIM_SCALE; less is left out */
#define LINE_BUCKETS 24 /* of stems in a line of what is written */
#define TUNED_LOST 40 /* of a hundred claims whose signs are hidden */
#define TUNED_WRONG 15 /* of a hundred others that get a wrong one */

struct sample {
	int label, file;
	int *feature;
	size_t count;
	double stem;    /* value of a bucket; other features have 1 */
	double weight;
	bool denies[KS_CLAIMS]; /* a form that denies */
};

struct data {
	struct sample *item;
	size_t count, cap;
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

static double value_of(const struct sample *s, int feature)
{
	return feature >= STEMS ? s->stem : 1;
}

static double penalty_of(size_t feature)
{
	return feature == 0 ? 0 : feature >= STEMS ? PENALTY_STEM :
		feature > CLAIM_SINGLES ? PENALTY_PAIR : PENALTY;
}

static void put_all(struct sample *s, const struct claim_parts *parts,
	const struct claim_stems *stems)
{
	size_t cap = 0;

	put(s, &cap, 0);
	for (int f = 0; f < CLAIM_SINGLES; f++) {
		if (parts->has[f]) {
			put(s, &cap, 1 + f);
		}
	}
	for (size_t i = 0; i < parts->count; i++) {
		for (size_t j = i + 1; j < parts->count; j++) {
			put(s, &cap, 1 + CLAIM_SINGLES + parts->set[i] * CLAIM_CLASSES +
				parts->set[j]);
		}
	}
	for (size_t i = 0; i < stems->count; i++) {
		put(s, &cap, STEMS + stems->bucket[i]);
	}
}

static void take(struct data *data, const struct ks_claim_set *set, const char *text,
	int label, int file, uint32_t *tuned)
{
	struct claim_parts parts;
	struct claim_stems stems;
	struct sample *s;

	claim_features_of(&parts, &stems, set, ks_str_of(text));
	if (tuned) {
		roughen(&parts, label, tuned);
	}
	ks_grow(&data->item, &data->cap, data->count + 1, sizeof(data->item[0]));
	s = &data->item[data->count++];
	*s = (struct sample){.label = label, .file = file,
		.stem = 1 / sqrt(stems.count ? (double)stems.count : 1)};
	for (int k = 1; k < KS_CLAIMS; k++) {
		s->denies[k] = parts.has[CLAIM_FORM + k - 1];
	}
	put_all(s, &parts, &stems);
}

static void read_file(struct data *data, const struct ks_claim_set *set, const char *path,
	int file, uint32_t *tuned)
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
			take(data, set, ks_json_get_str(doc, "text", ""), label, file,
				tuned);
		}
		ks_json_free(doc);
	}
	free(line);
	fclose(in);
}

/* Weighs the sentences that are not left out, so that labels are balanced halfway:
 * sentences that claim nothing are the most where an agent talks. Returns how many. */
static size_t weigh(struct data *data, const bool *left_out)
{
	size_t labels[KS_CLAIMS] = {0}, count = 0;

	for (size_t i = 0; i < data->count; i++) {
		if (!left_out[data->item[i].file]) {
			labels[data->item[i].label]++;
			count++;
		}
	}
	for (size_t i = 0; i < data->count; i++) {
		struct sample *s = &data->item[i];

		s->weight = left_out[s->file] ? 0 :
			sqrt((double)count / (KS_CLAIMS * (double)labels[s->label]));
	}
	return count;
}

static void sums_of(double sum[KS_CLAIMS], const struct sample *s, const double *w)
{
	for (int k = 0; k < KS_CLAIMS; k++) {
		sum[k] = 0;
	}
	for (size_t i = 0; i < s->count; i++) {
		double v = value_of(s, s->feature[i]);

		for (int k = 0; k < KS_CLAIMS; k++) {
			sum[k] += v * w[s->feature[i] * KS_CLAIMS + k];
		}
	}
}

static void chances(double p[KS_CLAIMS], const struct sample *s, const double *w)
{
	double most = -1e300, sum = 0;

	sums_of(p, s, w);
	for (int k = 0; k < KS_CLAIMS; k++) {
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

static void add_gradient(double *gradient, const struct sample *s, const double *w)
{
	double p[KS_CLAIMS];

	chances(p, s, w);
	for (int k = 0; k < KS_CLAIMS; k++) {
		p[k] = s->weight * (p[k] - (k == s->label));
	}
	for (size_t f = 0; f < s->count; f++) {
		double v = value_of(s, s->feature[f]);

		for (int k = 0; k < KS_CLAIMS; k++) {
			gradient[s->feature[f] * KS_CLAIMS + k] += v * p[k];
		}
	}
}

/* Gradient steps with momentum, each feature at its own rate. */
static void fit(const struct data *data, double *w)
{
	size_t n = (size_t)FEATURES * KS_CLAIMS;
	double *gradient = ks_zalloc(n, sizeof(*gradient));
	double *speed = ks_zalloc(n, sizeof(*speed)), *size = ks_zalloc(n, sizeof(*size));

	memset(w, 0, n * sizeof(*w));
	for (int step = 0; step < STEPS; step++) {
		double rate = 0.05 * (1 - step / (double)STEPS) + 1e-4;

		for (size_t i = 0; i < n; i++) {
			gradient[i] = penalty_of(i / KS_CLAIMS) * w[i];
		}
		for (size_t i = 0; i < data->count; i++) {
			if (data->item[i].weight > 0) {
				add_gradient(gradient, &data->item[i], w);
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

/* ---- leaving sets out ---- */

struct table { /* [label][as it was taken] */
	size_t count[KS_CLAIMS][KS_CLAIMS];
};

static double f1_of(const struct table *t, int k)
{
	size_t wrong = 0;

	for (int i = 0; i < KS_CLAIMS; i++) {
		wrong += i == k ? 0 : t->count[i][k] + t->count[k][i];
	}
	return 2.0 * (double)t->count[k][k] /
		(double)(2 * t->count[k][k] + wrong + (2 * t->count[k][k] + wrong == 0));
}

static void print_table(const char *what, const struct table *t)
{
	double macro = 0;

	printf("%-40s", what);
	for (int k = 0; k < KS_CLAIMS; k++) {
		macro += f1_of(t, k) / KS_CLAIMS;
		printf(" %s %.2f", ks_claim_name((enum ks_claim_kind)k), f1_of(t, k));
	}
	printf(" macro %.3f\n", macro);
}

/* As claim.c takes it. */
static int taken_for(const struct sample *s, const double *w)
{
	double sum[KS_CLAIMS];
	int best = 0;

	sums_of(sum, s, w);
	for (int k = 1; k < KS_CLAIMS; k++) {
		sum[k] -= s->denies[k] ? FORM_COST : 0;
		best = sum[k] > sum[best] ? k : best;
	}
	return best;
}

static void leave_out(struct data *data, double *w, char **files, int n_files,
	const char *set, struct table *all)
{
	bool out[FILES] = {false};
	struct table t = {{{0}}};

	for (int i = 0; i < n_files; i++) {
		size_t len = strlen(files[i]);
		const char *at = strstr(set, files[i]);

		out[i] = at && (at == set || at[-1] == '+') && (at[len] == '\0' || at[len] == '+');
	}
	weigh(data, out);
	fit(data, w);
	for (size_t i = 0; i < data->count; i++) {
		const struct sample *s = &data->item[i];

		if (out[s->file]) {
			int as = taken_for(s, w);

			t.count[s->label][as]++;
			all->count[s->label][as]++;
		}
	}
	print_table(set, &t);
	fflush(stdout);
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

static void write_row(FILE *to, int *column, const char *front, const int v[KS_CLAIMS - 1])
{
	char text[64];
	int len = snprintf(text, sizeof(text), "{%s {%d, %d, %d, %d}},", front, v[0], v[1],
		v[2], v[3]);

	if (*column + len + 1 > 96) {
		fprintf(to, "\n");
		*column = 0;
	}
	fprintf(to, *column ? " %s" : "\t%s", text);
	*column += len + (*column ? 1 : 8);
}

static void write_weights(FILE *to, const double *w, size_t sentences)
{
	int v[KS_CLAIMS - 1], column = 0;
	char front[32];

	rounded(v, w, 0);
	fprintf(to,
		"/*\n * Weights of claims, written by tests/unit/core/fit_claims from %zu "
		"labelled\n"
		" * sentences; not to be edited by hand. A row is a feature (or a pair of "
		"classes)\n"
		" * and how it speaks for limit, completion, explained away and suspicious win.\n"
		" */\n#include \"core/claim_impl.h\"\n\nconst short claim_bias[KS_CLAIMS - 1] = "
		"{%d, %d, %d, %d};\n\nconst struct claim_single claim_singles[] = {\n", sentences,
		v[0], v[1], v[2], v[3]);
	for (int f = 0; f < CLAIM_SINGLES; f++) {
		if (rounded(v, w, 1 + f)) {
			snprintf(front, sizeof(front), "%d,", f);
			write_row(to, &column, front, v);
		}
	}
	fprintf(to, "\n};\nconst size_t claim_single_count =\n\tsizeof(claim_singles) / "
		"sizeof(claim_singles[0]);\n\nconst struct claim_pair claim_pairs[] = {\n");
	column = 0;
	for (int i = 0; i < PAIRS; i++) {
		if (rounded(v, w, 1 + CLAIM_SINGLES + i)) {
			snprintf(front, sizeof(front), "%d, %d,", i / CLAIM_CLASSES,
				i % CLAIM_CLASSES);
			write_row(to, &column, front, v);
		}
	}
	fprintf(to, "\n};\nconst size_t claim_pair_count = sizeof(claim_pairs) / "
		"sizeof(claim_pairs[0]);\n");
}

static char digit_of(double weight)
{
	long v = lround(weight * CLAIM_SCALE / CLAIM_STEM_UNIT);
	long most = (long)strlen(CLAIM_STEM_DIGITS) - 1 - CLAIM_STEM_ZERO;

	v = v > most ? most : v < -CLAIM_STEM_ZERO ? -CLAIM_STEM_ZERO : v;
	return CLAIM_STEM_DIGITS[v + CLAIM_STEM_ZERO];
}

static void write_stems(FILE *to, const double *w, size_t sentences)
{
	fprintf(to, "/*\n * Weights of the stems of claims by bucket, written by "
		"tests/unit/core/fit_claims\n * from %zu labelled sentences; not to be edited by "
		"hand. See CLAIM_STEM_DIGITS.\n */\n#include \"core/claim_impl.h\"\n\n"
		"const char claim_stem_rows[CLAIM_STEM_BUCKETS / CLAIM_STEM_ROW]\n"
		"\t[CLAIM_STEM_ROW * (KS_CLAIMS - 1) + 1] = {\n", sentences);
	for (int b = 0; b < CLAIM_STEM_BUCKETS; b++) {
		const double *v = w + (STEMS + b) * KS_CLAIMS;
		int at = b % CLAIM_STEM_ROW;

		if (at % LINE_BUCKETS == 0) {
			fputs(at == 0 ? "\"" : "\"\n\"", to);
		}
		for (int k = 1; k < KS_CLAIMS; k++) {
			fputc(digit_of(v[k] - v[0]), to);
		}
		fputs(at == CLAIM_STEM_ROW - 1 ? "\",\n" : "", to);
	}
	fprintf(to, "};\n");
}

static void write_file(const char *dir, const char *name, const double *w, size_t sentences,
	void (*write)(FILE *to, const double *w, size_t sentences))
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *to = fopen(path, "we");

	if (!to) {
		fprintf(stderr, "fit_claims: %s: cannot be written\n", path);
		exit(1);
	}
	write(to, w, sentences);
	fclose(to);
}

struct words { /* of the command line */
	const char *out;
	char *leave[FILES], *file[FILES];
	bool tuned[FILES];
	int n_leave, n_files;
};

static void read_words(struct words *words, int argc, char **argv)
{
	enum { PLAIN, LEAVE, TUNED } into = PLAIN;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
			words->out = argv[++i];
		} else if (strcmp(argv[i], "--leave") == 0) {
			into = LEAVE;
		} else if (strcmp(argv[i], "--tuned") == 0) {
			into = TUNED;
		} else if (strcmp(argv[i], "--") == 0) {
			into = PLAIN;
		} else if (into == LEAVE && words->n_leave < FILES) {
			words->leave[words->n_leave++] = argv[i];
		} else if (words->n_files < FILES) {
			words->tuned[words->n_files] = into == TUNED;
			words->file[words->n_files++] = argv[i];
		}
	}
}

static void run(const struct words *words, struct data *data, double *w)
{
	bool none[FILES] = {false};
	struct table all = {{{0}}};

	for (int i = 0; i < words->n_leave; i++) {
		leave_out(data, w, (char **)words->file, words->n_files, words->leave[i], &all);
	}
	if (words->n_leave > 0) {
		print_table("all that were left out", &all);
	}
	if (words->out) {
		size_t count = weigh(data, none);

		fit(data, w);
		write_file(words->out, "claim_weights.c", w, count, write_weights);
		write_file(words->out, "claim_stem_weights.c", w, count, write_stems);
	}
}

int main(int argc, char **argv)
{
	struct ks_claim_set *set = ks_claim_set_new();
	struct data data = {0};
	struct words words = {0};
	double *w = ks_zalloc((size_t)FEATURES * KS_CLAIMS, sizeof(*w));
	uint32_t seed = 7;

	read_words(&words, argc, argv);
	for (int i = 0; i < words.n_files; i++) {
		read_file(&data, set, words.file[i], i, words.tuned[i] ? &seed : NULL);
	}
	run(&words, &data, w);
	for (size_t i = 0; i < data.count; i++) {
		free(data.item[i].feature);
	}
	free(data.item);
	free(w);
	ks_claim_set_free(set);
	return 0;
}

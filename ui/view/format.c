/* Small formats that several views share. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/view.h"

void ks_fmt_duration(int64_t us, char *out, size_t size)
{
	int64_t s = us / 1000000;

	if (us < 0) {
		snprintf(out, size, "-");
	} else if (us < 1000000) {
		snprintf(out, size, "%dms", (int)(us / 1000));
	} else if (s < 60) {
		snprintf(out, size, "%.1fs", (double)us / 1e6);
	} else if (s < 3600) {
		snprintf(out, size, "%dm%02ds", (int)(s / 60), (int)(s % 60));
	} else {
		snprintf(out, size, "%lldh%02dm", (long long)(s / 3600),
			(int)(s / 60 % 60));
	}
}

void ks_fmt_clock(int64_t us, char *out, size_t size)
{
	int64_t s = us > 0 ? us / 1000000 : 0;

	if (s < 3600) {
		snprintf(out, size, "%02d:%02d", (int)(s / 60), (int)(s % 60));
	} else {
		snprintf(out, size, "%lld:%02d:%02d", (long long)(s / 3600),
			(int)(s / 60 % 60), (int)(s % 60));
	}
}

void ks_fmt_speedup(double x, char *out, size_t size)
{
	if (!(x > 0) || !isfinite(x)) {
		snprintf(out, size, "-");
	} else if (x < 100) {
		snprintf(out, size, "%.2fx", x);
	} else {
		snprintf(out, size, "%.0fx", x < 1e6 ? x : 1e6);
	}
}

void ks_fmt_interval(double x, double lo, double hi, bool ascii, char *out, size_t size)
{
	char speed[16], high[16];

	ks_fmt_speedup(x, speed, sizeof(speed));
	if (!(hi - lo > 0) || (hi - lo) / 2 <= x / 3) {
		snprintf(out, size, "%s %s%.2f", speed, ks_glyph(KS_GLYPH_PLUSMINUS, ascii),
			hi - lo > 0 && hi - lo < 1e6 ? (hi - lo) / 2 : 0);
		return;
	}
	ks_fmt_speedup(hi, high, sizeof(high));
	snprintf(out, size, lo < 100 ? "%.2f%s%s" : "%.0f%s%s", lo < 1e6 ? lo : 1e6,
		ks_glyph(KS_GLYPH_TO, ascii), high);
}

void ks_fmt_us(double us, char *out, size_t size)
{
	if (!(us > 0) || !isfinite(us)) {
		snprintf(out, size, "-");
	} else if (us < 1000) {
		snprintf(out, size, "%.1f us", us);
	} else if (us < 1e6) {
		snprintf(out, size, "%.2f ms", us / 1e3);
	} else {
		snprintf(out, size, "%.2f s", us < 1e12 ? us / 1e6 : 1e6);
	}
}

void ks_fmt_candidate(const struct ks_state *state, int index, char *out, size_t size)
{
	char name[KS_CANDIDATE_TEXT];

	if (index < 0 || (size_t)index >= state->n_candidates) {
		snprintf(out, size, "-");
	} else {
		snprintf(out, size, "%s",
			ks_candidate_short(name, state->candidates[index].number));
	}
}

void ks_fmt_clauses_of(const struct ks_state *state, char *out, size_t size)
{
	int index = ks_state_candidate_number(state, state->goal_candidate);
	char name[KS_CANDIDATE_TEXT];

	out[0] = '\0';
	if (index >= 0 && index != state->champion) {
		snprintf(out, size, " of %s", ks_candidate_short(name, state->goal_candidate));
	}
}

static bool has_word(const char *text, const char *word, size_t len)
{
	size_t i;

	for (; *text != '\0'; text++) {
		for (i = 0; i < len; i++) {
			if (tolower((unsigned char)text[i]) !=
			    tolower((unsigned char)word[i])) {
				break;
			}
		}
		if (i == len) {
			return true;
		}
	}
	return len == 0;
}

bool ks_matches(const char *text, const char *query)
{
	struct ks_str rest = ks_str_of(query);
	struct ks_str word;

	while (ks_str_next(&rest, ' ', &word)) {
		if (word.len > 0 && !has_word(text, word.ptr, word.len)) {
			return false;
		}
	}
	return true;
}

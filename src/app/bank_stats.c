/* kseek bank stats: what was said, measured and gained, over campaigns. */
#include "app/bank_ask.h"
#include "app/common.h"
#include "app/outcomes.h"
#include "base/mem.h"
#include "base/plural.h"

/* One campaign folded with its figures. */
struct campaign {
	struct ks_fold *fold;
	struct ks_stats stats;
};

static int fold_line(void *payload, const struct ks_follow_line *line)
{
	struct campaign *c = payload;
	struct ks_event event;
	struct ks_err err = KS_ERR_INIT;

	ks_fold_step(c->fold, 1);
	if (line->whole && ks_event_parse(&event, line->text, &err) == 0) {
		ks_stats_add(&c->stats, ks_fold_state(c->fold), &event);
		ks_event_fini(&event);
	}
	return 0;
}

static int campaign_open(struct campaign *c, const char *path, struct ks_err *err)
{
	int rc = ks_fold_open_any(&c->fold, path, err);

	ks_stats_init(&c->stats);
	if (rc == 0) {
		rc = ks_follow_each(ks_fold_follow(c->fold), 0,
			ks_follow_count(ks_fold_follow(c->fold)), fold_line, c, err);
	}
	return rc;
}

static void campaign_close(struct campaign *c)
{
	ks_stats_fini(&c->stats);
	ks_fold_free(c->fold);
}

static void print_campaign(const struct campaign *c)
{
	const struct ks_state *s = ks_fold_state(c->fold);
	struct ks_buf text = {0};

	ks_put(stdout, s->name, 60);
	printf(" (%s), %d call%s, best %.2fx\n", s->id, s->calls, ks_s(s->calls), s->best);
	ks_stats_text(&c->stats, s, &text);
	ks_put_block(stdout, ks_buf_str(&text));
	fputc('\n', stdout);
	ks_buf_fini(&text);
}

static void json_campaign(struct ks_jw *w, const struct campaign *c)
{
	const struct ks_state *s = ks_fold_state(c->fold);

	ks_jw_open(w, NULL);
	ks_jw_str(w, "id", s->id);
	ks_jw_str(w, "name", s->name);
	ks_jw_str(w, "target", s->target);
	ks_jw_num(w, "best", s->best);
	ks_stats_write(&c->stats, s, w);
	ks_jw_close(w);
}

struct all { /* over every campaign */
	struct ks_stats_asked asked;
	struct ks_outcomes outcomes;
	struct ks_jw *w; /* NULL: as text */
	bool learn;
	struct ks_buf ids; /* of the campaigns so far, one a line */
};

/* Whether the campaign was given before, in this place or as a copy: it counts once. */
static bool seen(struct all *all, const char *id, const char *path)
{
	struct ks_str rest = ks_buf_str(&all->ids), one;

	while (ks_str_next(&rest, '\n', &one)) {
		if (ks_str_is(one, id) && id[0] != '\0') {
			fputs("kseek bank: ", stderr);
			ks_put(stderr, path, 0);
			fprintf(stderr, ": campaign %s was given before; it counts once\n", id);
			return true;
		}
	}
	ks_buf_addf(&all->ids, "%s\n", id);
	return false;
}

static int take(struct all *all, const char *path, struct ks_err *err)
{
	struct campaign c = {0};
	int rc = campaign_open(&c, path, err);

	if (rc == 0 && !seen(all, ks_fold_state(c.fold)->id, path)) {
		const struct ks_state *s = ks_fold_state(c.fold);
		struct ks_stats_asked own = {0};
		if (all->w != NULL) {
			json_campaign(all->w, &c);
		} else {
			print_campaign(&c);
		}
		ks_stats_asked_add(&all->asked, s);
		ks_stats_asked_add(&own, s);
		if (all->learn) {
			ks_outcomes_set(&all->outcomes, s->id, &own);
		}
		ks_stats_asked_fini(&own);
	}
	campaign_close(&c);
	return rc;
}

static void print_asked(const struct all *all)
{
	struct ks_buf text = {0};

	ks_stats_asked_text(&all->asked, &text);
	if (text.len == 0) {
		ks_buf_adds(&text, "no question of the bank was sent\n");
	}
	ks_put_block(stdout, ks_buf_str(&text));
	ks_buf_fini(&text);
}

int ks_bank_stats(const char **campaigns, int count, bool json, bool learn, struct ks_err *err)
{
	static const char *here[1] = {NULL};
	struct ks_buf out = {0};
	struct ks_jw w;
	struct all all = {.w = json ? &w : NULL, .learn = learn};
	int rc = learn ? ks_outcomes_read(&all.outcomes, err) : 0;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_open_array(&w, "campaigns");
	for (int i = 0; rc == 0 && i < (count > 0 ? count : 1); i++) {
		rc = take(&all, count > 0 ? campaigns[i] : here[0], err);
	}
	ks_jw_close_array(&w);
	ks_stats_asked_write(&all.asked, &w);
	ks_jw_close(&w);
	if (rc == 0 && json) {
		ks_put_json(&out);
	} else if (rc == 0) {
		print_asked(&all);
	}
	if (rc == 0 && learn) {
		rc = ks_outcomes_write(&all.outcomes, err);
	}
	ks_buf_fini(&out);
	ks_buf_fini(&all.ids);
	ks_stats_asked_fini(&all.asked);
	ks_outcomes_fini(&all.outcomes);
	return rc;
}

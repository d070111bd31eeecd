/*
 * The decision: see hook.h. It reads the log and never starts an evaluation: a
 * hook that takes longer than its agent waits is the same as none. Its count is
 * its own (.kseek/hook.json), since what agents say of "again" differs.
 */
#include "app/hook.h"

#include <stdio.h>
#include <string.h>

#include "app/rules.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/moment.h"
#include "core/standing.h"
#include "store/sources.h"

#define SESSIONS_MAX 16 /* kept in the file; the ones not seen longest go */
#define REASON_MAX (12 * 1024)
#define BLOCKS 100
#define IDLE 3

struct count {
	char session[80];
	long blocks;         /* in all                                  */
	long idle;           /* in a row without anything new           */
	char hash[KS_HASH_HEX];
	int evals;
	int64_t t;
};

struct counts {
	struct count item[SESSIONS_MAX];
	size_t n;
};

/* ---- the count ---- */

static void read_counts(struct counts *out, const char *path)
{
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	struct ks_err err = KS_ERR_INIT;

	*out = (struct counts){0};
	if (ks_file_read(&text, path, 64 * 1024, &err) == 0 && text.len > 0 &&
			ks_json_parse(&doc, text.ptr, text.len, &err) == 0) {
		const struct ks_json *s = ks_json_first(ks_json_get(doc, "sessions"));
		for (; s != NULL && out->n < SESSIONS_MAX; s = ks_json_next(s)) {
			struct count *c = &out->item[out->n++];
			snprintf(c->session, sizeof(c->session), "%s",
				ks_json_get_str(s, "session", ""));
			snprintf(c->hash, sizeof(c->hash), "%s", ks_json_get_str(s, "hash", ""));
			c->blocks = (long)ks_json_get_int(s, "blocks", 0);
			c->idle = (long)ks_json_get_int(s, "idle", 0);
			c->evals = (int)ks_json_get_int(s, "evals", 0);
			c->t = ks_json_get_int(s, "t", 0);
		}
	}
	ks_json_free(doc);
	ks_buf_fini(&text);
}

static int write_counts(const struct counts *counts, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_jw w;

	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_jw_open_array(&w, "sessions");
	for (size_t i = 0; i < counts->n; i++) {
		const struct count *c = &counts->item[i];
		ks_jw_open(&w, NULL);
		ks_jw_str(&w, "session", c->session);
		ks_jw_int(&w, "blocks", c->blocks);
		ks_jw_int(&w, "idle", c->idle);
		ks_jw_str(&w, "hash", c->hash);
		ks_jw_int(&w, "evals", c->evals);
		ks_jw_int(&w, "t", c->t);
		ks_jw_close(&w);
	}
	ks_jw_close_array(&w);
	ks_jw_close(&w);
	ks_buf_addc(&text, '\n');
	int rc = ks_file_write(path, ks_buf_str(&text), 0600, err);
	ks_buf_fini(&text);
	return rc;
}

/* The session's own, or a new one in the place of the one not seen longest. */
static struct count *count_of(struct counts *counts, const char *session)
{
	size_t oldest = 0;

	for (size_t i = 0; i < counts->n; i++) {
		if (strcmp(counts->item[i].session, session) == 0) {
			return &counts->item[i];
		}
		oldest = counts->item[i].t < counts->item[oldest].t ? i : oldest;
	}
	size_t at = counts->n < SESSIONS_MAX ? counts->n++ : oldest;
	counts->item[at] = (struct count){0};
	snprintf(counts->item[at].session, sizeof(counts->item[at].session), "%s", session);
	return &counts->item[at];
}

/* ---- the words ---- */

static bool is_measured(const struct ks_state *s, const char *hash)
{
	for (size_t i = 0; i < s->n_candidates; i++) {
		if (strcmp(s->candidates[i].hash, hash) == 0) {
			return i == 0 || s->candidates[i].failed ||
				(s->candidates[i].finished && s->candidates[i].timed);
		}
	}
	return false;
}

static void add_code(struct ks_buf *out, const struct ks_state *s, const char *hash)
{
	if (s->eval.running || s->eval_queue > 0) {
		ks_buf_adds(out,
			"An evaluation runs; `kseek eval` waits for it and prints its table.\n");
	} else if (hash[0] != 0 && !is_measured(s, hash)) {
		ks_buf_adds(out,
			"The code as it is now was not measured: run `kseek eval`. What follows "
			"is of the last evaluation.\n");
	}
}

/* In mode bank the question that the open moment offers first, else the one that
 * a turn's end would. */
static void add_question(struct ks_hook_decision *d, const struct ks_state *s)
{
	const struct ks_moment *open = ks_state_open_moment(s);
	struct ks_offer offers[KS_OFFERS];
	struct ks_rules *rules = NULL;
	struct ks_found found = {.kind = KS_MOMENT_COMPLETION, .layer = -1};
	struct ks_err err = KS_ERR_INIT;
	int n = 0;

	if (open != NULL && open->n_offers > 0) {
		offers[0] = open->offers[0];
		n = 1;
	} else if (ks_rules_open(&rules, &err) == 0) {
		n = ks_moment_offers(s, ks_rules_policy(rules), &found, offers);
	}
	if (n > 0) {
		ks_buf_addf(&d->reason, "\n%s\n", offers[0].text);
		snprintf(d->question, sizeof(d->question), "%s", offers[0].question);
	}
	ks_rules_free(rules);
}

static void let_go(struct ks_hook_decision *d, const char *why)
{
	d->block = false;
	snprintf(d->why, sizeof(d->why), "%s", why);
}

/* ---- the decision ---- */

static bool is_met(const struct ks_state *s, struct ks_buf *words)
{
	struct ks_standing standing;

	ks_standing_init(&standing, s);
	bool met = standing.met;
	ks_standing_words(&standing, s, words);
	ks_standing_fini(&standing);
	return met;
}

static int decide(struct ks_hook_decision *d, struct ks_fold *fold, const struct ks_campaign *c,
	const char *session, struct ks_err *err)
{
	const struct ks_state *s = ks_fold_state(fold);
	char *path = ks_path_join(ks_fold_paths(fold)->state, "hook.json");
	char hash[KS_HASH_HEX] = "";
	struct ks_err ignored = KS_ERR_INIT;
	struct counts counts;
	long most = (long)ks_setting_of(&c->policy, KS_SET_HOOK_BLOCKS, BLOCKS);
	long idle = (long)ks_setting_of(&c->policy, KS_SET_IDLE_TURNS, IDLE);

	(void)ks_sources_hash_of(ks_fold_paths(fold)->root, &c->files, hash, &ignored);
	read_counts(&counts, path);
	struct count *mine = count_of(&counts, session);
	bool same = mine->blocks > 0 && strcmp(mine->hash, hash) == 0 && mine->evals == s->evals;
	mine->idle = same ? mine->idle + 1 : 0;
	int rc = 0;
	if (mine->blocks >= most) {
		let_go(d, most == 0 ? "the campaign's hook_blocks is 0" : "sent back as often as "
			"the campaign's hook_blocks says");
	} else if (idle > 0 && mine->idle >= idle) {
		let_go(d, "sent back again and again without an edit or an evaluation");
	} else {
		mine->blocks++;
		d->block = true;
		d->count = mine->blocks;
		snprintf(mine->hash, sizeof(mine->hash), "%s", hash);
		mine->evals = s->evals;
		mine->t = ks_clock_wall_us();
		add_code(&d->reason, s, hash);
		(void)is_met(s, &d->reason);
		if (s->mode == KS_MODE_BANK) {
			add_question(d, s);
		}
		rc = write_counts(&counts, path, err);
	}
	free(path);
	return rc;
}

/* As it is kept: a longer one by its beginning and a hash of it all, so that it is
 * the same the next time. */
static void take_session(char *out, size_t size, const char *session)
{
	size_t len = strlen(session);

	if (len < size) {
		memcpy(out, session, len + 1);
	} else {
		size_t head = ks_utf8_cut(session, len, size - 18);
		char hash[KS_HASH_HEX];

		ks_hash_of(session, len, hash);
		snprintf(out, size, "%.*s~%.16s", (int)head, session, hash);
	}
}

int ks_hook_decide(struct ks_hook_decision *out, struct ks_fold *fold, const char *session,
	struct ks_err *err)
{
	const struct ks_state *s = ks_fold_state(fold);
	struct ks_campaign c = {0};
	struct ks_buf words = {0};
	int rc = ks_campaign_read(&c, ks_fold_paths(fold)->config, err);

	*out = (struct ks_hook_decision){0};
	take_session(out->session, sizeof(out->session), session);
	if (rc < 0) {
		return rc;
	}
	if (s->goal == NULL) {
		let_go(out, "the campaign has no goal");
	} else if (is_met(s, &words)) {
		let_go(out, "the goal is met");
	} else {
		rc = decide(out, fold, &c, out->session, err);
	}
	if (out->reason.len > REASON_MAX) {
		ks_buf_truncate(&out->reason, REASON_MAX);
	}
	ks_buf_fini(&words);
	ks_campaign_fini(&c);
	return rc;
}

void ks_hook_decision_fini(struct ks_hook_decision *decision)
{
	ks_buf_fini(&decision->reason);
}

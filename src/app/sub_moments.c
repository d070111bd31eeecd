/* kseek moments: the decision points of a campaign; the detectors run afresh
 * on a log; sentences labelled. */
#include <errno.h>

#include "app/common.h"
#include "app/rules.h"
#include "app/subs.h"
#include "base/plural.h"
#include "core/claim.h"
#include "core/replay.h"

#define LINE_MAX_BYTES (1024 * 1024)

static void print_moment(const struct ks_moment *m)
{
	static const char *const states[] = {"open", "answered", "dismissed"};

	struct ks_buf line = {0};

	ks_buf_addf(&line, "#%lld %-10s %-9s at event %lld: %s", (long long)m->id,
		ks_moment_name(m->kind), states[m->state], (long long)m->seq, m->evidence);
	ks_put_line(stdout, line.ptr, 4);
	for (int i = 0; i < m->n_offers; i++) {
		ks_buf_clear(&line);
		ks_buf_addf(&line, "    %d %-6s %s  (%s)", i + 1, m->offers[i].question,
			m->offers[i].text, m->offers[i].reason);
		ks_put_line(stdout, line.ptr, 13);
	}
	ks_buf_fini(&line);
}

static void json_offers(struct ks_jw *w, const struct ks_offer *offers, int count)
{
	ks_jw_open_array(w, "offers");
	for (int i = 0; i < count; i++) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "question", offers[i].question);
		ks_jw_str(w, "text", offers[i].text);
		ks_jw_str(w, "reason", offers[i].reason);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
}

static void json_moment(struct ks_jw *w, const struct ks_moment *m)
{
	static const char *const states[] = {"open", "answered", "dismissed"};

	ks_jw_open(w, NULL);
	ks_jw_int(w, "moment", m->id);
	ks_jw_str(w, "kind", ks_moment_name(m->kind));
	ks_jw_str(w, "state", states[m->state]);
	ks_jw_int(w, "seq", m->seq);
	ks_jw_str(w, "evidence", m->evidence);
	json_offers(w, m->offers, m->n_offers);
	ks_jw_close(w);
}

static void list(const struct ks_state *state, bool json)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	if (!json) {
		for (size_t i = 0; i < state->n_moments; i++) {
			print_moment(&state->moments[i]);
		}
		printf("%zu moment%s\n", state->n_moments, ks_s(state->n_moments));
		return;
	}
	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_open_array(&w, "moments");
	for (size_t i = 0; i < state->n_moments; i++) {
		json_moment(&w, &state->moments[i]);
	}
	ks_jw_close_array(&w);
	ks_jw_close(&w);
	ks_put_json(&out);
}

/* ---- the detectors afresh ---- */

static void print_line(int64_t seq, const char *how, const char *kind, const char *text)
{
	struct ks_buf line = {0};

	ks_buf_addf(&line, "%lld %-8s %s: %s", (long long)seq, how, kind, text);
	ks_put_line(stdout, line.ptr, 4);
	ks_buf_fini(&line);
}

static void json_line(struct ks_jw *w, int64_t seq, const char *how, const char *kind,
	const char *text)
{
	ks_jw_open(w, NULL);
	ks_jw_int(w, "seq", seq);
	ks_jw_str(w, "how", how);
	ks_jw_str(w, "kind", kind);
	ks_jw_str(w, "evidence", text);
}

/* What the log's own engine found at this event. */
static void show_recorded(const struct ks_event *event, struct ks_jw *json)
{
	const char *about = ks_json_get_str(event->doc, "about", "");
	const char *how, *kind, *text;

	if (event->kind == KS_EV_MOMENT_RAISED) {
		how = "recorded";
		kind = ks_json_get_str(event->doc, "moment_kind", "?");
		text = ks_json_get_str(event->doc, "evidence", "");
	} else if (event->kind == KS_EV_NOTICE && ks_quiet_of(about) >= 0) {
		how = "quiet";
		kind = about;
		text = ks_json_get_str(event->doc, "text", "");
	} else {
		return;
	}
	if (json != NULL) {
		json_line(json, event->seq, how, kind, text);
		ks_jw_close(json);
	} else {
		print_line(event->seq, how, kind, text);
	}
}

static void print_offer(const struct ks_offer *offer)
{
	struct ks_buf line = {0};

	ks_buf_addf(&line, "    %s %s", offer->question, offer->reason);
	ks_put_line(stdout, line.ptr, 11);
	ks_buf_fini(&line);
}

static void show_found(const struct ks_event *event, const struct ks_replay_found *found,
	struct ks_jw *json)
{
	const char *kind = ks_moment_name(found->moment.kind);
	bool moment = found->moment.kind != KS_MOMENT_NONE;

	if (moment && json != NULL) {
		json_line(json, event->seq, "found", kind, found->moment.evidence);
		json_offers(json, found->offers, found->count);
		ks_jw_close(json);
	} else if (moment) {
		print_line(event->seq, "found", kind, found->moment.evidence);
		for (int i = 0; i < found->count; i++) {
			print_offer(&found->offers[i]);
		}
	}
	if (found->noted && json != NULL) {
		json_line(json, event->seq, "noted", ks_quiet_name(found->note.kind),
			found->note.text);
		ks_jw_close(json);
	} else if (found->noted) {
		print_line(event->seq, "noted", ks_quiet_name(found->note.kind),
			found->note.text);
	}
}

/* The scan afresh over every event, beside what was recorded. */
static void replay_events(struct ks_fold *fold, struct ks_replay *again, struct ks_jw *json)
{
	const struct ks_view_data *data = ks_fold_data(fold);
	int64_t count = (int64_t)ks_follow_count(ks_fold_follow(fold));

	for (int64_t seq = 1; seq <= count; seq++) {
		const struct ks_event *event = data->event(data->ctx, seq);
		struct ks_replay_found found;

		if (event == NULL) {
			continue;
		}
		show_recorded(event, json);
		if (ks_replay_step(again, event, &found)) {
			show_found(event, &found, json);
		}
	}
}

static void replay(struct ks_fold *fold, const struct ks_policy *policy, bool json)
{
	struct ks_replay again;
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_replay_init(&again, policy);
	if (json) {
		ks_jw_init(&w, &out);
		ks_jw_open(&w, NULL);
		ks_jw_open_array(&w, "events");
	}
	replay_events(fold, &again, json ? &w : NULL);
	if (json) {
		ks_jw_close_array(&w);
		ks_jw_int(&w, "found", again.found);
		ks_jw_int(&w, "notes", again.notes);
		ks_jw_int(&w, "calls", again.state.calls);
		ks_jw_int(&w, "detector", KS_MOMENT_DETECTOR);
		ks_jw_close(&w);
		ks_put_json(&out);
	} else {
		printf("%d moment%s and %d quiet note%s in %d call%s, by the detectors of "
			"version %d\n", again.found, ks_s(again.found), again.notes,
			ks_s(again.notes), again.state.calls,
			ks_s(again.state.calls), KS_MOMENT_DETECTOR);
	}
	ks_replay_fini(&again);
}

/* ---- sentences ---- */

static int classify_line(const struct ks_claim_set *claims, struct ks_str line, long number,
	struct ks_err *err)
{
	struct ks_json *doc = NULL;
	struct ks_buf out = {0};
	struct ks_claim claim;
	struct ks_jw w;

	if (ks_str_trim(line).len == 0) {
		return 0;
	}
	int rc = ks_json_parse(&doc, line.ptr, line.len, err);
	const char *text = ks_json_get_str(doc, "text", NULL);
	if (rc == 0 && text == NULL) {
		rc = ks_err_set(err, KS_EINVAL, "$.text: missing, or no text");
	}
	if (rc < 0) {
		ks_err_prefix(err, "line %ld", number);
		ks_json_free(doc);
		return rc;
	}
	ks_claim_classify(&claim, claims, ks_str_of(text));
	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "text", text);
	ks_jw_str(&w, "label", ks_claim_name(claim.kind));
	ks_jw_str(&w, "resource", claim.resource);
	ks_jw_num(&w, "score", claim.score);
	if (ks_claim_of(ks_str_of(ks_json_get_str(doc, "label", ""))) >= 0) {
		ks_jw_str(&w, "expected", ks_json_get_str(doc, "label", ""));
	}
	ks_jw_close(&w);
	ks_put_json(&out);
	ks_json_free(doc);
	return 0;
}

static int classify(const char *path, const struct ks_claim_set *claims, struct ks_err *err)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int rc = 0;

	if (in == NULL) {
		return ks_err_sys(err, errno, "%s", path);
	}
	for (long number = 1; rc == 0 && (n = getline(&line, &cap, in)) >= 0; number++) {
		rc = n > LINE_MAX_BYTES ?
			ks_err_set(err, KS_ELIMIT, "line %ld: longer than 1 MiB", number) :
			classify_line(claims, (struct ks_str){line, (size_t)n}, number, err);
	}
	if (rc < 0) {
		ks_err_prefix(err, "%s", path);
	}
	free(line);
	if (in != stdin) {
		fclose(in);
	}
	return rc;
}

static int with_rules(const char *what, const char *path, bool json, struct ks_err *err)
{
	struct ks_rules *rules = NULL;
	struct ks_fold *fold = NULL;
	int rc;

	if (strcmp(what, "classify") == 0) {
		rc = ks_rules_open(&rules, err);
		if (rc == 0) {
			rc = classify(path, ks_rules_policy(rules)->claims, err);
		}
	} else {
		rc = ks_rules_open_at(&rules, path, err);
		if (rc == 0) {
			rc = ks_fold_open_any(&fold, path, err);
		}
		if (rc == 0) {
			replay(fold, ks_rules_policy(rules), json);
		}
	}
	ks_fold_free(fold);
	ks_rules_free(rules);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	bool json = false;
	const char *words[2] = {NULL, NULL};
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &json, NULL, "one JSON object (list, replay)"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, words, 0, 2);
	int rc;

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (n == 2 && (strcmp(words[0], "replay") == 0 || strcmp(words[0], "classify") == 0)) {
		rc = with_rules(words[0], words[1], json, &err);
	} else if (n > 0 && !(n == 1 && strcmp(words[0], "list") == 0)) {
		rc = ks_err_set(&err, KS_EINVAL, "use 'list', 'replay LOG' or 'classify FILE'");
	} else {
		rc = ks_open_campaign(sub, &fold, &err);
		if (rc == 0) {
			list(ks_fold_state(fold), json);
		}
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_moments = {
	"moments", "[list] [--json] | replay LOG [--json] | classify FILE",
	"list the decision points of a campaign",
	"replay LOG    run today's detectors over a log (or a campaign's folder), with\n"
	"              the numbers that its engines had, beside what was recorded; quiet\n"
	"              notes too\n"
	"classify FILE label sentences: JSON lines with \"text\" in, with \"label\" out\n"
	"              (- is standard input)",
	run
};

/* kseek moments: the decision points of a campaign; the detectors run afresh
 * on a log; sentences labelled. */
#include <errno.h>

#include "app/common.h"
#include "app/rules.h"
#include "app/subs.h"
#include "core/claim.h"
#include "core/replay.h"

#define LINE_MAX_BYTES (1024 * 1024)

static void
print_moment(const struct ks_moment *m)
{
	static const char *const states[] = {"open", "answered", "dismissed"};

	printf("#%lld %-10s %-9s at event %lld: ", (long long)m->id, ks_moment_name(m->kind),
		states[m->state], (long long)m->seq);
	ks_put(stdout, m->evidence, 0);
	fputc('\n', stdout);
	for (int i = 0; i < m->n_offers; i++) {
		printf("    %d %-6s ", i + 1, m->offers[i].question);
		ks_put(stdout, m->offers[i].text, 0);
		fputs("  (", stdout);
		ks_put(stdout, m->offers[i].reason, 0);
		fputs(")\n", stdout);
	}
}

static void
json_moment(struct ks_jw *w, const struct ks_moment *m)
{
	static const char *const states[] = {"open", "answered", "dismissed"};

	ks_jw_open(w, NULL);
	ks_jw_int(w, "moment", m->id);
	ks_jw_str(w, "kind", ks_moment_name(m->kind));
	ks_jw_str(w, "state", states[m->state]);
	ks_jw_int(w, "seq", m->seq);
	ks_jw_str(w, "evidence", m->evidence);
	ks_jw_open_array(w, "offers");
	for (int i = 0; i < m->n_offers; i++) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "question", m->offers[i].question);
		ks_jw_str(w, "text", m->offers[i].text);
		ks_jw_str(w, "reason", m->offers[i].reason);
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
	ks_jw_close(w);
}

static void
list(const struct ks_state *state, bool json)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	if (!json) {
		for (size_t i = 0; i < state->n_moments; i++) {
			print_moment(&state->moments[i]);
		}
		printf("%zu moment%s\n", state->n_moments, state->n_moments == 1 ? "" : "s");
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

static void
print_recorded(const struct ks_event *event)
{
	printf("%lld recorded %s: ", (long long)event->seq,
		ks_json_get_str(event->doc, "moment_kind", "?"));
	ks_put(stdout, ks_json_get_str(event->doc, "evidence", ""), 0);
	fputc('\n', stdout);
}

static void
print_found(const struct ks_event *event, const struct ks_found *found,
	const struct ks_offer *offers, int count)
{
	printf("%lld found    %s: ", (long long)event->seq, ks_moment_name(found->kind));
	ks_put(stdout, found->evidence, 0);
	fputc('\n', stdout);
	for (int i = 0; i < count; i++) {
		printf("    %s ", offers[i].question);
		ks_put(stdout, offers[i].reason, 0);
		fputc('\n', stdout);
	}
}

/* The scan afresh over every event, beside what was recorded. */
static void
replay(struct ks_fold *fold, const struct ks_policy *policy)
{
	const struct ks_view_data *data = ks_fold_data(fold);
	int64_t count = (int64_t)ks_follow_count(ks_fold_follow(fold));
	struct ks_replay again;

	ks_replay_init(&again, policy);
	for (int64_t seq = 1; seq <= count; seq++) {
		const struct ks_event *event = data->event(data->ctx, seq);
		struct ks_found found = {0};
		struct ks_offer offers[KS_OFFERS];
		int offered = 0;
		if (event == NULL) {
			continue;
		}
		if (event->kind == KS_EV_MOMENT_RAISED) {
			print_recorded(event);
		}
		if (ks_replay_step(&again, event, &found, offers, &offered)) {
			print_found(event, &found, offers, offered);
		}
	}
	printf("%d found by the detectors (version %d)\n", again.found, KS_MOMENT_DETECTOR);
	ks_replay_fini(&again);
}

static int
classify_line(const struct ks_claim_set *claims, struct ks_str line, long number,
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
		rc = ks_err_set(err, KS_EINVAL, "$.text: missing");
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

static int
classify(const char *path, const struct ks_claim_set *claims, struct ks_err *err)
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

static int
with_rules(const char *what, const char *path, struct ks_err *err)
{
	struct ks_rules *rules = NULL;
	struct ks_fold *fold = NULL;
	int rc = ks_rules_open(&rules, err);

	if (rc == 0 && strcmp(what, "classify") == 0) {
		rc = classify(path, ks_rules_policy(rules)->claims, err);
	} else if (rc == 0) {
		rc = ks_fold_open_log(&fold, path, err);
		if (rc == 0) {
			replay(fold, ks_rules_policy(rules));
		}
	}
	ks_fold_free(fold);
	ks_rules_free(rules);
	return rc;
}

static int
run(const struct ks_sub *sub, int argc, char **argv)
{
	bool json = false;
	const char *words[2] = {NULL, NULL};
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &json, NULL, "one JSON object (list)"},
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
		rc = with_rules(words[0], words[1], &err);
	} else if (n > 0 && !(n == 1 && strcmp(words[0], "list") == 0)) {
		rc = ks_err_set(&err, KS_EINVAL, "use 'list', 'replay LOG' or 'classify FILE'");
	} else {
		rc = ks_fold_open(&fold, NULL, &err);
		if (rc == 0) {
			list(ks_fold_state(fold), json);
		}
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_moments = {
	"moments", "[list] [--json] | replay LOG | classify FILE",
	"list the decision points of a campaign",
	"replay LOG    run today's detectors over a log, beside what was recorded\n"
	"classify FILE label sentences: JSON lines with \"text\" in, with \"label\" out (- is standard input)",
	run
};

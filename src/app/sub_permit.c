/* kseek permit: what the agent asks, and a person's answers. */
#include "app/call.h"
#include "app/common.h"
#include "app/subs.h"

static const struct {
	const char *word, *kind;
} words[] = {
	{"allow", "allow_once"}, {"always", "allow_always"},
	{"reject", "reject_once"}, {"never", "reject_always"},
};

static const char *kind_of(const char *word)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i].word, word) == 0) {
			return words[i].kind;
		}
	}
	return NULL;
}

static void print_fields(struct ks_fold *fold, const struct ks_asked *a)
{
	const struct ks_view_data *data = ks_fold_data(fold);
	const struct ks_event *event = data->event(data->ctx, a->seq);
	const struct ks_json *field = event != NULL ?
		ks_json_first(ks_json_get(event->doc, "fields")) : NULL;

	for (; field != NULL; field = ks_json_next(field)) {
		const struct ks_json *o = ks_json_first(ks_json_get(field, "options"));
		printf("    ");
		ks_put(stdout, ks_json_get_str(field, "id", "?"), 40);
		printf(" (%s): ", ks_json_get_str(field, "type", "text"));
		ks_put(stdout, ks_json_get_str(field, "title", ""), 100);
		putchar('\n');
		for (; o != NULL; o = ks_json_next(o)) {
			printf("      ");
			ks_put(stdout, ks_json_get_str(o, "id", "?"), 40);
			printf("  ");
			ks_put(stdout, ks_json_get_str(o, "name", ""), 100);
			putchar('\n');
		}
	}
}

static int list(struct ks_fold *fold, bool json)
{
	const struct ks_state *s = ks_fold_state(fold);
	struct ks_buf out = {0};
	struct ks_jw w;

	if (json) {
		ks_jw_init(&w, &out);
		ks_jw_open_array(&w, NULL);
		for (int i = 0; i < s->n_asks; i++) {
			ks_jw_open(&w, NULL);
			ks_jw_str(&w, "ask", s->asks[i].ask);
			ks_jw_bool(&w, "form", s->asks[i].form);
			ks_jw_str(&w, "tool", s->asks[i].tool);
			ks_jw_str(&w, "title", s->asks[i].title);
			ks_jw_str(&w, "text", s->asks[i].text);
			ks_jw_close(&w);
		}
		ks_jw_close_array(&w);
		ks_put_json(&out);
		return KS_EXIT_OK;
	}
	if (s->n_asks == 0) {
		puts("the agent asks nothing");
	}
	for (int i = 0; i < s->n_asks; i++) {
		const struct ks_asked *a = &s->asks[i];
		ks_put(stdout, a->ask, 40);
		printf("  %s  ", a->form ? "question" : a->tool);
		ks_put(stdout, a->form || a->text[0] == 0 ? a->title : a->text, 0);
		printf("%s\n", a->cut ? " ..." : "");
		if (a->form) {
			print_fields(fold, a);
		}
	}
	return KS_EXIT_OK;
}

/* FIELD=VALUE words as an object; a field of several values takes a,b. */
static int add_values(struct ks_jw *w, const char *const *pair, int n, struct ks_err *err)
{
	ks_jw_open(w, "values");
	for (int i = 0; i < n; i++) {
		const char *equals = strchr(pair[i], '=');
		char name[64];
		if (equals == NULL || equals == pair[i] ||
				(size_t)(equals - pair[i]) >= sizeof(name)) {
			return ks_err_set(err, KS_EINVAL, "%.40s: write FIELD=VALUE", pair[i]);
		}
		snprintf(name, sizeof(name), "%.*s", (int)(equals - pair[i]), pair[i]);
		ks_jw_str(w, name, equals + 1);
	}
	ks_jw_close(w);
	return 0;
}

static int answer(struct ks_fold *fold, const char *const *word, int n, const char *text,
	struct ks_err *err)
{
	struct ks_buf args = {0};
	struct ks_jw w;
	int at = kind_of(word[0]) == NULL && strchr(word[0], '=') == NULL &&
		strcmp(word[0], "decline") != 0 ? 1 : 0;
	int rc = 0;

	ks_jw_init(&w, &args);
	ks_jw_open(&w, NULL);
	if (at == 1) {
		ks_jw_str(&w, "ask", word[0]);
	}
	if (at >= n) {
		rc = ks_err_set(err, KS_EINVAL, "say allow, always, reject or never; to a question "
			"FIELD=VALUE or decline");
	} else if (kind_of(word[at]) != NULL) {
		ks_jw_str(&w, "kind", kind_of(word[at]));
	} else if (strchr(word[at], '=') != NULL) {
		rc = add_values(&w, word + at, n - at, err);
	} else if (strcmp(word[at], "decline") != 0) {
		rc = ks_err_set(err, KS_EINVAL,
			"%.40s: none of allow, always, reject, never, decline, "
			"FIELD=VALUE", word[at]);
	}
	if (text != NULL) {
		ks_jw_str(&w, "text", text);
	}
	ks_jw_close(&w);
	if (rc == 0) {
		rc = ks_call_engine(fold, "answer", ks_buf_str(&args), err);
	}
	ks_buf_fini(&args);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	const char *word[32], *text = NULL;
	bool json = false;
	const struct ks_opt opts[] = {
		{"text", KS_OPT_TEXT, &text, "WORDS", "what the agent is to do instead"},
		{"json", KS_OPT_FLAG, &json, NULL, "the list as JSON"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, word, 0, 32);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = json && n > 0 ? ks_err_set(&err, KS_EINVAL, "--json lists what is asked; give no "
		"words with it") : ks_fold_open(&fold, NULL, &err);
	if (rc == 0) {
		rc = n == 0 ? list(fold, json) : answer(fold, word, n, text, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_permit = {
	"permit", "[[ASK] allow|always|reject|never|decline|FIELD=VALUE...] [--text WORDS]",
	"show or answer what the agent asks",
	"Without words: what the agent asks and nobody has answered. Without ASK the\n"
	"one that has waited longest is answered. What may be done without asking is in\n"
	"campaign.json (\"permissions\"; docs/agents.md).", run
};

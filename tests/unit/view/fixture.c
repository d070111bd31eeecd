/* See fixture.h. */
#include "fixture.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "canvas/write.h"

static const struct ks_event *lend_event(void *ctx, int64_t seq)
{
	struct fixture *f = ctx;
	struct ks_event *event = &f->lent[f->next_lent++ % 8];
	struct ks_str line;

	f->asked++;
	ks_event_fini(event);
	memset(event, 0, sizeof(*event));
	if (seq < 1 || (size_t)seq > f->n) {
		return NULL;
	}
	line.ptr = f->log.ptr + f->at[seq - 1];
	line.len = f->at[seq] - f->at[seq - 1] - 1;
	return ks_event_parse(event, line, NULL) == 0 ? event : NULL;
}

static bool give_blob(void *ctx, const char *hash, size_t max, struct ks_buf *out)
{
	struct fixture *f = ctx;

	(void)hash;
	if (f->blob == NULL) {
		return false;
	}
	ks_buf_add(out, f->blob, strlen(f->blob) < max ? strlen(f->blob) : max);
	return true;
}

static bool give_diff(void *ctx, int a, int b, struct ks_str *out)
{
	struct fixture *f = ctx;

	(void)a;
	(void)b;
	if (f->diff == NULL) {
		return false;
	}
	*out = ks_str_of(f->diff);
	return true;
}

void fixture_init(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->t = FIXTURE_T0;
	f->at = ks_zalloc(1, sizeof(*f->at));
	f->cap = 1;
	ks_state_init(&f->state);
	ks_ui_init(&f->ui);
	ks_ui_out_init(&f->out);
	f->data.ctx = f;
	f->data.event = lend_event;
	f->data.blob = give_blob;
	f->data.diff = give_diff;
	f->data.now = f->t;
	f->bank = ks_bank_new();
	f->data.bank = f->bank;
}

void fixture_fini(struct fixture *f)
{
	size_t i;

	for (i = 0; i < 8; i++) {
		ks_event_fini(&f->lent[i]);
	}
	ks_buf_fini(&f->log);
	free(f->at);
	free(f->blob);
	ks_state_fini(&f->state);
	ks_ui_fini(&f->ui);
	ks_ui_out_fini(&f->out);
	ks_bank_free(f->bank);
	memset(f, 0, sizeof(*f));
}

int fixture_set_up(void **state)
{
	fixture_campaign(*state);
	fixture_size(*state, 120, 40);
	return 0;
}

int fixture_tear_down(void **state)
{
	fixture_fini(*state);
	return 0;
}

void fixture_add(struct fixture *f, double seconds, const char *kind, const char *by,
	const char *fmt, ...)
{
	struct ks_event event;
	struct ks_str line;
	size_t start = f->log.len;
	va_list ap;

	f->t += (int64_t)(seconds * 1e6);
	ks_buf_addf(&f->log, "{\"seq\":%zu,\"t\":%lld,\"kind\":\"%s\",\"by\":\"%s\"",
		f->n + 1, (long long)f->t, kind, by);
	if (fmt[0] != '\0') {
		ks_buf_addc(&f->log, ',');
		va_start(ap, fmt);
		ks_buf_addv(&f->log, fmt, ap);
		va_end(ap);
	}
	ks_buf_adds(&f->log, "}\n");
	ks_grow(&f->at, &f->cap, f->n + 2, sizeof(f->at[0]));
	f->at[++f->n] = f->log.len;
	line.ptr = f->log.ptr + start;
	line.len = f->log.len - start - 1;
	if (ks_event_parse(&event, line, NULL) != 0) {
		fprintf(stderr, "bad event: %.*s\n", KS_FMT(line));
		abort();
	}
	ks_evolve(&f->state, &event);
	ks_event_fini(&event);
	f->data.now = f->t;
	ks_ui_update(&f->ui, &f->state, &f->data);
}

static const char *const scenario_names[] = {
	"edge/odd-tail", "edge/one-row", "edge/empty-tail", "real/b1-s1024",
	"real/b4-s512", "real/b8-s2048", "claim/causal-64", "claim/causal-128",
};
#define SCENARIOS (sizeof(scenario_names) / sizeof(scenario_names[0]))

void fixture_eval(struct fixture *f, int number, const double *speedups, size_t count)
{
	double worst = 1e9, product = 1;
	size_t i, correct = 0, worst_i = 0;
	int k;

	fixture_add(f, 1, "candidate.committed", "engine", "\"candidate\":%d,\"commit\":"
		"\"%02d0d3adbeef0000000000000000000000000000\",\"hash\":\"%02d\",\"parent\":%d,"
		"\"eval\":%d,\"files\":1,\"lines\":%d", number, number, number, number - 1,
		number, 120 + 3 * number);
	fixture_add(f, 0.1, "eval.started", "evaluator", "\"eval\":%d,\"candidate\":%d,"
		"\"hash\":\"%02d\",\"confirm\":false,\"perf\":true,\"total\":%zu", number, number,
		number, count);
	for (i = 0; i < count; i++) {
		double s = speedups[i];

		correct += s > 0;
		fixture_add(f, 0.5, "eval.scenario", "evaluator", "\"eval\":%d,\"i\":%zu,"
			"\"name\":\"%s\",\"correct\":%s,\"why\":\"%s\",\"measured\":true,"
			"\"seed_us\":812.5,\"cand_us\":%.2f,\"speedup\":%.3f,\"lo\":%.3f,"
			"\"hi\":%.3f,\"error\":1.2e-6,\"error_ratio\":0.013,\"roofline\":%.2f,"
			"\"verdict\":\"%s\"", number, i, scenario_names[i],
			s > 0 ? "true" : "false", s > 0 ? "" : "17 of 4096 values differ",
			s > 0 ? 812.5 / s : 0, s, s * 0.99, s * 1.01, 0.1 * s,
			s > 1.01 ? "faster" : s < 0.99 ? "slower" : "same");
		product *= s;
		if (s < worst) {
			worst = s;
			worst_i = i;
		}
	}
	for (k = 0, product = product > 0 ? product : 0; k < 3; k++) {
		product = product > 0 ? __builtin_sqrt(product) : 0;
	}
	fixture_add(f, 0.2, "eval.finished", "evaluator", "\"eval\":%d,\"candidate\":%d,"
		"\"correct\":%zu,\"scenarios\":%zu,\"geomean\":%.3f,\"geo_lo\":%.3f,"
		"\"geo_hi\":%.3f,\"worst\":%.3f,\"worst_name\":\"%s\",\"partial\":false,"
		"\"perf\":true,\"lines\":%d,\"libraries\":[]", number, number, correct, count,
		product, product * 0.99, product * 1.01, worst, scenario_names[worst_i],
		120 + 3 * number);
}

void fixture_say(struct fixture *f, const char *text)
{
	struct ks_buf fields = {0};
	struct ks_jw jw;

	ks_jw_init(&jw, &fields);
	ks_jw_open(&jw, NULL);
	ks_jw_str(&jw, "text", text);
	ks_jw_close(&jw);
	fixture_add(f, 5, "agent.said", "agent", "%.*s", (int)fields.len - 2,
		fields.ptr + 1);
	ks_buf_fini(&fields);
}

void fixture_moment(struct fixture *f, int id, const char *kind, const char *evidence)
{
	fixture_add(f, 1, "moment.raised", "engine", "\"moment\":%d,\"moment_kind\":\"%s\","
		"\"evidence\":\"%s\",\"cause\":1,\"offers\":["
		"{\"question\":\"H-02\",\"layer\":\"H\",\"text\":\"Is the gap to the roofline in "
		"kernel cycles or only in wall time?\",\"reason\":\"changes layer\"},"
		"{\"question\":\"V-13\",\"layer\":\"V\",\"text\":\"For the limit just claimed, "
		"which resource is measured at its bound, and by which command?\","
		"\"reason\":\"rejects the limit\"},"
		"{\"question\":\"M-04\",\"layer\":\"M\",\"text\":\"How many bytes does the call "
		"move, against the least it must move?\",\"reason\":\"not measured for 143 "
		"calls\"}]", id, kind, evidence);
}

static void add_start(struct fixture *f)
{
	size_t i;

	fixture_add(f, 0, "campaign.created", "human", "\"id\":\"t1\",\"name\":"
		"\"attention-cpu\",\"problem\":\"attention\",\"target\":\"cpu\",\"arch\":"
		"\"cpu x86-64\",\"machine\":\"test\",\"agent\":\"script\",\"mode\":\"human\","
		"\"goal\":[\"every scenario correct\",\"every speedup >= 1.00\","
		"\"geomean >= 1.30\"],\"seed\":{\"hash\":\"00\",\"commit\":"
		"\"000000000000000000000000000000000000abcd\",\"lines\":120}");
	for (i = 0; i < SCENARIOS; i++) {
		fixture_add(f, 0, "scenario.declared", "engine", "\"i\":%zu,\"name\":\"%s\","
			"\"set\":\"%.*s\",\"heldout\":false,\"axes\":{\"n\":%zu},"
			"\"floor_us\":26.4", i, scenario_names[i],
			(int)strcspn(scenario_names[i], "/"), scenario_names[i], 64 * (i + 1));
	}
	fixture_add(f, 1, "engine.started", "engine", "\"pid\":12,\"version\":\"0.1.0\"");
	fixture_add(f, 1, "agent.started", "engine", "\"driver\":\"script\",\"label\":"
		"\"script (a script, not a model)\",\"pid\":13");
	fixture_add(f, 1, "turn.started", "engine", "\"turn\":1,\"message\":1");
}

static void add_call(struct fixture *f, int id, const char *tool, const char *text,
	const char *end)
{
	fixture_add(f, 3, "tool.started", "agent", "\"call\":\"t%d\",\"name\":\"%s\","
		"\"tool\":\"%s\",\"title\":\"%s\",\"text\":\"%s\"", id, tool, tool, text, text);
	fixture_add(f, 3.2, "tool.ended", "agent", "\"call\":\"t%d\",\"ms\":3200,%s", id, end);
}

void fixture_campaign(struct fixture *f)
{
	static const double first[] = {0.87, 1.02, 0.95, 1.31, 1.22, 1.18, 1.05, 1.09};
	static const double second[] = {0.87, 1.12, 1.05, 1.84, 1.52, 2.18, 1.45, 1.39};

	fixture_init(f);
	add_start(f);
	add_call(f, 1, "read", "kernel.c", "\"ok\":true,\"text\":\"float x;\"");
	add_call(f, 2, "edit", "kernel.c", "\"ok\":true,\"added\":14,\"removed\":9,"
		"\"diff\":\"+int y;\"");
	add_call(f, 3, "shell", "cc -O3 -march=native kernel.c", "\"ok\":true,\"text\":\"\"");
	fixture_eval(f, 1, first, SCENARIOS);
	add_call(f, 4, "shell", "perf stat ./bench", "\"ok\":false,\"text\":\"no counters\"");
	fixture_add(f, 2, "message.sent", "human", "\"id\":1,\"text\":\"Where does the time of "
		"one call go?\",\"via\":\"console\",\"act\":\"question\",\"interrogative\":true,"
		"\"question\":\"H-01\"");
	fixture_eval(f, 2, second, SCENARIOS);
	fixture_add(f, 0.5, "champion.changed", "engine", "\"candidate\":2,\"geomean\":1.375,"
		"\"geo_lo\":1.36,\"geo_hi\":1.39,\"before\":0");
	fixture_add(f, 0, "goal.computed", "engine", "\"candidate\":2,\"met\":false,\"n_met\":2,"
		"\"n\":3,\"clauses\":[{\"text\":\"every scenario correct\",\"outcome\":\"yes\","
		"\"line\":\"8/8\"},{\"text\":\"every speedup >= 1.00\",\"outcome\":\"no\","
		"\"line\":\"7/8   worst edge/odd-tail 0.87x\"},{\"text\":\"geomean >= 1.30\","
		"\"outcome\":\"yes\",\"line\":\"1.38x\"}]");
	fixture_say(f, "The remaining gap is the hardware limit: memory bandwidth is "
		"saturated, and no further change to the loop order can help here.");
}

/* ---- driving ---- */

static void press(struct fixture *f, const struct ks_key *key)
{
	ks_ui_key(&f->ui, &f->state, &f->data, key, &f->out);
	while (ks_ui_busy(&f->ui)) {
		ks_ui_tick(&f->ui, &f->state, &f->data);
	}
}

static void type_text(struct fixture *f, const char *text, size_t len)
{
	struct ks_str rest = {text, len};

	while (rest.len > 0) {
		struct ks_key key = {.kind = KS_KEY_CHAR};
		size_t n = ks_utf8_decode(rest.ptr, rest.len, &key.cp);

		key.cp = key.cp == '_' ? ' ' : key.cp;
		press(f, &key);
		rest.ptr += n;
		rest.len -= n;
	}
}

void fixture_press(struct fixture *f, const char *keys)
{
	struct ks_str rest = ks_str_of(keys);
	struct ks_str word;

	while (ks_str_next(&rest, ' ', &word)) {
		struct ks_key key;
		char name[64];

		if (word.len == 0) {
			continue;
		}
		if (word.ptr[0] == '\'') {
			type_text(f, word.ptr + 1, word.len - 1);
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", KS_FMT(word));
		if (!ks_key_parse(name, &key)) {
			fprintf(stderr, "no key %s\n", name);
			abort();
		}
		press(f, &key);
	}
}

void fixture_paste(struct fixture *f, const char *text)
{
	struct ks_key key = {.kind = KS_KEY_PASTE};

	key.text = ks_str_of(text);
	press(f, &key);
}

void fixture_wait(struct fixture *f, double seconds)
{
	f->t += (int64_t)(seconds * 1e6);
	f->data.now = f->t;
	ks_ui_update(&f->ui, &f->state, &f->data);
}

void fixture_size(struct fixture *f, int w, int h)
{
	f->ui.w = w;
	f->ui.h = h;
	ks_ui_update(&f->ui, &f->state, &f->data);
}

void fixture_draw(struct fixture *f, struct ks_grid *g)
{
	ks_grid_init(g, f->ui.w, f->ui.h);
	ks_ui_draw(&f->ui, &f->state, &f->data, g);
}

char *fixture_screen(struct fixture *f)
{
	struct ks_grid g;
	struct ks_buf text = {0};

	fixture_draw(f, &g);
	ks_write_plain(&g, &text);
	ks_grid_fini(&g);
	return ks_buf_take(&text);
}

bool fixture_shows(struct fixture *f, const char *text)
{
	char *screen = fixture_screen(f);
	bool found = strstr(screen, text) != NULL;

	free(screen);
	return found;
}

void fixture_forget(struct fixture *f)
{
	ks_ui_out_fini(&f->out);
	ks_ui_out_init(&f->out);
}

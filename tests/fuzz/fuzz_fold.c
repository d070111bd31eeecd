/*
 * Any order of events with any fields folds, and what is decided upon it folds
 * too: indexes stay in range, lists stay bounded, and a second fold of the same
 * lines gives the same dump. Bytes choose kinds and fields out of a small stock,
 * so that ids meet each other.
 */
#include <stdint.h>
#include <stdlib.h>

#include "core/command.h"
#include "core/fields.h"
#include "core/moment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS_MAX 400

struct input {
	const uint8_t *data;
	size_t size, at;
};

static void must(bool ok)
{
	if (!ok) {
		abort();
	}
}

static unsigned take(struct input *in, unsigned below)
{
	return in->at < in->size ? in->data[in->at++] % below : 0;
}

static void put_field(struct ks_jw *w, struct input *in)
{
	static const char *const numbers[] = {
		"eval", "candidate", "parent", "id", "moment", "message", "total", "i",
		"correct", "scenarios", "geomean", "geo_lo", "geo_hi", "speedup", "lo", "hi",
		"seed_us", "cand_us", "status", "until", "floor_us", "cause", "count",
	};
	static const char *const words[] = {
		"name", "hash", "commit", "call", "text", "question", "how", "mode", "via",
		"tool", "path", "driver", "stage", "moment_kind", "trigger", "set", "verdict",
	};
	static const char *const stock[] = {
		"", "a", "h1", "edit", "shell", "error", "ended", "cancelled", "bank", "none",
		"goal", "manual", "build", "limit", "win", "problem/x", "It is done. ", "\n",
		"make && ./bench", "V-01",
	};
	static const char *const flags[] = {"confirm", "perf", "partial", "met", "ok", "heldout"};
	unsigned what = take(in, 8);

	if (what < 4) {
		int64_t n = (int64_t)take(in, 12) - 1;
		const char *key = numbers[take(in, sizeof(numbers) / sizeof(numbers[0]))];

		ks_jw_num(w, key, take(in, 9) == 0 ? (double)n * 1e17 : (double)n);
	} else if (what < 7) {
		const char *key = words[take(in, sizeof(words) / sizeof(words[0]))];

		ks_jw_str(w, key, stock[take(in, sizeof(stock) / sizeof(stock[0]))]);
	} else {
		const char *key = flags[take(in, sizeof(flags) / sizeof(flags[0]))];

		ks_jw_bool(w, key, take(in, 2) == 1);
	}
}

static void put_lists(struct ks_jw *w, struct input *in)
{
	ks_jw_open_array(w, "goal");
	ks_jw_str(w, NULL, take(in, 2) ? "every scenario correct" : "every speedup >");
	ks_jw_close_array(w);
	ks_jw_open_array(w, "offers");
	for (unsigned i = take(in, 5); i > 0; i--) {
		ks_jw_open(w, NULL);
		ks_jw_str(w, "question", "H-02");
		ks_jw_close(w);
	}
	ks_jw_close_array(w);
	ks_jw_open_array(w, "clauses");
	for (unsigned i = take(in, 80); i > 0; i--) {
		ks_jw_null(w, NULL);
	}
	ks_jw_close_array(w);
}

/* cJSON keeps the first of two equal keys only by refusing: fields that came
 * twice make the line no event, which is a case too. */
static void make_members(struct ks_buf *out, struct input *in)
{
	struct ks_fields f;

	ks_fields_init(&f);
	for (unsigned n = take(in, 6); n > 0; n--) {
		put_field(&f.w, in);
	}
	if (take(in, 8) == 0) {
		put_lists(&f.w, in);
	}
	ks_fields_take(&f, out);
}

static void check(const struct ks_state *s)
{
	must(s->moment_open >= -1 && s->moment_open < (int)s->n_moments);
	must(s->champion == 0 || (size_t)s->champion < s->n_candidates);
	must(s->last >= -1 && s->last < (int)s->n_candidates);
	must(s->steer >= -1 && s->steer < (int)s->n_messages);
	must(s->queued >= 0 && s->queued <= KS_QUEUE_MAX);
	must(s->eval_queue >= 0 && s->eval_queue <= 16);
	must(s->look.candidate >= -1 && s->look.candidate < (int)s->n_candidates);
	must(s->n_met <= s->n_clauses);
}

struct run {
	struct ks_state state;
	struct ks_policy policy;
	struct ks_buf log;
	int64_t seq;
};

static void append(struct run *run, enum ks_ev kind, enum ks_by by, const char *members,
	struct ks_out *more)
{
	struct ks_buf line = {0};
	struct ks_event event;

	ks_fields_line(&line, run->seq + 1, 1000000 * (run->seq + 1), ks_ev_name(kind),
		ks_by_name(by), members);
	if (ks_event_parse(&event, ks_buf_str(&line), NULL) == 0) {
		run->seq++;
		ks_evolve(&run->state, &event);
		check(&run->state);
		ks_react(&run->state, &run->policy, &event, more);
		ks_event_fini(&event);
		ks_buf_addstr(&run->log, ks_buf_str(&line));
		ks_buf_addc(&run->log, '\n');
	}
	ks_buf_fini(&line);
}

static void settle(struct run *run, struct ks_out *out)
{
	for (size_t i = 0; i < out->n_events && run->seq < EVENTS_MAX; i++) {
		struct ks_out more;

		ks_out_init(&more);
		append(run, out->events[i].kind, out->events[i].by, out->events[i].fields,
			&more);
		for (size_t k = 0; k < more.n_events; k++) {
			struct ks_buf fields = {0};

			ks_buf_adds(&fields, more.events[k].fields);
			ks_out_event(out, more.events[k].kind, more.events[k].by, &fields);
		}
		ks_out_fini(&more);
	}
}

static void one_command(struct run *run, struct input *in)
{
	struct ks_buf args = {0};
	struct ks_json *doc = NULL;
	struct ks_out out;
	struct ks_command command = {
		.kind = (enum ks_cmd)take(in, KS_CMD_TOUCH + 2), .t = 1000000 * (run->seq + 1),
		.by = (enum ks_by)take(in, 5)
	};

	ks_buf_addc(&args, '{');
	make_members(&args, in);
	ks_buf_addc(&args, '}');
	ks_out_init(&out);
	if (ks_json_parse(&doc, args.ptr, args.len, NULL) == 0) {
		struct ks_err err = KS_ERR_INIT;

		command.args = doc;
		if (ks_decide(&run->state, &run->policy, &command, &out, &err) == 0) {
			settle(run, &out);
		} else {
			must(err.msg[0] != '\0' && out.n_events == 0 && out.n_effects == 0);
		}
	}
	ks_out_fini(&out);
	ks_json_free(doc);
	ks_buf_fini(&args);
}

static void one_event(struct run *run, struct input *in)
{
	enum ks_ev kind = (enum ks_ev)(1 + take(in, KS_EV_COUNT - 1));
	struct ks_buf members = {0};
	struct ks_out out;

	make_members(&members, in);
	ks_out_init(&out);
	append(run, kind, (enum ks_by)take(in, 5), members.ptr != NULL ? members.ptr : "", &out);
	settle(run, &out);
	ks_out_fini(&out);
	ks_buf_fini(&members);
}

static void fold_again(const struct run *run)
{
	struct ks_state state;
	struct ks_buf first = {0}, second = {0};
	struct ks_str rest = ks_buf_str(&run->log), line;

	ks_state_init(&state);
	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_event event;

		if (line.len > 0 && ks_event_parse(&event, line, NULL) == 0) {
			ks_evolve(&state, &event);
			ks_event_fini(&event);
		}
	}
	ks_state_dump(&run->state, &first);
	ks_state_dump(&state, &second);
	must(ks_str_eq(ks_buf_str(&first), ks_buf_str(&second)));
	ks_buf_fini(&first);
	ks_buf_fini(&second);
	ks_state_fini(&state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {.data = data, .size = size};
	struct run run = {0};

	ks_state_init(&run.state);
	ks_policy_default(&run.policy);
	run.policy.unattended = take(&in, 2) == 1;
	while (in.at < in.size && run.seq < EVENTS_MAX) {
		if (take(&in, 4) == 0) {
			one_command(&run, &in);
		} else {
			one_event(&run, &in);
		}
	}
	fold_again(&run);
	ks_state_fini(&run.state);
	ks_buf_fini(&run.log);
	return 0;
}

/* kseek status: how the campaign stands, in a few lines. */
#include <unistd.h>

#include "app/client.h"
#include "app/common.h"
#include "app/subs.h"
#include "base/clock.h"
#include "base/plural.h"

static const char *agent_word(enum ks_agent_status status)
{
	static const char *const words[] = {"not running", "working", "waiting", "died"};
	return words[status];
}

static bool engine_lives(struct ks_fold *fold)
{
	struct ks_loop *loop = NULL;
	struct ks_client *client = NULL;
	struct ks_err err = KS_ERR_INIT;
	bool lives = ks_loop_new(&loop, &err) == 0 && ks_client_open(&client, loop,
		ks_fold_paths(fold), KS_CLIENT_ATTACH, false, NULL, &err) == 0;

	ks_client_free(client);
	ks_loop_free(loop);
	return lives;
}

static void print_scenarios(const struct ks_state *state)
{
	for (size_t i = 0; i < state->n_scenarios; i++) {
		if (!state->scenarios[i].heldout) {
			printf("%-14s ", state->scenarios[i].set);
			ks_put(stdout, state->scenarios[i].name, 60);
			printf("  floor %.1f us\n", state->scenarios[i].floor_us);
		}
	}
	if (state->n_heldout > 0) {
		printf("and %zu held-out scenarios\n", state->n_heldout);
	}
}

static void json_scenarios(const struct ks_state *s)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_open_array(&w, "scenarios");
	for (size_t i = 0; i < s->n_scenarios; i++) {
		if (!s->scenarios[i].heldout) {
			ks_jw_open(&w, NULL);
			ks_jw_str(&w, "scenario", s->scenarios[i].name);
			ks_jw_str(&w, "set", s->scenarios[i].set);
			ks_jw_num(&w, "floor_us", s->scenarios[i].floor_us);
			ks_jw_close(&w);
		}
	}
	ks_jw_close_array(&w);
	ks_jw_int(&w, "held_out", (int64_t)s->n_heldout);
	ks_jw_close(&w);
	ks_put_json(&out);
}

static void print_json(const struct ks_state *s, bool engine)
{
	struct ks_buf out = {0};
	struct ks_jw w;

	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "id", s->id);
	ks_jw_str(&w, "name", s->name);
	ks_jw_str(&w, "target", s->target);
	ks_jw_str(&w, "machine", s->machine);
	ks_jw_bool(&w, "engine", engine);
	ks_jw_str(&w, "agent", agent_word(engine ? s->agent : KS_AGENT_ABSENT));
	ks_jw_str(&w, "agent_label", s->agent_label);
	ks_jw_str(&w, "mode", ks_mode_name(s->mode));
	ks_jw_int(&w, "calls", s->calls);
	ks_jw_int(&w, "turns", s->turns);
	ks_jw_int(&w, "messages", (int64_t)s->n_messages);
	ks_jw_int(&w, "moments", (int64_t)s->n_moments);
	ks_jw_int(&w, "scenarios", (int64_t)s->n_scenarios);
	ks_jw_int(&w, "candidates", (int64_t)s->n_candidates);
	ks_jw_num(&w, "best", s->best);
	ks_jw_int(&w, "sent_back", s->sent_back);
	ks_jw_int(&w, "seq", s->seq);
	if (ks_state_open_moment(s) != NULL) {
		ks_jw_str(&w, "open_moment", ks_moment_name(ks_state_open_moment(s)->kind));
	}
	ks_json_goal(&w, "goal", s);
	ks_jw_close(&w);
	ks_put_json(&out);
}

/* The line is cleared for the next one. */
static void put_line(struct ks_buf *line)
{
	ks_put_line(stdout, line->ptr, 2);
	ks_buf_clear(line);
}

static void print_text(const struct ks_state *s, bool engine)
{
	const struct ks_moment *m = ks_state_open_moment(s);
	size_t tried = s->n_candidates > 0 ? s->n_candidates - 1 : 0; /* without the seed */
	struct ks_buf line = {0};

	ks_buf_addf(&line, "%s  %s  %s", s->name, s->arch, s->machine);
	put_line(&line);
	ks_buf_addf(&line, "agent: %s, ", s->agent_label);
	if (s->manual) { /* nothing waits to be started */
		ks_buf_addf(&line, "who works in this folder; engine %s; mode %s",
			engine ? "runs" : "rests until something is asked of it",
			ks_mode_name(s->mode));
	} else {
		ks_buf_addf(&line, "%s; engine %s; mode %s",
			agent_word(engine ? s->agent : KS_AGENT_ABSENT),
			engine ? "runs" : "does not run", ks_mode_name(s->mode));
	}
	put_line(&line);
	ks_buf_addf(&line,
		"%d tool call%s, %d turn%s, %zu message%s, %zu moment%s, sent back by the "
		"goal: %d", s->calls, ks_s(s->calls), s->turns, ks_s(s->turns), s->n_messages,
		ks_s((long long)s->n_messages), s->n_moments, ks_s((long long)s->n_moments),
		s->sent_back);
	put_line(&line);
	ks_buf_addf(&line, "%zu candidate%s over %zu scenario%s; champion ", tried,
		ks_s((long long)tried), s->n_scenarios, ks_s((long long)s->n_scenarios));
	if (s->champion > 0) {
		char name[KS_CANDIDATE_TEXT];
		ks_buf_addf(&line, "%s, geomean %.3fx",
			ks_candidate_short(name, s->candidates[s->champion].number), s->best);
	} else {
		ks_buf_adds(&line, "the seed, 1x by definition");
	}
	put_line(&line);
	if (m != NULL) {
		ks_buf_addf(&line, "open moment: %s: %s", ks_moment_name(m->kind), m->evidence);
		put_line(&line);
	}
	ks_buf_fini(&line);
	ks_report_goal(stdout, s);
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	bool json = false, scenarios = false;
	const struct ks_opt opts[] = {
		{"scenarios", KS_OPT_FLAG, &scenarios, NULL, "list the scenarios"},
		{"json", KS_OPT_FLAG, &json, NULL, "one JSON object"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (ks_open_campaign(sub, &fold, &err) < 0) {
		return ks_fail(sub, &err);
	}
	if (scenarios && json) {
		json_scenarios(ks_fold_state(fold));
	} else if (scenarios) {
		print_scenarios(ks_fold_state(fold));
	} else if (json) {
		print_json(ks_fold_state(fold), engine_lives(fold));
	} else {
		print_text(ks_fold_state(fold), engine_lives(fold));
	}
	ks_fold_free(fold);
	return KS_EXIT_OK;
}

const struct ks_sub ks_sub_status = {
	"status", "[--scenarios] [--json]", "say how the campaign stands", NULL, run
};

/* See eval_progress.h. What is waited for is read from the log, as everything is. */
#include "app/eval_progress.h"

#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/common.h"
#include "base/clock.h"
#include "base/plural.h"

#define TICK_MS 1000
#define AGAIN_S 60 /* without a terminal: between two lines of the same wait */
#define WAITING "waiting: "

static void clear_line(struct ks_eval_progress *p)
{
	if (p->tty && p->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	p->shown = false;
}

/* What the judge has noted since it last told of a scenario. */
static void read_notices(struct ks_eval_progress *p)
{
	const struct ks_view_data *data = ks_fold_data(p->fold);
	int64_t last = ks_fold_state(p->fold)->seq;

	for (; p->seen < last; p->seen++) {
		const struct ks_event *event = data->event(data->ctx, p->seen + 1);
		const char *text = event != NULL && event->kind == KS_EV_NOTICE ?
			ks_json_get_str(event->doc, "text", "") : "";
		if (strncmp(text, WAITING, strlen(WAITING)) == 0 && event->t > p->more_t) {
			snprintf(p->wait, sizeof(p->wait), "%s", text + strlen(WAITING));
			p->wait_t = event->t;
			p->told_t = 0;
		}
	}
}

/* Why nothing comes, and since when; false: there is nothing to say. */
static bool find_wait(struct ks_eval_progress *p, struct ks_buf *out, int64_t *since)
{
	const struct ks_state *s = ks_fold_state(p->fold);
	char name[KS_CANDIDATE_TEXT];

	*since = p->wait_t;
	if (p->wait[0] != '\0') {
		ks_buf_adds(out, p->wait);
		return true;
	}
	*since = p->asked_t;
	if (p->phase[0] == '\0' && s->eval.running && s->eval.id < p->mine) {
		ks_buf_addf(out, "%s is measured first",
			ks_candidate_name(name, s->eval.candidate));
		return true;
	}
	return false;
}

static void say_wait(struct ks_eval_progress *p, const char *why, int64_t since)
{
	int64_t now = ks_clock_wall_us();
	long long waited = now > since ? (now - since) / 1000000 : 0;

	if (p->told_t == 0) {
		clear_line(p);
		fprintf(stderr, "kseek eval: waiting, %lld s by now: ", waited);
		ks_put(stderr, why, 0);
		fputc('\n', stderr);
		p->told_t = now;
	} else if (p->tty) {
		fprintf(stderr, "\r\033[Kwaiting, %lld s", waited);
		fflush(stderr);
		p->shown = true;
	} else if (now - p->told_t >= AGAIN_S * (int64_t)1000000) {
		fprintf(stderr, "kseek eval: waiting, %lld s by now\n", waited);
		p->told_t = now;
	}
}

static void on_tick(void *ctx)
{
	struct ks_eval_progress *p = ctx;
	struct ks_buf why = {0};
	struct ks_err err = KS_ERR_INIT;
	int64_t since;

	if (ks_fold_refresh(p->fold, KS_FOLLOW_ALL, NULL, &err) == 0) {
		read_notices(p);
		if (find_wait(p, &why, &since)) {
			say_wait(p, why.ptr, since);
		}
	}
	ks_buf_fini(&why);
	ks_timer_arm(p->tick, TICK_MS);
}

/* Ends as the signal would have ended it, and says before what that does not end. */
static void on_interrupt(void *ctx, int signum)
{
	struct ks_eval_progress *p = ctx;

	clear_line(p);
	fputs("kseek eval: the evaluation goes on; 'kseek eval' again waits for it, 'kseek stop' "
		"ends it\n", stderr);
	signal(signum, SIG_DFL);
	raise(signum);
}

/* Whether both outputs are one file or pipe, which a program reads as a whole. */
static bool is_merged(void)
{
	struct stat out, said;

	return isatty(2) == 0 && fstat(1, &out) == 0 && fstat(2, &said) == 0 &&
		out.st_dev == said.st_dev && out.st_ino == said.st_ino;
}

void ks_eval_progress_init(struct ks_eval_progress *p, struct ks_loop *loop,
	struct ks_fold *fold, bool json)
{
	struct ks_err err = KS_ERR_INIT;

	*p = (struct ks_eval_progress){.fold = fold, .quiet = json && is_merged(),
		.tty = isatty(2) != 0, .mine = ks_fold_state(fold)->next_id,
		.asked_t = ks_clock_wall_us(), .seen = ks_fold_state(fold)->seq};
	(void)ks_signal_new(&p->interrupt, loop, SIGINT, on_interrupt, p, &err);
	if (!p->quiet) {
		p->tick = ks_timer_new(loop, on_tick, p);
		ks_timer_arm(p->tick, TICK_MS);
	}
}

void ks_eval_progress_fini(struct ks_eval_progress *p)
{
	clear_line(p);
	ks_timer_free(p->tick);
	ks_signal_free(p->interrupt);
	p->tick = NULL;
	p->interrupt = NULL;
}

void ks_eval_progress_more(void *ctx, const struct ks_json *result, bool more, int code,
	const char *error)
{
	struct ks_eval_progress *p = ctx;
	const char *phase = ks_json_get_str(result, "phase", "");

	p->done = (int)ks_json_get_int(result, "i", 0) + 1;
	p->total = (int)ks_json_get_int(result, "n", 0);
	p->wait[0] = '\0';
	p->more_t = ks_clock_wall_us();
	if (p->quiet) {
		return;
	}
	if (p->tty) {
		fprintf(stderr, "\r\033[K[%d/%d] ", p->done, p->total);
		ks_put(stderr, phase, 12);
		fputc(' ', stderr);
		ks_put(stderr, ks_json_get_str(result, "name", ""), 40);
		fflush(stderr);
		p->shown = true;
	} else if (strcmp(phase, p->phase) != 0) {
		fprintf(stderr, "kseek eval: ");
		ks_put(stderr, phase, 12);
		fprintf(stderr, ", %d scenario%s\n", p->total, ks_s(p->total));
	}
	snprintf(p->phase, sizeof(p->phase), "%s", phase);
}

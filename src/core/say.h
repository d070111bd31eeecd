#ifndef KSEEK_CORE_SAY_H
#define KSEEK_CORE_SAY_H
/*
 * Inside decide and react: the one way in which words reach the agent. A
 * message may open with the brief (an agent's first one) and end with the
 * unmet clauses (the turn has ended and the goal is not met).
 */
#include "core/command.h"
#include "core/standing.h"

struct ks_turn { /* one decision being made */
	const struct ks_state *state;
	const struct ks_policy *policy;
	struct ks_out *out;
	int64_t t;
	int64_t next_id;
};

void ks_turn_init(struct ks_turn *turn, const struct ks_state *state,
	const struct ks_policy *policy, struct ks_out *out, int64_t t);

struct ks_words {
	int64_t id;          /* of a queued message, or 0: a new one */
	const char *text;    /* NULL: the clauses or the brief alone */
	int64_t moment;      /* id it answers, or 0 */
	const char *question;/* bank id or NULL */
	const char *via;     /* console, cli, bank, goal, retry */
	enum ks_by by;
	bool clauses;        /* append the unmet clauses */
	bool steer;          /* into the running turn    */
};
void ks_say(struct ks_turn *turn, const struct ks_words *words);
/* Puts a message behind the running turn. */
void ks_say_later(struct ks_turn *turn, const struct ks_words *words);
/* Sends everything that waits, as one prompt. */
void ks_say_queue(struct ks_turn *turn);

void ks_say_notice(struct ks_turn *turn, const char *level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void ks_say_dismiss(struct ks_turn *turn, int64_t moment, enum ks_by by, const char *why);
/* The same by the clock: nobody answered in time, and the loop goes on. */
void ks_say_timed_out(struct ks_turn *turn, int64_t moment);
void ks_say_goal(struct ks_turn *turn, int64_t until); /* goal.computed */
/* Cancels the loop's timers: what they waited for is over. */
void ks_say_untimer(struct ks_turn *turn);

/* ---- the loop ---- */

enum ks_push {
	KS_PUSH_NONE,     /* something happened: wait where waiting is due   */
	KS_PUSH_TIMER,    /* the bank's wait, or the floor, is over          */
	KS_PUSH_DISMISSED /* no question here: a person says so, or the clock */
};
/* human, bank or none; without a console that could come, human is bank. */
enum ks_mode ks_loop_mode(const struct ks_state *state, const struct ks_policy *policy);
/* Sends what is due to an agent that waits, or arms the timer for it. */
void ks_loop(struct ks_turn *turn, enum ks_push push);
/* Computes the goal; what follows from it is the loop's. */
void ks_loop_goal(struct ks_turn *turn);
/* When the loop would speak by itself if the agent waits now; 0: it would not. */
int64_t ks_loop_until(const struct ks_turn *turn, bool met);

#endif

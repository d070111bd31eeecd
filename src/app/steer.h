#ifndef KSEEK_APP_STEER_H
#define KSEEK_APP_STEER_H
/* Steering a campaign: the console on a terminal, plain lines elsewhere. */
#include "app/fold.h"

struct ks_steer {
	bool plain;       /* lines, no screen                            */
	bool ascii, no_color;
	const char *theme;
	bool agent;       /* start the campaign's agent where none runs  */
	bool unattended;  /* nobody answers: first offers go, leaves at the end */
	bool read_only;   /* a recorded log: no engine                   */
	size_t until;     /* show it as after so many events; 0: all     */
};

/* KS_EINVAL for a theme that there is not; before anything is started or made. */
int ks_steer_check(const struct ks_steer *how, struct ks_err *err);
/* Until the person leaves, or (unattended) the campaign has ended. Returns an
 * exit status, or a negative code with err. */
int ks_steer_run(struct ks_fold *fold, const struct ks_steer *how, struct ks_err *err);

/* Says on standard error what goes on, or not, once the person has left. */
enum ks_left { KS_LEFT_RUNNING, KS_LEFT_STOPPED, KS_LEFT_LOST };
void ks_steer_say_left(const struct ks_fold *fold, enum ks_left how);

/* The two ways. The console folds what is not folded yet in slices, so that its
 * first frame does not wait for a long log. */
int ks_steer_plain(struct ks_fold *fold, const struct ks_steer *how, struct ks_err *err);
int ks_steer_console(struct ks_fold *fold, const struct ks_steer *how, struct ks_err *err);

#endif

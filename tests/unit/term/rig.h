#ifndef KSEEK_TEST_RIG_H
#define KSEEK_TEST_RIG_H
/*
 * A terminal for tests: a pseudo-terminal whose other end is read by a thread
 * into libvterm, so that what a person would see can be compared.
 */
#include <pthread.h>
#include <vterm.h>

#include "base/buf.h"
#include "term/term.h"

struct rig {
	int master, slave;
	pthread_t thread;
	pthread_mutex_t lock;
	struct ks_buf raw; /* every byte that was sent */
	VTerm *vt;
	VTermScreen *screen;
	int w, h;
};

void rig_init(struct rig *rig, int w, int h);
/* The two halves of it, for a test that forks: a child that was forked beside a
 * running thread may find the allocator locked for ever. */
void rig_make(struct rig *rig, int w, int h);
void rig_start(struct rig *rig);
void rig_fini(struct rig *rig);
void rig_size(struct rig *rig, int w, int h);
/* Waits until the emulator has had everything. */
void rig_settle(struct rig *rig);
/* The screen as text, blanks at the end of a line dropped. */
void rig_seen(struct rig *rig, struct ks_buf *out);
/* Fails unless the screen shows the grid. */
void rig_expect(struct rig *rig, const struct ks_grid *g);
size_t rig_sent(struct rig *rig);                       /* bytes so far        */
bool rig_sent_text(struct rig *rig, const char *text); /* the bytes hold this */
struct ks_term *rig_open(struct rig *rig, const char *type);

#endif

#ifndef KSEEK_TIMELINE_CALLS_H
#define KSEEK_TIMELINE_CALLS_H
/*
 * The host's side of a trace: which call asked for an activity, and which calls a
 * thread was in. Only outer calls count; one that begins within another of the same
 * thread is part of it, so the outer calls of a thread never overlap.
 */
#include "timeline/trace.h"

struct ks_calls;

struct ks_calls *ks_calls_new(const struct ks_trace *trace); /* lends from the trace */
void ks_calls_free(struct ks_calls *calls);
/* The outer call in which an activity was asked for; NULL: not known. */
const struct ks_item *ks_calls_asker(const struct ks_calls *calls, const struct ks_item *activity);
/* All outer calls, by process, thread and time; lends. */
const struct ks_item *const *ks_calls_all(const struct ks_calls *calls, size_t *out_count);
/* The first outer call, as an index into all, of this one's thread that ends behind
 * `time`; what follows of the same thread follows in time. */
size_t ks_calls_first(const struct ks_calls *calls, const struct ks_item *call, uint64_t time);

#endif

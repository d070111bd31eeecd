#ifndef KSEEK_CORE_VIEW_DATA_H
#define KSEEK_CORE_VIEW_DATA_H
/*
 * What views and exports may ask beyond the state: an interface, implemented
 * by src/app over the log, the blobs and the engine. A console gives views the
 * events of rows a..b only, so a log of a million lines costs a screen.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "core/bank.h"
#include "core/event.h"

struct ks_view_data {
	void *ctx;
	/* The event with this seq; lent until the next call of `event` with the
	 * same ctx (a small cache holds at least 512). NULL when it is missing. */
	const struct ks_event *(*event)(void *ctx, int64_t seq);
	/* Body by hash; appended to out, at most max bytes. False: missing. */
	bool (*blob)(void *ctx, const char *hash, size_t max, struct ks_buf *out);
	/* Unified diff text of candidates a and b (numbers). False while it is not
	 * here yet: it has been asked for and a redraw will follow. */
	bool (*diff)(void *ctx, int a, int b, struct ks_str *out);
	const struct ks_bank *bank; /* may be NULL */
	int64_t now;                /* microseconds since 1970 */
};

#endif

/* Outer calls and who asked for what: see calls.h. */
#include "timeline/calls.h"

#include "base/mem.h"

struct ask {
	uint16_t process;
	uint32_t number;
	const struct ks_item *outer;
};

struct ks_calls {
	const struct ks_item **outer;
	struct ask *asks;
	size_t n_outer, n_asks;
};

static int by_thread(const struct ks_item *x, const struct ks_item *y)
{
	if (x->process != y->process) {
		return x->process < y->process ? -1 : 1;
	}
	return (x->thread > y->thread) - (x->thread < y->thread);
}

/* An outer call before what it holds. */
static int by_time(const void *a, const void *b)
{
	const struct ks_item *x = *(const struct ks_item *const *)a;
	const struct ks_item *y = *(const struct ks_item *const *)b;
	int order = by_thread(x, y);

	if (order != 0) {
		return order;
	}
	if (x->start != y->start) {
		return x->start < y->start ? -1 : 1;
	}
	if (x->end != y->end) {
		return x->end > y->end ? -1 : 1;
	}
	return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
	const struct ask *x = a, *y = b;

	if (x->process != y->process) {
		return x->process < y->process ? -1 : 1;
	}
	return (x->number > y->number) - (x->number < y->number);
}

struct ks_calls *ks_calls_new(const struct ks_trace *trace)
{
	struct ks_calls *c = ks_zalloc(1, sizeof(*c));
	const struct ks_item *top = NULL;
	const struct ks_item **all = ks_zalloc(trace->n_items + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < trace->n_items; i++) {
		if (trace->items[i].kind == KS_ITEM_CALL) {
			all[n++] = &trace->items[i];
		}
	}
	qsort(all, n, sizeof(*all), by_time);
	c->asks = ks_zalloc(n + 1, sizeof(*c->asks));
	c->outer = all;
	for (size_t i = 0; i < n; i++) {
		const struct ks_item *call = all[i];
		if (top == NULL || by_thread(top, call) != 0 || call->start >= top->end) {
			top = call;
			c->outer[c->n_outer++] = call;
		}
		c->asks[c->n_asks++] = (struct ask){call->process, call->number, top};
	}
	qsort(c->asks, c->n_asks, sizeof(*c->asks), by_number);
	return c;
}

void ks_calls_free(struct ks_calls *calls)
{
	if (calls != NULL) {
		free(calls->outer);
		free(calls->asks);
		free(calls);
	}
}

const struct ks_item *ks_calls_asker(const struct ks_calls *calls, const struct ks_item *activity)
{
	const struct ask key = {activity->process, activity->number, NULL};
	const struct ask *found = bsearch(&key, calls->asks, calls->n_asks, sizeof(key), by_number);

	return found != NULL ? found->outer : NULL;
}

const struct ks_item *const *
ks_calls_all(const struct ks_calls *calls, size_t *out_count)
{
	*out_count = calls->n_outer;
	return calls->outer;
}

size_t ks_calls_first(const struct ks_calls *calls, const struct ks_item *call, uint64_t time)
{
	size_t low = 0, high = calls->n_outer;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = by_thread(calls->outer[mid], call);
		if (order < 0 || (order == 0 && calls->outer[mid]->end <= time)) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low;
}

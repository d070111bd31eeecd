/*
 * The lists that decisions fill: events without seq and time, and effects.
 */
#include "base/mem.h"
#include "core/command.h"

#include <assert.h>
#include <string.h>

void ks_out_init(struct ks_out *out)
{
	*out = (struct ks_out){0};
}

void ks_out_fini(struct ks_out *out)
{
	if (out == NULL) {
		return;
	}
	for (size_t i = 0; i < out->n_events; i++) {
		free(out->events[i].fields);
	}
	for (size_t i = 0; i < out->n_effects; i++) {
		free(out->effects[i].text);
	}
	free(out->events);
	free(out->effects);
	*out = (struct ks_out){0};
}

void ks_out_event(struct ks_out *out, enum ks_ev kind, enum ks_by by,
	struct ks_buf *fields)
{
	struct ks_new_event *event;

	assert(kind > KS_EV_UNKNOWN && kind < KS_EV_COUNT);
	ks_grow(&out->events, &out->cap_events, out->n_events + 1,
		sizeof(out->events[0]));
	event = &out->events[out->n_events++];
	event->kind = kind;
	event->by = by;
	event->fields = fields != NULL ? ks_buf_take(fields) : ks_strdup("");
}

struct ks_effect *ks_out_effect(struct ks_out *out, enum ks_effect_kind kind,
	int64_t id, const char *text)
{
	struct ks_effect *effect;

	ks_grow(&out->effects, &out->cap_effects, out->n_effects + 1,
		sizeof(out->effects[0]));
	effect = &out->effects[out->n_effects++];
	*effect = (struct ks_effect){.kind = kind, .id = id,
		.candidate = -1, .text = ks_strdup(text)};
	return effect;
}

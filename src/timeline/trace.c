/*
 * Reading records: see trace.h. Names of a process are numbered by it; they become
 * indices into one list in which each text stands once, so that a kernel of two
 * processes is one kernel.
 */
#include "timeline/trace.h"

#include "base/mem.h"
#include "timeline/record.h"

struct reader {
	struct ks_trace *trace;
	size_t cap_items, cap_processes;
	struct ks_buf *texts;   /* names by number, all processes in a row */
	size_t n_texts, cap_texts;
	size_t base;            /* where the present process's begin */
	struct ks_buf note;
};

static struct ks_process *present(struct reader *r)
{
	return &r->trace->processes[r->trace->n_processes - 1];
}

static void end_note(struct reader *r)
{
	if (r->note.len > 0) {
		present(r)->note = ks_buf_take(&r->note);
	}
}

static int add_process(struct reader *r, const struct ks_rec *rec, struct ks_err *err)
{
	struct ks_trace *t = r->trace;
	const struct ks_rec_head *head = &rec->is.head;

	if (head->magic != KS_REC_MAGIC || head->size != sizeof(*rec)) {
		return ks_err_set(err, KS_EINVAL,
			"these are no records of a timeline, or of another version of kseek");
	}
	if (t->n_processes == KS_TRACE_PROCESSES_MAX) {
		return ks_err_set(err, KS_ELIMIT, "records of more than %d processes",
			KS_TRACE_PROCESSES_MAX);
	}
	if (t->n_processes > 0) {
		end_note(r);
	}
	ks_grow(&t->processes, &r->cap_processes, t->n_processes + 1, sizeof(*t->processes));
	struct ks_process *p = &t->processes[t->n_processes++];
	*p = (struct ks_process){.pid = rec->id};
	memcpy(p->program, head->program, sizeof(p->program) - 1);
	r->base = r->n_texts;
	return 0;
}

/* Numbers come in a row, so a name that is new is the next one. */
static bool add_name(struct reader *r, const struct ks_rec *rec)
{
	size_t known = r->n_texts - r->base;

	if (rec->id == 0 || rec->id > known + 1 || rec->id > KS_REC_NAMES) {
		return false;
	}
	if (rec->id == known + 1) {
		ks_grow(&r->texts, &r->cap_texts, r->n_texts + 1, sizeof(*r->texts));
		r->texts[r->n_texts++] = (struct ks_buf){0};
	}
	struct ks_buf *text = &r->texts[r->base + rec->id - 1];
	size_t len = strnlen(rec->is.text, KS_REC_TEXT);
	if (text->len + len > KS_REC_NAME_MAX) {
		return false;
	}
	ks_buf_add(text, rec->is.text, len);
	return true;
}

static bool add_note(struct reader *r, const struct ks_rec *rec)
{
	size_t len = strnlen(rec->is.text, KS_REC_TEXT);

	if (r->note.len + len > KS_REC_NAME_MAX || present(r)->note != NULL) {
		return false;
	}
	ks_buf_add(&r->note, rec->is.text, len);
	return true;
}

static bool is_sound(const struct ks_rec *rec)
{
	const struct ks_rec_span *s = &rec->is.span;
	uint32_t direction = rec->id & 0xff, from = rec->id >> 8 & 0xff, to = rec->id >> 16;

	if (rec->kind != KS_REC_CALL && s->device >= KS_REC_DEVICES) {
		return false;
	}
	if (rec->kind == KS_REC_COPY && (direction >= KS_REC_DIRECTIONS ||
			from >= KS_REC_MEMORIES || to >= KS_REC_MEMORIES)) {
		return false;
	}
	return rec->kind != KS_REC_FILL || rec->id < KS_REC_MEMORIES;
}

/* The item's name is its place in texts plus one until all are read. */
static bool add_item(struct reader *r, const struct ks_rec *rec)
{
	struct ks_trace *t = r->trace;
	const struct ks_rec_span *s = &rec->is.span;
	bool named = rec->kind == KS_REC_KERNEL || rec->kind == KS_REC_CALL;

	if (!is_sound(rec) || (named && rec->id > r->n_texts - r->base)) {
		return false;
	}
	if (s->start == 0 && s->end == 0) {
		present(r)->unfinished += rec->kind != KS_REC_CALL;
		return true;
	}
	if (s->start == 0 || s->end < s->start) {
		return false;
	}
	ks_grow(&t->items, &r->cap_items, t->n_items + 1, sizeof(*t->items));
	t->items[t->n_items++] = (struct ks_item){
		.start = s->start, .end = s->end, .bytes = s->bytes,
		.name = named && rec->id > 0 ? (uint32_t)(r->base + rec->id) : 0,
		.way = named ? 0 : rec->id,
		.device = s->device, .context = s->context, .stream = s->stream,
		.thread = s->thread, .number = s->number, .code = s->code,
		.process = (uint16_t)(t->n_processes - 1),
		.kind = (uint8_t)(rec->kind - KS_REC_KERNEL)
	};
	return true;
}

static bool add_end(struct reader *r, const struct ks_rec *rec)
{
	struct ks_process *p = present(r);

	p->ended = true;
	p->over = rec->is.end.over;
	p->lost = rec->is.end.lost;
	return true;
}

static int take(struct reader *r, const struct ks_rec *rec, struct ks_err *err)
{
	bool good = false;

	if (rec->kind == KS_REC_HEAD || r->trace->n_processes == 0) {
		return add_process(r, rec, err);
	}
	switch (rec->kind) {
	case KS_REC_NAME:
		good = add_name(r, rec);
		break;
	case KS_REC_NOTE:
		good = add_note(r, rec);
		break;
	case KS_REC_KERNEL:
	case KS_REC_COPY:
	case KS_REC_FILL:
	case KS_REC_CALL:
		good = add_item(r, rec);
		break;
	case KS_REC_END:
		good = add_end(r, rec);
		break;
	default:
		break;
	}
	present(r)->bad += !good;
	return 0;
}

struct entry {
	const char *text;
	size_t number;
};

static int by_text(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

/* Gives each different text one place in names, and items those places. */
static void number_names(struct reader *r)
{
	struct ks_trace *t = r->trace;
	struct entry *entries = ks_zalloc(r->n_texts + 1, sizeof(*entries));
	uint32_t *place = ks_zalloc(r->n_texts + 1, sizeof(*place));

	for (size_t i = 0; i < r->n_texts; i++) {
		const char *text = r->texts[i].ptr;
		entries[i] = (struct entry){text != NULL ? text : "", i};
	}
	qsort(entries, r->n_texts, sizeof(*entries), by_text);
	t->names = ks_zalloc(r->n_texts + 1, sizeof(*t->names));
	t->names[t->n_names++] = ks_strdup("?");
	for (size_t i = 0; i < r->n_texts; i++) {
		if (i == 0 || strcmp(entries[i].text, entries[i - 1].text) != 0) {
			t->names[t->n_names++] = ks_strdup(entries[i].text);
		}
		place[entries[i].number + 1] = (uint32_t)(t->n_names - 1);
	}
	for (size_t i = 0; i < t->n_items; i++) {
		t->items[i].name = place[t->items[i].name];
	}
	free(entries);
	free(place);
}

int ks_trace_read(struct ks_trace *out, struct ks_str bytes, struct ks_err *err)
{
	struct ks_trace trace = {0};
	struct reader r = {.trace = &trace};
	int rc = bytes.len < sizeof(struct ks_rec) ?
		ks_err_set(err, KS_EINVAL, "there are no records of a timeline") : 0;

	for (size_t at = 0; rc == 0 && bytes.len - at >= sizeof(struct ks_rec);
			at += sizeof(struct ks_rec)) {
		struct ks_rec rec;
		memcpy(&rec, bytes.ptr + at, sizeof(rec));
		rc = take(&r, &rec, err);
	}
	if (rc == 0) {
		end_note(&r);
		number_names(&r);
		trace.left_over = bytes.len % sizeof(struct ks_rec);
		*out = trace;
	} else {
		ks_trace_fini(&trace);
	}
	for (size_t i = 0; i < r.n_texts; i++) {
		ks_buf_fini(&r.texts[i]);
	}
	free(r.texts);
	ks_buf_fini(&r.note);
	return rc;
}

void ks_trace_fini(struct ks_trace *trace)
{
	for (size_t i = 0; i < trace->n_processes; i++) {
		free(trace->processes[i].note);
	}
	for (size_t i = 0; i < trace->n_names; i++) {
		free(trace->names[i]);
	}
	free(trace->processes);
	free(trace->names);
	free(trace->items);
	*trace = (struct ks_trace){0};
}

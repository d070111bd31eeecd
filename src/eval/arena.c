/* Memory files, slots and placement. */
#include "eval/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

#define PAGE 65536u /* the largest page of the machines we know */
#define ROOM (16u * 1024u) /* how far a tensor can move */

int ks_arena_init(struct ks_arena *a, const char *name, uint64_t cap, bool read_only,
	bool *out_sealed, struct ks_err *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)cap) != 0) {
		int sys = errno;
		if (fd >= 0) {
			close(fd);
		}
		return ks_err_sys(err, sys, "no memory of %llu bytes for %s",
			(unsigned long long)cap, name);
	}
	void *at = mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED) {
		int sys = errno;
		close(fd);
		return ks_err_sys(err, sys, "no memory of %llu bytes for %s",
			(unsigned long long)cap, name);
	}
	int seals = F_SEAL_SHRINK | F_SEAL_GROW;
	bool sealed = read_only && fcntl(fd, F_ADD_SEALS, seals | F_SEAL_FUTURE_WRITE) == 0;
	if (!sealed) {
		fcntl(fd, F_ADD_SEALS, seals);
	}
	fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL);
	if (out_sealed != NULL) {
		*out_sealed = sealed;
	}
	a->fd = fd;
	a->at = at;
	a->cap = cap;
	return 0;
}

void ks_arena_fini(struct ks_arena *a)
{
	if (a->at != NULL) {
		munmap(a->at, a->cap);
		close(a->fd);
	}
	a->at = NULL;
	a->cap = 0;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static void add_slot(struct ks_layout *l, unsigned arg, bool open_inputs)
{
	const struct ks_arg *a = &l->c->args[arg];
	struct ks_worker_slot *s = &l->slots[l->nslots];
	bool in = a->kind == KS_ARG_INPUT && !a->writable;
	uint64_t *need = in ? &l->in_need : &l->out_need;
	s->out = !in ? KS_SLOT_OUT : open_inputs ? KS_SLOT_IN_OPEN : KS_SLOT_IN;
	s->len = round_up(round_up(a->bytes, KS_ALIGN) + 2 * KS_GAP + ROOM, PAGE);
	s->file_off = *need;
	*need += s->len;
	l->names[l->nslots] = a->name;
	l->arg_of[l->nslots] = arg;
	l->args[arg].slot = (int32_t)l->nslots;
	l->args[arg].bytes = a->bytes;
	l->nslots++;
}

static void add_scalar(struct ks_worker_arg *w, const struct ks_arg *a)
{
	if (a->kind == KS_ARG_AXIS) {
		w->type = KS_WT_INT64;
		w->value.i = a->ivalue;
	} else if (a->kind == KS_ARG_DTYPE || a->dtype == KS_INT32) {
		w->type = KS_WT_INT32;
		w->value.i = a->ivalue;
	} else if (a->dtype == KS_INT64) {
		w->type = KS_WT_INT64;
		w->value.i = a->ivalue;
	} else {
		w->type = a->dtype == KS_FLOAT64 ? KS_WT_DOUBLE : KS_WT_FLOAT;
		w->value.d = a->fvalue;
	}
}

int ks_layout_init(struct ks_layout *l, const struct ks_case *c, bool open_inputs,
	struct ks_err *err)
{
	if (c->count > KS_WORKER_ARGS || c->count > KS_WORKER_SLOTS) {
		return ks_err_set(err, KS_ELIMIT, "%s: more than %d arguments", c->uuid,
			KS_WORKER_ARGS);
	}
	*l = (struct ks_layout){.c = c, .nargs = (unsigned)c->count};
	for (unsigned i = 0; i < l->nargs; i++) {
		const struct ks_arg *a = &c->args[i];
		l->args[i].slot = -1;
		if (a->kind != KS_ARG_INPUT && a->kind != KS_ARG_OUTPUT) {
			add_scalar(&l->args[i], a);
			continue;
		}
		l->args[i].type = KS_WT_POINTER;
		if (!a->absent) {
			add_slot(l, i, open_inputs);
		}
	}
	ks_layout_place(l, KS_PLACE_FIXED, (const uint32_t[4]){0, 0, 0, 0});
	return 0;
}

int ks_layout_add_stream(struct ks_layout *l, struct ks_err *err)
{
	if (l->nargs >= KS_WORKER_ARGS) {
		return ks_err_set(err, KS_ELIMIT, "%s: more than %d arguments", l->c->uuid,
			KS_WORKER_ARGS - 1);
	}
	l->args[l->nargs] = (struct ks_worker_arg){.type = KS_WT_STREAM, .slot = -1};
	l->nargs++;
	return 0;
}

void ks_layout_place(struct ks_layout *l, enum ks_place how, const uint32_t random[4])
{
	for (unsigned i = 0; how != KS_PLACE_SAME && i < l->nslots; i++) {
		struct ks_worker_arg *w = &l->args[l->arg_of[i]];
		uint64_t body = round_up(w->bytes, KS_ALIGN);
		uint64_t steps = (l->slots[i].len - body - 2 * KS_GAP) / KS_ALIGN;
		uint32_t pick = random[i % 4] ^ (i * 0x9E3779B9u);
		pick = (pick ^ (pick >> 15)) * 0x85EBCA6Bu;
		if (how == KS_PLACE_RANDOM) {
			w->off = KS_GAP + (uint64_t)(pick >> 8) % (steps + 1) * KS_ALIGN;
		} else {
			w->off = how == KS_PLACE_EDGE ? l->slots[i].len - body : KS_GAP;
		}
	}
}

unsigned char *ks_layout_at(const struct ks_layout *l, const struct ks_arena *in,
	const struct ks_arena *out, unsigned slot)
{
	const struct ks_arena *a = l->slots[slot].out == KS_SLOT_OUT ? out : in;
	return a->at + l->slots[slot].file_off + l->args[l->arg_of[slot]].off;
}

void ks_layout_gaps(const struct ks_layout *l, unsigned slot, uint64_t *out_before,
	uint64_t *out_after)
{
	const struct ks_worker_arg *w = &l->args[l->arg_of[slot]];
	uint64_t after = l->slots[slot].len - w->off - w->bytes;
	*out_before = w->off < KS_GAP ? w->off : KS_GAP;
	*out_after = after < KS_GAP ? after : KS_GAP;
}

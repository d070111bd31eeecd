/*
 * Remembers the classes of calls, direct-mapped by a 64-bit hash and a length.
 * Should two calls ever share both, the second gets the first one's layers, and
 * nothing else hangs on it.
 */
#include "base/mem.h"
#include "core/fold.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS 128

struct slot {
	uint64_t hash;
	size_t len; /* 0: empty */
	struct ks_call_class class;
};

struct ks_memo {
	struct slot slots[SLOTS];
};

struct ks_memo *ks_memo_new(void)
{
	return ks_zalloc(1, sizeof(struct ks_memo));
}

void ks_memo_free(struct ks_memo *memo)
{
	free(memo);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 32);
}

/* Eight bytes at a time, with the length behind each part so that they cannot run
 * together. */
static uint64_t mix_text(uint64_t hash, struct ks_str part)
{
	uint64_t word;
	size_t i = 0;

	for (; part.len - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, part.ptr + i, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	if (i < part.len) {
		memcpy(&word, part.ptr + i, part.len - i);
	}
	return mix(mix(hash, word), part.len);
}

const struct ks_call_class *ks_memo_classify(struct ks_memo *memo, const struct ks_call *call)
{
	const struct ks_str parts[] = {
		call->name, call->kind, call->command, call->path, call->lines,
	};
	uint64_t hash = mix(0, 1 + (call->by_process ? 1 : 0) + (call->cpu ? 2 : 0));
	size_t len = 1;
	struct slot *slot;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		hash = mix_text(hash, parts[i]);
		len += parts[i].len;
	}
	slot = &memo->slots[(hash >> 32) % SLOTS];
	if (slot->len != len || slot->hash != hash) {
		ks_layer_classify(&slot->class, call);
		slot->hash = hash;
		slot->len = len;
	}
	return &slot->class;
}

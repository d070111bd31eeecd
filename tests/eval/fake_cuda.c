/*
 * A GPU that is none: the table of libkseek-cuda.so over ordinary memory, so that
 * judge and worker are tested in their parts for target cuda where there is no
 * GPU. "Device memory" is files in the folder KSEEK_FAKE_DIR, which is the
 * worker's scratch folder; a handle is a file's name.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eval/device_api.h"
#include "eval/print.h"

#define BLOCKS_MAX 64

struct ks_cuda {
	struct {
		char name[KS_CUDA_HANDLE];
		void *at;
		uint64_t bytes;
	} blocks[BLOCKS_MAX];
	struct ks_cuda_found found;
	int next, index, syncs;
};

struct ks_cuda_side {
	void *base[2];
	bool flushed;
};

static int broken;

/* How many GPUs there are. The second one stops working after so many looks as
 * KSEEK_FAKE_SECOND_LASTS says, and KSEEK_FAKE_SECOND_FULL leaves it no memory. */
static int devices(void)
{
	const char *text = getenv("KSEEK_FAKE_DEVICES");
	return text != NULL ? (int)strtol(text, NULL, 10) : 1;
}

/* For a candidate that shows what a broken context does. */
void fake_cuda_break(int code);
void fake_cuda_break(int code)
{
	broken = code;
}

static int fake_list(char uuids[][48], int max, char *text)
{
	int n = 0;
	(void)text;
	for (; n < max && n < devices(); n++) {
		snprintf(uuids[n], 48, "GPU-fake%.0d", n);
	}
	return n;
}

static int fake_open(struct ks_cuda **out, const char *uuid, char *text)
{
	for (int i = 0; i < devices(); i++) {
		char name[48];
		snprintf(name, sizeof(name), "GPU-fake%.0d", i);
		if (uuid == NULL || strcmp(uuid, name) == 0) {
			*out = calloc(1, sizeof(**out));
			(*out)->index = i;
			return 0;
		}
	}
	snprintf(text, KS_CUDA_TEXT, "there is no such GPU among %d", devices());
	return 101;
}

static void fake_release(struct ks_cuda *c, void *at)
{
	for (int i = 0; i < BLOCKS_MAX; i++) {
		if (c->blocks[i].at == at && at != NULL) {
			munmap(at, c->blocks[i].bytes);
			c->blocks[i].at = NULL;
		}
	}
}

static void fake_close(struct ks_cuda *c)
{
	for (int i = 0; i < BLOCKS_MAX; i++) {
		fake_release(c, c->blocks[i].at);
	}
	free(c);
}

static void fake_info(const struct ks_cuda *c, struct ks_cuda_info *out)
{
	*out = (struct ks_cuda_info){.name = "memory", .major = 9, .sms = 1};
	snprintf(out->uuid, sizeof(out->uuid), "GPU-fake%.0d", c->index);
}

static void *fake_alloc(struct ks_cuda *c, uint64_t bytes)
{
	char path[256];
	if (c->index == 1 && getenv("KSEEK_FAKE_SECOND_FULL") != NULL) {
		return NULL;
	}
	int i = c->next++;
	snprintf(c->blocks[i].name, KS_CUDA_HANDLE, "fake-%d-%d-%d", (int)getpid(), c->index, i);
	snprintf(path, sizeof(path), "%s/%s", getenv("KSEEK_FAKE_DIR"), c->blocks[i].name);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
		return NULL;
	}
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	c->blocks[i].at = at == MAP_FAILED ? NULL : at;
	c->blocks[i].bytes = bytes;
	return c->blocks[i].at;
}

static int fake_share(struct ks_cuda *c, void *at, unsigned char handle[KS_CUDA_HANDLE], char *text)
{
	for (int i = 0; i < BLOCKS_MAX; i++) {
		if (c->blocks[i].at == at) {
			memcpy(handle, c->blocks[i].name, KS_CUDA_HANDLE);
			return 0;
		}
	}
	snprintf(text, KS_CUDA_TEXT, "no allocation of ours");
	return 1;
}

static uint64_t fake_used(struct ks_cuda *c)
{
	return (uint64_t)c->next << 21;
}

static void fake_upload(struct ks_cuda *c, void *to, const void *from, uint64_t bytes)
{
	(void)c;
	memcpy(to, from, bytes);
}

static int fake_download(struct ks_cuda *c, void *to, const void *from, uint64_t bytes, char *text)
{
	(void)c, (void)text;
	memcpy(to, from, bytes);
	return 0;
}

static void fake_fill(struct ks_cuda *c, void *to, int byte, uint64_t bytes)
{
	(void)c;
	memset(to, byte, bytes);
}

static void fake_repeat(struct ks_cuda *c, void *to, const void *element, uint32_t size,
	uint64_t count)
{
	(void)c;
	for (uint64_t i = 0; i < count; i++) {
		memcpy((char *)to + i * size, element, size);
	}
}

static void fake_draw(struct ks_cuda *c, void *to, const struct ks_draw *plan)
{
	(void)c;
	for (uint64_t g = 0; g < (plan->count + 3) / 4; g++) {
		ks_draw_group(to, plan, g);
	}
}

static void fake_poison(struct ks_cuda *c, void *to, const void *from, enum ks_dtype dtype,
	uint64_t count, uint32_t random)
{
	(void)c;
	for (uint64_t i = 0; i < count; i++) {
		ks_element_put(dtype, to, i,
			ks_poison_of(dtype, from, count, (uint32_t)(i % 256), random));
	}
}

static void fake_gap(struct ks_cuda *c, const void *at, int byte, uint64_t bytes, unsigned i)
{
	for (uint64_t k = 0; k < bytes; k++) {
		c->found.look[i] += ((const unsigned char *)at)[k] != (unsigned char)byte;
	}
}

static void fake_print(struct ks_cuda *c, const void *at, uint64_t bytes, uint64_t key, unsigned i)
{
	for (uint64_t word = 0; word * 8 < bytes; word++) {
		c->found.look[i] += ks_print_word(at, bytes, word, key);
	}
}

static void fake_special(struct ks_cuda *c, enum ks_dtype dtype, const void *at, uint64_t count,
	bool allow_negative_inf, unsigned look)
{
	for (uint64_t i = 0; i < count; i++) {
		double v = ks_element(dtype, at, i);
		c->found.look[look] += !(fabs(v) < (double)INFINITY) &&
			!(allow_negative_inf && v < 0 && isinf(v));
	}
}

static void fake_tally(struct ks_cuda *c, const struct ks_rule *rule, enum ks_dtype dtype,
	const void *got, const void *want, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		ks_tally_element(&c->found.tally, rule, dtype, got, want, i);
	}
}

static int fake_sync(struct ks_cuda *c, struct ks_cuda_found *found, char *text)
{
	const char *lasts = getenv("KSEEK_FAKE_SECOND_LASTS");
	if (c->index == 1 && lasts != NULL && ++c->syncs > strtol(lasts, NULL, 10)) {
		snprintf(text, KS_CUDA_TEXT, "waiting: fell off the bus (CUDA error 46)");
		return 46;
	}
	*found = c->found;
	memset(&c->found, 0, sizeof(c->found));
	return 0;
}

/* ---- worker ---- */

static int side_open(struct ks_cuda_side **out, const unsigned char handles[2][KS_CUDA_HANDLE],
	const char *cupti, char *text)
{
	struct ks_cuda_side *s = calloc(1, sizeof(*s));
	(void)cupti;
	for (int i = 0; i < 2; i++) {
		int fd = open((const char *)handles[i], O_RDWR | O_CLOEXEC); /* in scratch */
		off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
		s->base[i] = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (fd < 0 || s->base[i] == MAP_FAILED) {
			snprintf(text, KS_CUDA_TEXT, "cannot open %.60s", (const char *)handles[i]);
			return 1;
		}
		close(fd);
	}
	*out = s;
	return 0;
}

static void *side_base(const struct ks_cuda_side *s, unsigned which)
{
	return s->base[which % 2];
}

static void *side_stream(const struct ks_cuda_side *s)
{
	(void)s;
	return (void *)(uintptr_t)0x5eed;
}

static int side_arm(struct ks_cuda_side *s, bool flush)
{
	s->flushed = flush;
	return 0;
}

static int side_begin(struct ks_cuda_side *s)
{
	(void)s;
	return 0;
}

static int side_wait(struct ks_cuda_side *s, bool whole)
{
	(void)s, (void)whole;
	return broken;
}

static int side_finish(struct ks_cuda_side *s, int waited, double *event_ns, char *text)
{
	*event_ns = s->flushed ? 12345 : 1;
	if (waited != 0) {
		snprintf(text, KS_CUDA_TEXT,
			"after the call: an illegal memory access (CUDA error %d)", waited);
	}
	return waited;
}

static int trace_stop(struct ks_cuda_side *s, struct ks_cuda_trace *out)
{
	(void)s;
	*out = (struct ks_cuda_trace){.launches = 3, .fills = 1, .span_ns = 9000, .busy_ns = 7000,
		.names = "a_kernel(int)\n"};
	return 0;
}

const struct ks_cuda_api *ks_cuda_api(void);
const struct ks_cuda_api *ks_cuda_api(void)
{
	static const struct ks_cuda_api api = {
		.version = KS_CUDA_API_VERSION, .list = fake_list, .open = fake_open,
		.close = fake_close,
		.info = fake_info, .alloc = fake_alloc, .release = fake_release,
		.share = fake_share, .used = fake_used, .upload = fake_upload,
		.download = fake_download, .copy = fake_upload, .fill = fake_fill,
		.repeat = fake_repeat, .draw = fake_draw, .poison = fake_poison, .gap = fake_gap,
		.print = fake_print, .special = fake_special, .tally = fake_tally,
		.sync = fake_sync, .side_open = side_open, .side_base = side_base,
		.side_stream = side_stream, .side_arm = side_arm, .side_begin = side_begin,
		.side_end = side_begin,
		.side_wait = side_wait, .side_finish = side_finish, .side_empty = side_begin,
		.side_trace_start = side_begin, .side_trace_stop = trace_stop,
	};
	return &api;
}

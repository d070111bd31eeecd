/*
 * Which layer a source line is about, by the words that stand in it: CUDA C
 * and C. A line counts once for each layer that it speaks of; a text is the
 * sum of its lines. The table is sorted, so that a word is found by halving.
 */
#include <string.h>

#include "core/layer_impl.h"

#define LINES_MAX 400       /* of one text that are looked at */
#define LINE_BYTES_MAX 400

enum { MARK_IF = KS_LAYERS, MARK_THREAD, MARK_SIZE }; /* words, no layers */

/* Lower case; what of an identifier may match: see identifier_layer. */
static const struct {
	const char *word;
	signed char layer;
} words[] = {
	{"__attribute__", KS_LAYER_X}, {"__builtin_assume", KS_LAYER_X},
	{"__builtin_prefetch", KS_LAYER_M}, {"__expf", KS_LAYER_P},
	{"__forceinline__", KS_LAYER_X}, {"__launch_bounds__", KS_LAYER_X},
	{"__restrict__", KS_LAYER_X}, {"__shared__", KS_LAYER_S},
	{"__syncthreads", KS_LAYER_O}, {"__syncwarp", KS_LAYER_O}, {"_mm", KS_LAYER_P},
	{"_mm256", KS_LAYER_P}, {"_mm256_stream", KS_LAYER_M}, {"_mm512", KS_LAYER_P},
	{"_mm512_stream", KS_LAYER_M}, {"_mm_stream", KS_LAYER_M}, {"acc", KS_LAYER_P},
	{"acc0", KS_LAYER_O}, {"acc1", KS_LAYER_O}, {"acc2", KS_LAYER_O},
	{"acc3", KS_LAYER_O}, {"acquire", KS_LAYER_O}, {"add", KS_LAYER_P},
	{"aligned_alloc", KS_LAYER_H}, {"always_inline", KS_LAYER_X},
	{"arrive", KS_LAYER_O}, {"atomic", KS_LAYER_O}, {"atomicadd", KS_LAYER_O},
	{"atomiccas", KS_LAYER_O}, {"attributes", KS_LAYER_H}, {"bar", KS_LAYER_O},
	{"barrier", KS_LAYER_O}, {"batch", MARK_SIZE}, {"block_k", KS_LAYER_S},
	{"blockidx", KS_LAYER_G}, {"buf", KS_LAYER_S},
	{"builtin_assume_aligned", KS_LAYER_X}, {"bulk", KS_LAYER_S},
	{"cache_hint", KS_LAYER_M}, {"calloc", KS_LAYER_H}, {"case", KS_LAYER_R},
	{"cflags", KS_LAYER_X}, {"cluster", KS_LAYER_G}, {"cluster_dims", KS_LAYER_G},
	{"coalesced", KS_LAYER_M}, {"cols", MARK_SIZE}, {"combine", KS_LAYER_C},
	{"commit_group", KS_LAYER_O}, {"consumer", KS_LAYER_O}, {"cp_async", KS_LAYER_S},
	{"cudadevicesynchronize", KS_LAYER_H}, {"cudaevent", KS_LAYER_H},
	{"cudafree", KS_LAYER_H}, {"cudafuncsetattribute", KS_LAYER_H},
	{"cudagetdevice", KS_LAYER_H}, {"cudagraph", KS_LAYER_C},
	{"cudahostalloc", KS_LAYER_H}, {"cudalaunch", KS_LAYER_C},
	{"cudalaunchkernelex", KS_LAYER_C}, {"cudamalloc", KS_LAYER_H},
	{"cudamemcpy", KS_LAYER_H}, {"cudamemset", KS_LAYER_H},
	{"cudastream", KS_LAYER_H}, {"cutensormapencode", KS_LAYER_H},
	{"depbar", KS_LAYER_O}, {"dim", MARK_SIZE}, {"dispatch", KS_LAYER_R},
	{"dot", KS_LAYER_P}, {"double_buffer", KS_LAYER_O}, {"dtype", MARK_SIZE},
	{"elect", KS_LAYER_O}, {"elect_one", KS_LAYER_O}, {"elif", MARK_IF},
	{"epilogue_kernel", KS_LAYER_C}, {"evict_first", KS_LAYER_M},
	{"evict_last", KS_LAYER_M}, {"ex2", KS_LAYER_P}, {"exp", KS_LAYER_P},
	{"exp2", KS_LAYER_P}, {"exp2f", KS_LAYER_P}, {"expf", KS_LAYER_P},
	{"fallback", KS_LAYER_R}, {"fast_math", KS_LAYER_X}, {"fence", KS_LAYER_O},
	{"ffast", KS_LAYER_X}, {"ffma", KS_LAYER_P}, {"first_pass", KS_LAYER_C},
	{"float4", KS_LAYER_M}, {"fma", KS_LAYER_P}, {"fmaf", KS_LAYER_P},
	{"fmax", KS_LAYER_P}, {"fmaxf", KS_LAYER_P}, {"fminf", KS_LAYER_P},
	{"forceinline", KS_LAYER_X}, {"free", KS_LAYER_H}, {"ftree", KS_LAYER_X},
	{"getenv", KS_LAYER_H}, {"global", KS_LAYER_M}, {"gmem", KS_LAYER_M},
	{"grid", KS_LAYER_G}, {"griddepcontrol", KS_LAYER_C}, {"griddim", KS_LAYER_G},
	{"headdim", MARK_SIZE}, {"heads", MARK_SIZE}, {"heuristic", KS_LAYER_R},
	{"hidden", MARK_SIZE}, {"hmma", KS_LAYER_P}, {"if", MARK_IF},
	{"inline", KS_LAYER_X}, {"int4", KS_LAYER_M}, {"ivdep", KS_LAYER_X},
	{"k", MARK_SIZE}, {"kc", KS_LAYER_S}, {"l1", KS_LAYER_S}, {"l2", KS_LAYER_M},
	{"lane", MARK_THREAD}, {"lane_id", MARK_THREAD}, {"launch", KS_LAYER_C},
	{"launch_bounds", KS_LAYER_X}, {"ld_global", KS_LAYER_M}, {"ldcg", KS_LAYER_M},
	{"ldcs", KS_LAYER_M}, {"ldg", KS_LAYER_M}, {"ldgstsl", KS_LAYER_S},
	{"ldmatrix", KS_LAYER_S}, {"len", MARK_SIZE}, {"log2e", KS_LAYER_P},
	{"m", MARK_SIZE}, {"makespan", KS_LAYER_G}, {"malloc", KS_LAYER_H},
	{"march", KS_LAYER_X}, {"max", KS_LAYER_P}, {"max_k", MARK_SIZE},
	{"max_q", MARK_SIZE}, {"maxrregcount", KS_LAYER_X}, {"mbarrier", KS_LAYER_O},
	{"mc", KS_LAYER_S}, {"membar", KS_LAYER_O}, {"memset", KS_LAYER_H},
	{"mma", KS_LAYER_P}, {"mmap", KS_LAYER_H}, {"mul", KS_LAYER_P},
	{"munmap", KS_LAYER_H}, {"n", MARK_SIZE}, {"n_blocks", KS_LAYER_G},
	{"n_threads", KS_LAYER_G}, {"nanosleep", KS_LAYER_O}, {"nblocks", KS_LAYER_G},
	{"nc", KS_LAYER_S}, {"noinline", KS_LAYER_X}, {"nontemporal", KS_LAYER_M},
	{"nthreads", KS_LAYER_G}, {"num_blocks", KS_LAYER_G}, {"num_splits", KS_LAYER_G},
	{"num_stages", KS_LAYER_S}, {"num_threads", KS_LAYER_G},
	{"nvccflags", KS_LAYER_X}, {"o3", KS_LAYER_X}, {"omp", KS_LAYER_G},
	{"optimize", KS_LAYER_X}, {"overlap", KS_LAYER_O}, {"pack", KS_LAYER_S},
	{"packed", KS_LAYER_S}, {"panel", KS_LAYER_S}, {"pass1", KS_LAYER_C},
	{"pass2", KS_LAYER_C}, {"persistent", KS_LAYER_G}, {"phase", KS_LAYER_O},
	{"pipeline", KS_LAYER_O}, {"poly", KS_LAYER_P}, {"posix_memalign", KS_LAYER_H},
	{"prefetch", KS_LAYER_M}, {"producer", KS_LAYER_O}, {"programmatic", KS_LAYER_C},
	{"prologue", KS_LAYER_O}, {"pthread", KS_LAYER_G}, {"pthread_create", KS_LAYER_H},
	{"pybind", KS_LAYER_H}, {"realloc", KS_LAYER_H}, {"register", KS_LAYER_X},
	{"reinterpret_cast", KS_LAYER_M}, {"release", KS_LAYER_O},
	{"restrict", KS_LAYER_X}, {"ring", KS_LAYER_S}, {"route", KS_LAYER_R},
	{"routing", KS_LAYER_R}, {"rows", MARK_SIZE}, {"rows_per_thread", KS_LAYER_G},
	{"rsqrt", KS_LAYER_P}, {"rsqrtf", KS_LAYER_P}, {"scale", KS_LAYER_P},
	{"schedule", KS_LAYER_G}, {"scheduler", KS_LAYER_G}, {"scratch", KS_LAYER_S},
	{"second_pass", KS_LAYER_C}, {"select", KS_LAYER_R}, {"seqlen", MARK_SIZE},
	{"seqlen_k", MARK_SIZE}, {"seqlen_q", MARK_SIZE}, {"setattribute", KS_LAYER_H},
	{"setmaxnreg", KS_LAYER_X}, {"shared", KS_LAYER_S}, {"simd", KS_LAYER_X},
	{"size", MARK_SIZE}, {"smem", KS_LAYER_S}, {"smem_ptr", KS_LAYER_S},
	{"split_k", KS_LAYER_G}, {"splits", KS_LAYER_G},
	{"sqrtf", KS_LAYER_P}, {"stages", KS_LAYER_S}, {"staging", KS_LAYER_S},
	{"stcg", KS_LAYER_M}, {"stcs", KS_LAYER_M}, {"stmatrix", KS_LAYER_S},
	{"stream", KS_LAYER_H}, {"stream_store", KS_LAYER_M}, {"stride", KS_LAYER_M},
	{"sum", KS_LAYER_P}, {"switch", KS_LAYER_R}, {"swizzle", KS_LAYER_S},
	{"syncwarp", KS_LAYER_O}, {"tanh", KS_LAYER_P}, {"tcgen05", KS_LAYER_P},
	{"tensormap", KS_LAYER_S}, {"tensormapencode", KS_LAYER_H},
	{"thread_id", KS_LAYER_G}, {"threadidx", MARK_THREAD}, {"tid", MARK_THREAD},
	{"tile_idx", KS_LAYER_G}, {"tile_k", KS_LAYER_S}, {"tma", KS_LAYER_S},
	{"tmem", KS_LAYER_S}, {"torch_library", KS_LAYER_H}, {"total", MARK_SIZE},
	{"try_wait", KS_LAYER_O}, {"uint4", KS_LAYER_M}, {"unroll", KS_LAYER_X},
	{"variant", KS_LAYER_R}, {"vectorize", KS_LAYER_X}, {"vfma", KS_LAYER_P},
	{"vmla", KS_LAYER_P}, {"volatile", KS_LAYER_O}, {"wait", KS_LAYER_O},
	{"wait_group", KS_LAYER_O}, {"warp", MARK_THREAD}, {"warp_id", MARK_THREAD},
	{"waves", KS_LAYER_G}, {"wgmma", KS_LAYER_P}, {"width", MARK_SIZE},
	{"wmma", KS_LAYER_P}, {"workspace", KS_LAYER_H},
};
#define WORDS (sizeof(words) / sizeof(words[0]))

static bool is_word_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') ||
		((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Compares the first len bytes of an entry with a lower-case word. */
static int order(const char *entry, const char *word, size_t len)
{
	size_t n = strlen(entry);
	int c = memcmp(entry, word, n < len ? n : len);

	return c ? c : n < len ? -1 : n > len;
}

/* The layer of a word exactly, or KS_LAYER_NONE. */
static int word_layer(const char *word, size_t len)
{
	size_t lo = 0, hi = WORDS;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int c = order(words[mid].word, word, len);

		if (c == 0) {
			return words[mid].layer;
		}
		if (c < 0) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return KS_LAYER_NONE;
}

/* The layer of an identifier: itself, without digits and suffixes at its end,
 * and the parts between its underscores and humps. */
static int identifier_layer(const char *s, size_t len)
{
	char low[64];
	size_t n = len < sizeof(low) ? len : sizeof(low);

	for (size_t i = 0; i < n; i++) {
		low[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 32 : s[i]);
	}
	int layer = word_layer(low, n);
	for (size_t end = n; end > 2 && layer == KS_LAYER_NONE; end--) {
		bool hump = end < n && s[end] >= 'A' && s[end] <= 'Z';
		bool part = end < n && (low[end] == '_' || hump ||
			(low[end] >= '0' && low[end] <= '9'));

		if (part) {
			layer = word_layer(low, end);
		}
	}
	for (size_t i = 1; i < n && layer == KS_LAYER_NONE; i++) {
		if (low[i - 1] == '_' && low[i] != '_') {
			size_t end = i;

			while (end < n && low[end] != '_') {
				end++;
			}
			layer = word_layer(low + i, end - i);
		}
	}
	return layer;
}

struct line_facts {
	bool layer[KS_LAYERS];
	bool condition, size, thread;
};

static void add_word(struct line_facts *f, const char *s, size_t len)
{
	int layer = identifier_layer(s, len);

	if (layer >= 0 && layer < KS_LAYERS) {
		f->layer[layer] = true;
	}
	f->condition = f->condition || layer == MARK_IF;
	f->thread = f->thread || layer == MARK_THREAD;
	f->size = f->size || layer == MARK_SIZE;
}

static void line_layers(double out[KS_LAYERS], struct ks_str line)
{
	struct line_facts f = {0};
	size_t i = 0;

	line.len = line.len < LINE_BYTES_MAX ? line.len : LINE_BYTES_MAX;
	line = ks_str_trim(line);
	if (ks_str_starts(line, "//") || ks_str_starts(line, "/*") ||
	    ks_str_starts(line, "* ")) {
		return;
	}
	while (i < line.len) {
		size_t start = i;

		while (i < line.len && is_word_char(line.ptr[i])) {
			i++;
		}
		if (i > start) {
			add_word(&f, line.ptr + start, i - start);
			continue;
		}
		struct ks_str rest = {line.ptr + i, line.len - i};
		f.layer[KS_LAYER_P] |= ks_str_starts(rest, "+=") && i + 3 < line.len;
		f.layer[KS_LAYER_C] |= ks_str_starts(rest, "<<<");
		i++;
	}
	/* a condition on sizes outside a thread's own work chooses a path */
	f.layer[KS_LAYER_R] |= f.condition && f.size && !f.thread;
	for (int k = 0; k < KS_LAYERS; k++) {
		out[k] += f.layer[k];
	}
}

/* Of a unified diff: whether the line was changed. */
static bool is_changed(struct ks_str line)
{
	return line.len && (line.ptr[0] == '+' || line.ptr[0] == '-') &&
		!ks_str_starts(line, "+++") && !ks_str_starts(line, "---");
}

static bool is_diff(struct ks_str lines)
{
	return ks_str_starts(lines, "@@") || ks_str_starts(lines, "--- ") ||
		ks_str_starts(lines, "diff ") ||
		ks_str_find(lines, KS_STR("\n@@")) >= 0 ||
		ks_str_starts(lines, "*** Begin Patch");
}

void ks_layer_regions(double out[KS_LAYERS], struct ks_str lines)
{
	bool diff = is_diff(lines);
	struct ks_str line;
	double sum = 0;

	for (int k = 0; k < KS_LAYERS; k++) {
		out[k] = 0;
	}
	for (size_t n = 0; n < LINES_MAX && ks_str_next(&lines, '\n', &line); n++) {
		if (!diff) {
			line_layers(out, line);
		} else if (is_changed(line)) {
			line_layers(out, (struct ks_str){line.ptr + 1, line.len - 1});
		}
	}
	for (int k = 0; k < KS_LAYERS; k++) {
		sum += out[k];
	}
	for (int k = 0; k < KS_LAYERS && sum > 0; k++) {
		out[k] /= sum;
	}
}

/* Tool calls into layers, and the decayed map. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/layer_impl.h"

struct row {
	const char *command;
	bool cpu;
	enum ks_call_kind kind;
	const char *top;   /* layers with evidence, strongest first; "" none */
	unsigned effort;   /* must be among the bits */
};

#define M KS_CALL_MEASURE
#define R KS_CALL_READ
#define E KS_CALL_EDIT
#define B KS_CALL_BUILD
#define O KS_CALL_OTHER

static const struct row rows[] = {
	/* whole call, kernel profilers */
	{"nsys profile -o r ./bench && nsys stats r.nsys-rep", 0, M, "HC", KS_EFFORT_TIMELINE},
	{"kseek timeline -- ./run", 0, M, "HC", KS_EFFORT_TIMELINE},
	{"ncu --set full ./bench", 0, M, "MSPOG", KS_EFFORT_PROFILER},
	{"ncu ./bench", 0, M, "MSPOG", KS_EFFORT_PROFILER},
	{"sudo -E /usr/local/cuda/bin/ncu --section SpeedOfLight ./b", 0, M, "MP",
		KS_EFFORT_PROFILER},
	{"ncu --section MemoryWorkloadAnalysis_Tables ./b", 0, M, "M", 0},
	{"ncu --metrics dram__bytes_read.sum,lts__t_sectors.sum ./b", 0, M, "M", 0},
	{"ncu --metrics l1tex__data_bank_conflicts_pipe_lsu.sum ./b", 0, M, "SP", 0},
	{"ncu --section WarpStateStats --section SchedulerStats ./b", 0, M, "O", 0},
	{"ncu --section Occupancy --section LaunchStats ./b", 0, M, "GX", 0},
	{"ncu --import r.ncu-rep --page source --csv", 0, O, "OXS", 0},
	{"ncu --version", 0, O, "", 0},
	{"which ncu nsys", 0, O, "", 0},
	/* compiler output */
	{"cuobjdump -sass k.so", 0, M, "XPO", KS_EFFORT_DISASM},
	{"cuobjdump -sass k.so | grep -E 'LDL|STL' | wc -l", 0, M, "X", KS_EFFORT_DISASM},
	{"nvdisasm k.cubin | grep -c BSSY", 0, M, "O", KS_EFFORT_DISASM},
	{"cuobjdump -sass k.so | grep HGMMA | sort | uniq -c", 0, M, "P", 0},
	{"cuobjdump -sass a.so 2>/dev/null | egrep 'LDS|STS'", 0, M, "S", 0},
	{"nvcc -O3 -Xptxas -v -c k.cu", 0, M, "X", KS_EFFORT_REPORT},
	{"nvcc -O3 --resource-usage k.cu -o k 2>&1 | tail", 0, M, "X", KS_EFFORT_BUILD},
	{"cuobjdump -res-usage k.so", 0, M, "X", KS_EFFORT_REPORT},
	{"nvcc -O3 -arch=sm_90a k.cu -o k", 0, B, "", KS_EFFORT_BUILD},
	/* the evaluator */
	{"kseek eval", 0, M, "V", KS_EFFORT_BENCH},
	{"cd work && ./kseek eval --wait 300 2>&1 | tail -40", 0, M, "V", KS_EFFORT_BENCH},
	{"kseek eval --no-perf", 0, M, "V", KS_EFFORT_CHECK},
	{"kseek goal", 0, O, "", 0},
	/* host */
	{"strace -c -f ./run", 0, M, "H", KS_EFFORT_HOST},
	{"perf stat -e cache-misses ./run", 0, M, "H", KS_EFFORT_HOST},
	{"py-spy record -o p.svg -- python run.py", 0, M, "H", KS_EFFORT_HOST},
	{"python3 -c 'import torch; from torch.profiler import profile; run()'", 0, M, "CH",
		KS_EFFORT_TIMELINE},
	{"python bench_launcher_only.py", 0, M, "H", KS_EFFORT_BENCH},
	{"compute-sanitizer --tool racecheck ./run", 0, M, "VO", KS_EFFORT_CHECK},
	{"nvidia-smi -q -d CLOCK", 0, M, "V", 0},
	{"nvidia-smi --query-gpu=clocks.sm --format=csv -lms 100", 0, M, "V", 0},
	{"nvidia-smi", 0, O, "", 0},
	{"sleep 30; ls -la", 0, O, "", 0},
	/* cpu */
	{"perf stat -e LLC-load-misses,cache-misses ./run", 1, M, "M", KS_EFFORT_PROFILER},
	{"perf stat -e L1-dcache-load-misses,l2_rqsts.miss ./run", 1, M, "S", 0},
	{"perf stat -e fp_arith_inst_retired.512b_packed_single ./run", 1, M, "P", 0},
	{"perf stat -e page-faults,context-switches ./run", 1, M, "H", 0},
	{"taskset -c 2 perf stat -e stalled-cycles-backend ./run", 1, M, "O", 0},
	{"perf record ./run && perf annotate --stdio", 1, M, "CHPOX", 0},
	{"objdump -d --no-show-raw-insn kernel.so | grep -c zmm", 1, M, "P", KS_EFFORT_DISASM},
	{"objdump -d kernel.so", 1, M, "XPO", KS_EFFORT_DISASM},
	{"objdump -T kernel.so", 1, M, "RX", 0},
	{"gcc -O3 -march=native -fopt-info-vec-missed -c kernel.c", 1, M, "X", KS_EFFORT_REPORT},
	{"clang -O3 -Rpass=loop-vectorize -c kernel.c", 1, M, "X", KS_EFFORT_REPORT},
	{"gcc -O3 -S kernel.c -o - | less", 1, M, "XPO", KS_EFFORT_DISASM},
	{"valgrind --tool=cachegrind ./run", 1, M, "MS", KS_EFFORT_PROFILER},
	{"valgrind --tool=callgrind ./run", 1, M, "PC", KS_EFFORT_PROFILER},
	{"valgrind ./run", 1, M, "VO", KS_EFFORT_CHECK},
	{"/usr/bin/time -v ./run", 1, M, "HV", KS_EFFORT_HOST},
	{"size kernel.so", 1, M, "X", 0},
	{"gcc -O3 kernel.c -o k && ./k", 1, M, "V", KS_EFFORT_BUILD},
	{"llvm-mca -mcpu=native loop.s", 1, M, "PO", 0},
	{"lscpu", 1, M, "V", 0},
	/* compound lines, wrappers, loops, here-documents */
	{"timeout 60 env OMP_NUM_THREADS=4 bash -lc \"ncu --section Occupancy ./b\"", 0, M,
		"GX", KS_EFFORT_PROFILER},
	{"for s in 1 2 4 8; do SPLITS=$s ./bench_k; done", 0, M, "RG", KS_EFFORT_BENCH},
	{"for i in $(seq 100); do ./run | md5sum; done", 0, M, "VO", KS_EFFORT_CHECK},
	{"echo 'ncu --set full'; ls", 0, O, "", 0},
	{"grep -rn 'cuobjdump; nsys' notes.txt", 0, R, "", 0},
	{"# ncu ./bench\nls", 0, O, "", 0},
	{"python3 - <<'EOF'\nt = clock64()\nEOF\necho done", 0, M, "OG", 0},
	{"cat > probe.py <<'EOF'\nncu --set full\nEOF", 0, R, "", 0},
	{"X=1 Y=2 time ./kbench", 1, M, "V", KS_EFFORT_BENCH},
	{"command -v nvcc", 0, O, "", 0},
	{"make && ninja -C build test", 0, M, "V", KS_EFFORT_CHECK},
	{"curl -s https://example.org/doc", 0, R, "", KS_EFFORT_DOCS},
	{"git diff HEAD~1 -- kernel.cu", 0, R, "", KS_EFFORT_OWN_SOURCE},
	{"sed -n 1,80p kernel.cu", 0, R, "", KS_EFFORT_OWN_SOURCE},
	{"cat /usr/local/cuda/include/mma.h", 0, R, "", KS_EFFORT_DOCS},
	{"sed -i 's/__syncthreads();//' kernel.cu", 0, E, "", 0},
	{"grep -c LDL kernel.sass", 0, M, "X", KS_EFFORT_DISASM},
	{"", 0, O, "", 0},
	{"&& ; | '", 0, O, "", 0},
};

#undef M
#undef R
#undef E
#undef B
#undef O

static void classify(struct ks_call_class *out, const char *command, bool cpu)
{
	struct ks_call call = {.name = KS_STR("Bash"), .command = ks_str_of(command),
		.cpu = cpu};

	ks_layer_classify(out, &call);
}

/* Letters of the layers with evidence, strongest first. */
static void letters(char out[KS_LAYERS + 1], const double weight[KS_LAYERS])
{
	bool used[KS_LAYERS] = {false};
	size_t n = 0;

	for (;;) {
		int best = -1;

		for (int i = 0; i < KS_LAYERS; i++) {
			if (!used[i] && weight[i] > 0 &&
			    (best < 0 || weight[i] > weight[best] + 1e-9)) {
				best = i;
			}
		}
		if (best < 0) {
			break;
		}
		used[best] = true;
		out[n++] = ks_layer_letter(best);
	}
	out[n] = '\0';
}

static void test_commands(void **state)
{
	(void)state;
	int wrong = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ks_call_class c;
		char top[KS_LAYERS + 1];
		double sum = 0;

		classify(&c, rows[i].command, rows[i].cpu);
		letters(top, c.evidence);
		for (int k = 0; k < KS_LAYERS; k++) {
			sum += c.evidence[k];
		}
		bool same = strlen(top) == strlen(rows[i].top) &&
			strspn(top, rows[i].top) == strlen(top);
		if (!same || c.kind != rows[i].kind || sum > 1 + 1e-9 ||
		    (c.effort & rows[i].effort) != rows[i].effort ||
		    (top[0] != rows[i].top[0] && top[0] != '\0')) {
			print_error("%s: %s \"%s\" %x (%s), expected %s \"%s\" %x\n",
				rows[i].command, ks_call_kind_name(c.kind), top, c.effort,
				c.rule, ks_call_kind_name(rows[i].kind), rows[i].top,
				rows[i].effort);
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static void test_timing_alone_tells_little(void **state)
{
	(void)state;
	struct ks_call_class c;

	classify(&c, "kseek eval", true);
	assert_true(fabs(c.evidence[KS_LAYER_V] - 0.3) < 1e-9);
	classify(&c, "ncu --import old.ncu-rep --section Occupancy", false);
	assert_true(fabs(c.evidence[KS_LAYER_G] - 0.3) < 1e-9);
	assert_true(fabs(c.evidence[KS_LAYER_X] - 0.2) < 1e-9);
}

static void test_one_process_is_not_split(void **state)
{
	(void)state;
	struct ks_call call = {.name = KS_STR("x"), .kind = KS_STR("execute"),
		.command = KS_STR("strace -o a;b ./run"), .by_process = true};
	struct ks_call_class c;

	ks_layer_classify(&c, &call);
	assert_true(c.evidence[KS_LAYER_H] == 1);
}

static void test_cutting(void **state)
{
	(void)state;
	struct ks_str rest = KS_STR("a 'x && y' && b \"q;\\\"z\" 2>&1 | c; d & e # f ; "
		"g\nh &>log || i");
	static const char *const want[] = {"a 'x && y'", "b \"q;\\\"z\" 2>&1", "c", "d",
		"e", "h &>log", "i"};
	struct ks_str piece;
	size_t n = 0;
	bool piped;

	while (shell_cut(&rest, &piece, &piped)) {
		assert_true(n < sizeof(want) / sizeof(want[0]));
		if (!ks_str_is(piece, want[n])) {
			fail_msg("%zu: %.*s", n, KS_FMT(piece));
		}
		n++;
	}
	assert_int_equal(n, sizeof(want) / sizeof(want[0]));
}

static void test_tools(void **state)
{
	(void)state;
	static const struct {
		const char *name, *kind, *path, *lines;
		enum ks_call_kind want;
		const char *attention;
		unsigned effort;
	} tools[] = {
		{"Read", "", "kernel.cu", "  __syncthreads();\n", KS_CALL_READ, "O",
			KS_EFFORT_OWN_SOURCE},
		{"mcp__kit__read_file", "", "kernel.c", "", KS_CALL_READ, "",
			KS_EFFORT_OWN_SOURCE},
		{"Edit", "edit", "kernel.cu", "@@ -1 +1 @@\n-  x;\n+  __shared__ float t[64];\n"
			"   __syncthreads();\n", KS_CALL_EDIT, "S", 0},
		{"apply_patch", "", "", "*** Begin Patch\n+ cudaMalloc(&p, n);\n",
			KS_CALL_EDIT, "H", 0},
		{"Write", "edit", "notes.md", "x", KS_CALL_OTHER, "", 0},
		{"WebSearch", "", "", "", KS_CALL_READ, "", KS_EFFORT_DOCS},
		{"Task", "", "", "", KS_CALL_OTHER, "", KS_EFFORT_SUBAGENT},
		{"TodoWrite", "think", "", "", KS_CALL_OTHER, "", 0},
		{"Grep", "search", "kernel.cu", "", KS_CALL_READ, "", KS_EFFORT_OWN_SOURCE},
		{"Read", "read", "out/k.sass", "", KS_CALL_MEASURE, "", KS_EFFORT_DISASM},
		{"weird_tool", "", "", "", KS_CALL_OTHER, "", 0},
	};

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		struct ks_call call = {.name = ks_str_of(tools[i].name),
			.kind = ks_str_of(tools[i].kind), .path = ks_str_of(tools[i].path),
			.lines = ks_str_of(tools[i].lines)};
		struct ks_call_class c;
		char top[KS_LAYERS + 1];

		ks_layer_classify(&c, &call);
		letters(top, c.attention);
		if (c.kind != tools[i].want || strcmp(top, tools[i].attention) != 0 ||
		    (c.effort & tools[i].effort) != tools[i].effort) {
			fail_msg("%s: %s \"%s\" %x (%s)", tools[i].name,
				ks_call_kind_name(c.kind), top, c.effort, c.rule);
		}
	}
}

static void test_regions(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		char layer;
	} lines[] = {
		{"cudaMemcpyAsync(dst, src, bytes, kind, s);", 'H'},
		{"float *tmp = malloc(rows * 4);", 'H'},
		{"combine_kernel<<<a, b, 0, s>>>(out);", 'C'},
		{"if (seqlen_q <= 64 && headdim == 128) {", 'R'},
		{"switch (dtype) {", 'R'},
		{"int tile = blockIdx.x;", 'G'},
		{"#pragma omp parallel", 'G'},
		{"__builtin_prefetch(p + 64);", 'M'},
		{"__shared__ float smem[64];", 'S'},
		{"y = fmaf(a, b, c);", 'P'},
		{"wgmma_sync(a);", 'P'},
		{"__syncthreads();", 'O'},
		{"mbarrier_wait(bar);", 'O'},
		{"__launch_bounds__(128)", 'X'},
		{"#pragma unroll 4", 'X'},
		{"#pragma GCC ivdep", 'X'},
		{"// __syncthreads() is not needed", '?'},
		{"int i = 0;", '?'},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		double share[KS_LAYERS];
		char top[KS_LAYERS + 1];

		ks_layer_regions(share, ks_str_of(lines[i].line));
		letters(top, share);
		if ((lines[i].layer == '?') != (top[0] == '\0') ||
		    (top[0] && !strchr(top, lines[i].layer))) {
			fail_msg("%s: \"%s\"", lines[i].line, top);
		}
	}
}

static void test_map(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_call_class c;

	ks_layers_init(&map);
	assert_int_equal(ks_layers_since(&map, KS_LAYER_H), KS_LAYERS_NEVER);
	assert_true(ks_layers_novelty(&map, KS_LAYER_H) == 1);
	assert_int_equal(ks_layers_focus(&map), KS_LAYER_NONE);

	classify(&c, "strace -c ./run", false);
	ks_layers_add(&map, &c);
	assert_true(fabs(ks_layers_novelty(&map, KS_LAYER_H) - 0.5) < 1e-9);
	assert_int_equal(ks_layers_since(&map, KS_LAYER_H), 0);
	assert_int_equal(ks_layers_focus(&map), KS_LAYER_H);
	assert_true(ks_layers_stale(&map, KS_LAYER_H) == 0);

	classify(&c, "sleep 1", false);
	for (int i = 0; i < KS_LAYERS_HALF_LIFE; i++) {
		ks_layers_add(&map, &c);
	}
	assert_true(fabs(map.evidence[KS_LAYER_H] - 0.5) < 1e-6);
	assert_int_equal(ks_layers_since(&map, KS_LAYER_H), KS_LAYERS_HALF_LIFE);
	assert_int_equal(ks_layers_focus(&map), KS_LAYER_NONE);

	struct ks_call edit = {.name = KS_STR("Edit"), .path = KS_STR("k.cu"),
		.lines = KS_STR("cudaMalloc(&p, n);")};
	ks_layer_classify(&c, &edit);
	ks_layers_add(&map, &c);
	assert_true(ks_layers_stale(&map, KS_LAYER_H) == 1);
	assert_true(fabs(ks_layers_tunnel(&map, KS_LAYER_H)) < 1e-9); /* all of both */
	classify(&c, "ncu --section WarpStateStats ./b", false);
	ks_layers_add(&map, &c);
	assert_true(ks_layers_tunnel(&map, KS_LAYER_H) > 0.5);
	assert_true(ks_layers_tunnel(&map, KS_LAYER_O) < 0);
}

static void test_same_calls_same_map(void **state)
{
	(void)state;
	struct ks_layers a, b;

	ks_layers_init(&a);
	ks_layers_init(&b);
	for (size_t i = 0; i < 200; i++) {
		struct ks_call_class c;

		classify(&c, rows[i % (sizeof(rows) / sizeof(rows[0]))].command, i % 2);
		ks_layers_add(&a, &c);
		classify(&c, rows[i % (sizeof(rows) / sizeof(rows[0]))].command, i % 2);
		ks_layers_add(&b, &c);
	}
	assert_memory_equal(&a, &b, sizeof(a));
}

/* Cut and changed commands neither crash nor give weights out of range. */
static void test_survives_mutations(void **state)
{
	(void)state;
	unsigned seed = 7;
	char copy[256];

	for (size_t i = 0; i < 6000; i++) {
		const char *from = rows[i % (sizeof(rows) / sizeof(rows[0]))].command;
		size_t len = strlen(from);
		struct ks_call_class c;

		memcpy(copy, from, len);
		for (int k = 0; k < 3 && len; k++) {
			seed = seed * 1103515245u + 12345u;
			copy[(seed >> 8) % len] = "'\"<>|&;#\\(){}\n `$-"[(seed >> 20) % 18];
		}
		struct ks_call call = {.name = KS_STR("shell"), .command = {copy, len},
			.cpu = i % 2};
		ks_layer_classify(&c, &call);
		double sum = 0;
		for (int k = 0; k < KS_LAYERS; k++) {
			assert_true(c.evidence[k] >= 0 && c.attention[k] >= 0);
			sum += c.evidence[k];
		}
		assert_true(sum <= 1 + 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_timing_alone_tells_little),
		cmocka_unit_test(test_one_process_is_not_split),
		cmocka_unit_test(test_cutting),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_regions),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_same_calls_same_map),
		cmocka_unit_test(test_survives_mutations),
	};

	return cmocka_run_group_tests_name("layer", tests, NULL, NULL);
}

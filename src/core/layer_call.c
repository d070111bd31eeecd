/*
 * One tool call classified. A shell line is cut into simple commands; each is
 * met by the first row of a table that fits, or by a function where a row
 * cannot say it (profilers with sections, disassembly with searches, reads and
 * edits of sources, ad hoc scripts). The commands' evidence adds up, scaled to
 * at most 1; attention is shared by the lines that were read or edited.
 *
 * Invariants: the work on one call is bounded (commands, words, bytes); the
 * result depends on the call alone.
 */
#include <stdio.h>
#include <string.h>

#include "core/layer_impl.h"

#define COMMANDS_MAX 48
#define INNER_MAX 6     /* bash -c '...' inside a line */
#define COMMAND_BYTES 8192

struct work { /* of one call */
	struct ks_call_class *out;
	const struct ks_call *call;
	struct ks_str bodies[KS_SHELL_BODIES];
	size_t body_count, body_next;
	bool disasm;        /* the command before a pipe disassembled     */
	double piped[KS_LAYERS]; /* its evidence, replaced by a search's  */
	bool loop;
	double attention[KS_LAYERS];
	struct ks_str inner[INNER_MAX];
	size_t inner_count;
};

/* "H60C40": layers with hundredths. */
static void add_weights(double to[KS_LAYERS], const char *spec, double scale)
{
	while (*spec) {
		int layer = ks_layer_of_letter(*spec++);
		int n = 0;

		while (*spec >= '0' && *spec <= '9') {
			n = n * 10 + (*spec++ - '0');
		}
		if (layer != KS_LAYER_NONE) {
			to[layer] += scale * n / 100.0;
		}
	}
}

static int strength(enum ks_call_kind kind)
{
	static const int order[] = {
		[KS_CALL_OTHER] = 0, [KS_CALL_READ] = 1, [KS_CALL_BUILD] = 2,
		[KS_CALL_EDIT] = 3, [KS_CALL_MEASURE] = 4,
	};

	return order[kind];
}

static void note(struct work *w, enum ks_call_kind kind, const char *spec,
	unsigned effort, const char *rule)
{
	struct ks_call_class *out = w->out;

	if (strength(kind) > strength(out->kind) || out->rule[0] == '\0') {
		snprintf(out->rule, sizeof(out->rule), "%s", rule);
	}
	if (strength(kind) > strength(out->kind)) {
		out->kind = kind;
	}
	out->effort |= effort;
	add_weights(out->evidence, spec, 1);
}

/* ---- tables ---- */

struct row {
	const char *progs;  /* "|"-separated names                 */
	const char *any;    /* one of these in the text, or NULL   */
	enum ks_call_kind kind;
	const char *spec;
	unsigned effort;
	const char *rule;
};

#define M KS_CALL_MEASURE
#define XX KS_CALL_OTHER
#define BB KS_CALL_BUILD
#define RR KS_CALL_READ
#define EVALUATOR "evaluator" /* what its rules begin with */

static const struct row rows[] = {
	{"kseek", "timeline", M, "H60C40", KS_EFFORT_TIMELINE, "timeline"},
	{"kseek", "eval --no-perf|--no-perf", M, "V100",
		KS_EFFORT_BENCH | KS_EFFORT_CHECK, EVALUATOR ", correctness"},
	{"kseek", " eval", M, "V30", KS_EFFORT_BENCH, EVALUATOR},
	{"kseek", " probe", M, "V100", 0, "probe"},
	{"kseek", NULL, XX, "", 0, "console command"},
	{"nsys", "--version|status|--help", XX, "", 0, "version"},
	{"nsys|rocprof|rocprofv2|rocprofv3|nvprof", NULL, M, "H60C40",
		KS_EFFORT_TIMELINE, "timeline"},
	{"compute-sanitizer|cuda-memcheck", NULL, M, "V60O40", KS_EFFORT_CHECK,
		"sanitiser"},
	{"valgrind", "helgrind|drd", M, "O60V40", KS_EFFORT_CHECK, "race check"},
	{"valgrind", "callgrind", M, "P70C30", KS_EFFORT_PROFILER,
		"instruction counts"},
	{"valgrind", "cachegrind", M, "S50M50", KS_EFFORT_PROFILER,
		"cache simulation"},
	{"valgrind", "massif|dhat", M, "H100", KS_EFFORT_HOST, "allocations"},
	{"valgrind", NULL, M, "V60O40", KS_EFFORT_CHECK, "memory check"},
	{"callgrind_annotate", NULL, M, "P70C30", 0, "instruction counts"},
	{"cg_annotate", NULL, M, "S50M50", 0, "cache simulation"},
	{"strace|ltrace|py-spy|uftrace|bpftrace|funclatency|gdb|heaptrack", NULL, M,
		"H100", KS_EFFORT_HOST, "host tracer"},
	{"llvm-mca|osaca|uica|iaca", NULL, M, "P50O50", KS_EFFORT_DISASM,
		"pipe model"},
	{"time", NULL, M, "H60V40", KS_EFFORT_HOST, "faults and switches"},
	{"vtune|amplxe-cl", "memory-access", M, "M60S40", KS_EFFORT_PROFILER,
		"memory access"},
	{"vtune|amplxe-cl", "uarch", M, "O60P40", KS_EFFORT_PROFILER, "pipe slots"},
	{"vtune|amplxe-cl|advisor", NULL, M, "C40P40M20", KS_EFFORT_PROFILER,
		"hot spots"},
	{"hyperfine", NULL, M, "V30", KS_EFFORT_BENCH, "timing"},
	{"size", NULL, M, "X100", 0, "section sizes"},
	{"nm|readelf", NULL, M, "R60X40", 0, "symbols"},
	{"lscpu|lstopo|deviceQuery|cpuid|getconf|numastat|cpupower|turbostat|"
		"lshw|dmidecode", NULL, M, "V100", 0,
		"attribute query"},
	{"nvidia-smi", "clock|--query|-q |dmon|pmon|-lgc|throttle", M, "V100", 0,
		"clocks"},
	{"ctest|pytest|meson|ninja|make", "test|check", M, "V100", KS_EFFORT_CHECK,
		"tests"},
	{"nvcc|nvc++|hipcc|gcc|g++|cc|c++|clang|clang++|icx|icc|gfortran|ninja|make|"
		"cmake|meson|bazel|cargo|ld|ptxas|c99|tcc", NULL, BB, "",
		KS_EFFORT_BUILD, "build"},
	{"curl|wget|man|lynx|w3m|pdftotext|info|apropos|tldr", NULL, RR, "",
		KS_EFFORT_DOCS, "documents"},
};

struct search { /* words looked for, and the layer that they speak of */
	const char *any;
	const char *spec;
};

static const struct search sass[] = {
	{"LDL|STL|local_|spill|rsp|(%sp|stack", "X100"},
	{"BSSY|BSYNC|WARPSYNC|ELECT|BAR.|DEPBAR|SYNCS|MEMBAR|FENCE|NANOSLEEP|"
		"CCTL|mfence|lock |barrier", "O100"},
	{"MMA|FFMA|FADD|FMUL|MUFU|IMAD|IADD|DFMA|HFMA|fma|vmul|vadd|ymm|zmm|xmm|exp|"
		"fmla|div|packed|scalar", "P100"},
	{"LDS|STS|LDSM|STSM|LDGSTS|UTMALDG|shared", "S100"},
	{"LDG|STG|LD.E|ST.E|RED.|ATOMG|movnt|prefetch|vmovup|vmovap|gather|ld1",
		"M100"},
};

static const struct search ncu_sections[] = {
	{"SpeedOfLight", "M50P50"},
	{"data_bank|_shared|shared_|smem|bank_conflict", "S100"},
	{"MemoryWorkload|dram__|lts__|l1tex__t_|sectors", "M100"},
	{"ComputeWorkload|InstructionStats|inst_executed|pipe_|thread_inst|sass__inst",
		"P100"},
	{"WarpState|SchedulerStats|stall|barrier|issue_active|eligible|warps_issue",
		"O100"},
	{"LaunchStats|Occupancy|warps_active|waves", "G60X40"},
	{"SourceCounters|page source|--source", "O40X30S30"},
	{"registers|local_|lmem", "X100"},
	{"duration|elapsed|cycles_active", "V100"},
};

static const struct search perf_events[] = {
	{"cache-misses|LLC|dram|uncore|imc|offcore|node-|mem-loads|mem-stores", "M100"},
	{"L1-dcache|l1d|l2_|l2-|L2|dTLB|L1-icache", "S100"},
	{"fp_arith|instructions|uops|vector|fp_|simd|FLOPS", "P100"},
	{"stalled|stall|resource|topdown|ports|latency|cycle_activity", "O100"},
	{"faults|context-switches|migrations|syscalls|raw_syscalls", "H100"},
	{"branch", "R40P60"},
	{"-e cycles|,cycles|task-clock|cpu-clock|ref-cycles|frequency", "V50P50"},
};

/* Adds what of a table is in the text, scaled to `total`; false for nothing. */
static bool add_search(double to[KS_LAYERS], const struct search *table,
	size_t count, struct ks_str text, double total)
{
	unsigned hits = 0;

	for (size_t i = 0; i < count; i++) {
		hits += text_has_any(text, table[i].any);
	}
	for (size_t i = 0; i < count && hits; i++) {
		if (text_has_any(text, table[i].any)) {
			add_weights(to, table[i].spec, total / hits);
		}
	}
	return hits > 0;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- files ---- */

static bool is_source(struct ks_str path)
{
	return text_ends_any(path, ".cu|.cuh|.c|.h|.cc|.cpp|.cxx|.hpp|.hip|.inl|.inc");
}

static bool is_disassembly(struct ks_str path)
{
	return text_ends_any(path, ".sass|.ptx|.s|.asm|.dis|.disasm|.objdump|.cubin.txt");
}

static bool is_document(struct ks_str path)
{
	return text_has_any(path, "/usr/include|/usr/local/cuda|cutlass|/docs/|docs/|"
		"third_party|reference/|README|.pdf|.html|/site-packages/") ||
		text_ends_any(path, ".md|.rst|.txt.gz|.1");
}

static bool is_own_source(struct ks_str path)
{
	return is_source(path) && !is_document(path) &&
		!text_has_any(path, "problem/|/tmp/ref");
}

static void attend(struct work *w, struct ks_str lines)
{
	double share[KS_LAYERS];

	ks_layer_regions(share, lines);
	for (int k = 0; k < KS_LAYERS; k++) {
		w->attention[k] += share[k];
	}
}

static void read_file(struct work *w, struct ks_str path, struct ks_str lines,
	struct ks_str searched)
{
	if (is_disassembly(path)) {
		struct ks_str what = searched.len ? searched : KS_STR("");

		note(w, KS_CALL_MEASURE, "", KS_EFFORT_DISASM, "saved disassembly");
		if (!add_search(w->out->evidence, sass, COUNT(sass), what, 1)) {
			add_weights(w->out->evidence, "X60P20O20", 1);
		}
	} else if (is_own_source(path)) {
		note(w, KS_CALL_READ, "", KS_EFFORT_OWN_SOURCE, "own source");
		attend(w, lines.len ? lines : searched);
	} else if (is_document(path)) {
		note(w, KS_CALL_READ, "", KS_EFFORT_DOCS, "documents");
	} else if (text_has_any(path, "cpuinfo|meminfo|/sys/devices|/sys/class")) {
		note(w, KS_CALL_MEASURE, "V100", 0, "attribute query");
	} else {
		note(w, KS_CALL_READ, "", 0, "file");
	}
}

static void edit_file(struct work *w, struct ks_str path, struct ks_str lines)
{
	if (is_own_source(path) || path.len == 0) {
		note(w, KS_CALL_EDIT, "", 0, "edit");
		attend(w, lines);
	} else {
		note(w, KS_CALL_OTHER, "", 0, "edit of another file");
	}
}

/* ---- commands that a row cannot say ---- */

static bool cmd_ncu(struct work *w, const struct shell_cmd *c)
{
	if (!text_is_any(c->prog, "ncu|nv-nsight-cu-cli|rocprof-compute|omniperf")) {
		return false;
	}
	if (text_has_any(c->text, "--version|--query-metrics|--list-|--help|-h ")) {
		note(w, KS_CALL_OTHER, "", 0, "version");
		return true;
	}
	bool old = text_has_any(c->text, "--import|-i ") && !text_has(c->text, " -o ");
	double total = old ? 0.5 : 1;

	note(w, old ? KS_CALL_OTHER : KS_CALL_MEASURE, "",
		old ? 0 : KS_EFFORT_PROFILER, old ? "old profile" : "profiler");
	bool full = text_has_any(c->text, "--set full|--set detailed|--set basic|--set=");
	if (full || !add_search(w->out->evidence, ncu_sections, COUNT(ncu_sections),
	    c->text, total)) {
		add_weights(w->out->evidence, "M25S20P20O20G15", total);
	}
	return true;
}

static bool cmd_perf(struct work *w, const struct shell_cmd *c)
{
	if (!text_is_any(c->prog, "perf|likwid-perfctr|pcm|pcm-memory|toplev")) {
		return false;
	}
	if (!w->call->cpu) {
		note(w, KS_CALL_MEASURE, "H100", KS_EFFORT_HOST, "host profile");
		return true;
	}
	note(w, KS_CALL_MEASURE, "", KS_EFFORT_PROFILER, "counters");
	if (text_has_any(c->text, "perf trace|perf sched|perf lock")) {
		add_weights(w->out->evidence, "H100", 1);
	} else if (text_has_any(c->text, "perf mem|perf c2c|pcm-memory")) {
		add_weights(w->out->evidence, "M100", 1);
	} else if (text_has_any(c->text, "perf annotate")) {
		add_weights(w->out->evidence, "P40O30X30", 1);
	} else if (text_has_any(c->text, "perf record|perf report|perf top")) {
		add_weights(w->out->evidence, "C60H40", 1);
	} else if (!add_search(w->out->evidence, perf_events, COUNT(perf_events),
			c->text, 1)) {
		add_weights(w->out->evidence, "H20P40O40", 1);
	}
	return true;
}

static bool cmd_disasm(struct work *w, const struct shell_cmd *c)
{
	bool report = text_has_any(c->text, "-res-usage|--dump-resource-usage");
	bool tool = text_is_any(c->prog, "cuobjdump|nvdisasm|objdump|llvm-objdump|gobjdump");

	if (!tool || text_has_any(c->text, "--version|--help")) {
		return false;
	}
	if (report) {
		note(w, KS_CALL_MEASURE, "X100", KS_EFFORT_DISASM | KS_EFFORT_REPORT,
			"resource usage");
		return true;
	}
	bool code = !text_has_any(c->prog, "objdump") ||
		text_has_any(c->text, " -d| -S| -D|--disas|-sass|-ptx|-Mintel|-lelf") ||
		ks_str_is(c->prog, "cuobjdump");
	if (!code) {
		note(w, KS_CALL_MEASURE, "R60X40", 0, "symbols");
		return true;
	}
	note(w, KS_CALL_MEASURE, "", KS_EFFORT_DISASM, "disassembly");
	memset(w->piped, 0, sizeof(w->piped));
	add_weights(w->piped, "X60P20O20", 1);
	w->disasm = true;
	return true;
}

/* Compilers that are asked for their report are measurements of X. */
static bool cmd_report(struct work *w, const struct shell_cmd *c)
{
	if (!text_is_any(c->prog, "nvcc|gcc|g++|cc|c++|clang|clang++|icx|icc|ptxas|"
	    "hipcc|make|ninja|nvc++")) {
		return false;
	}
	if (text_has_any(c->text, "-Xptxas -v|-Xptxas=-v|--ptxas-options=-v|"
	    "-Xptxas \"-v|--resource-usage|-fopt-info|-Rpass|-ftree-vectorizer-verbose|"
	    "-qopt-report|-fsave-optimization-record|-Minfo|-Xptxas -warn|-Xptxas -O3,-v|"
	    "-fstack-usage|ptxas -v")) {
		note(w, KS_CALL_MEASURE, "X100", KS_EFFORT_BUILD | KS_EFFORT_REPORT,
			"compiler's report");
		return true;
	}
	for (size_t i = 1; i < c->words; i++) {
		if (text_is_any(c->word[i], "-S|-ptx|-cubin|--ptx|-fverbose-asm")) {
			note(w, KS_CALL_MEASURE, "X60P20O20",
				KS_EFFORT_BUILD | KS_EFFORT_DISASM, "assembly");
			return true;
		}
	}
	return false;
}

static bool is_filter(const struct shell_cmd *c)
{
	return text_is_any(c->prog, "grep|egrep|fgrep|rg|awk|gawk|sed|head|tail|wc|sort|"
		"uniq|less|more|cut|tr|tee|cat|c++filt|cu++filt|column|perl|xxd|jq|nl|paste");
}

/* A search in what came down the pipe says what was looked for. */
static void pipe_into(struct work *w, const struct shell_cmd *c)
{
	double found[KS_LAYERS] = {0};

	if (w->disasm && add_search(found, sass, COUNT(sass), c->text, 1)) {
		memcpy(w->piped, found, sizeof(found));
	}
}

static void flush_pipe(struct work *w)
{
	for (int k = 0; k < KS_LAYERS && w->disasm; k++) {
		w->out->evidence[k] += w->piped[k];
	}
	w->disasm = false;
}

static struct ks_str take_body(struct work *w)
{
	return w->body_next < w->body_count ? w->bodies[w->body_next++] :
		(struct ks_str){0};
}

static bool cmd_edit(struct work *w, const struct shell_cmd *c, struct ks_str body)
{
	if (c->redirect.len && is_source(c->redirect) &&
	    text_is_any(c->prog, "cat|echo|printf|tee|sed|awk|perl|git|python3|python")) {
		edit_file(w, c->redirect, body.len ? body : c->text);
		return true;
	}
	bool in_place = text_is_any(c->prog, "sed|perl|gawk") &&
		text_has_any(c->text, " -i| -pi|-i.bak|--in-place");
	bool patch = text_is_any(c->prog, "patch|apply_patch|ed|ex|clang-format") ||
		(ks_str_is(c->prog, "git") && c->words > 1 &&
		 text_is_any(c->word[1], "apply|am"));
	if (patch && !text_has_any(c->text, ".py|.sh|.md")) {
		edit_file(w, (struct ks_str){0}, body.len ? body : c->text);
		return true;
	}
	bool whole = text_is_any(c->prog, "cp|mv|install|tee") ||
		(ks_str_is(c->prog, "git") && c->words > 1 &&
		 text_is_any(c->word[1], "checkout|restore|revert|stash"));
	struct ks_str last = c->words > 1 ? c->word[c->words - 1] : (struct ks_str){0};
	if ((in_place || whole) && is_source(last)) {
		edit_file(w, last, body.len ? body : in_place ? c->text :
			(struct ks_str){0});
		return true;
	}
	return in_place;
}

static bool cmd_read(struct work *w, const struct shell_cmd *c)
{
	bool git = ks_str_is(c->prog, "git") && c->words > 1;

	if (git && text_is_any(c->word[1], "diff|show|log|blame")) {
		bool prints = !ks_str_is(c->word[1], "log") || text_has_any(c->text, " -p");
		note(w, KS_CALL_READ, "", prints ? KS_EFFORT_OWN_SOURCE : 0, "versions");
		if (prints && w->call->lines.len) {
			attend(w, w->call->lines);
		}
		return true;
	}
	if (git || text_is_any(c->prog, "ls|cd|pwd|sleep|find|tree|mkdir|rm|echo|export|"
	    "which|type|command|true|wait|kill|ps|top|date|df|du|free|touch|chmod|cp|mv|"
	    "tar|unzip|ln|source|set|done|fi|for|esac|case|printf|nvidia-smi|uname|id|"
	    "whoami|hostname|env|pip|pip3|apt|apt-get|conda|exit|test|[|seq")) {
		note(w, KS_CALL_OTHER, "", 0, "shell");
		return true;
	}
	if (!is_filter(c) && !text_is_any(c->prog, "diff|bat|strings|vim|view|cmp|hexdump")) {
		return false;
	}
	for (size_t i = c->words; i > 1; i--) {
		struct ks_str path = c->word[i - 1];

		if (path.len && path.ptr[0] != '-' &&
		    (is_source(path) || is_disassembly(path) || is_document(path) ||
		     memchr(path.ptr, '/', path.len))) {
			read_file(w, path, w->call->lines, c->text);
			return true;
		}
	}
	note(w, KS_CALL_READ, "", 0, "text");
	return true;
}

/* ---- ad hoc programs and scripts: by their names and what they hold ---- */

static const struct row adhoc[] = {
	{NULL, "torch.profiler|ProfilerActivity", M, "H40C60", KS_EFFORT_TIMELINE,
		"framework profiler"},
	{NULL, "cProfile|py-spy|tracemalloc", M, "H100", KS_EFFORT_HOST,
		"host profile"},
	{NULL, "clock64|globaltimer|rdtsc|timestamp|cycle_count|in_kernel", M,
		"O60G40", KS_EFFORT_BENCH, "timestamps"},
	{NULL, "launcher|launch_only|empty_kernel|noop|null_kernel|overhead", M, "H100",
		KS_EFFORT_BENCH, "launcher only"},
	{NULL, "roofline|peak|probe|bandwidth_test|pointer_chase|stream_bench|membw", M,
		"V100", 0, "probe"},
	{NULL, "sweep|autotune|tune_|crossover|forced|variants", M, "R70G30",
		KS_EFFORT_BENCH, "sweep"},
	{NULL, "determinis|checksum|repeat_check|bitwise|md5|sha256|flaky", M, "V60O40",
		KS_EFFORT_CHECK, "repeat loop"},
	{NULL, "allclose|test_|_test|check|verify|correct|validate|max_err|max_abs|ulp",
		M, "V100", KS_EFFORT_CHECK, "check"},
	{NULL, "bench|timing|perf_counter|timeit|elapsed|cuda.Event|speed|eval|latency|"
		"clock_gettime|time_ns", M, "V30", KS_EFFORT_BENCH, "timing"},
};

static bool is_script_host(const struct shell_cmd *c)
{
	return text_is_any(c->prog, "python|python3|python3.11|ipython|julia|node|ruby|"
		"torchrun|accelerate|docker|ssh");
}

static void cmd_adhoc(struct work *w, const struct shell_cmd *c, struct ks_str body)
{
	bool file = memchr(c->word[0].ptr, '/', c->word[0].len) != NULL ||
		text_ends_any(c->prog, ".py|.sh|.out|.exe");

	if (!is_script_host(c) && !file && !c->timed) {
		note(w, KS_CALL_OTHER, "", 0, "unknown");
		return;
	}
	for (size_t i = 0; i < COUNT(adhoc); i++) {
		if (!text_has_any(c->text, adhoc[i].any) &&
		    !text_has_any(body, adhoc[i].any)) {
			continue;
		}
		if (w->loop && (adhoc[i].effort & KS_EFFORT_BENCH)) {
			break; /* the loop around it is what it is about */
		}
		note(w, adhoc[i].kind, adhoc[i].spec, adhoc[i].effort, adhoc[i].rule);
		return;
	}
	if (w->loop) {
		bool sums = text_has_any(w->call->command, "md5sum|sha256sum|cmp |diff |cksum");

		note(w, M, sums ? "V60O40" : "R70G30",
			sums ? KS_EFFORT_CHECK : KS_EFFORT_BENCH,
			sums ? "repeat loop" : "sweep");
		return;
	}
	note(w, M, c->timed ? "V30" : "V20", c->timed ? KS_EFFORT_BENCH : 0,
		"ad hoc program");
}

#undef M
#undef XX
#undef BB
#undef RR

static bool cmd_row(struct work *w, const struct shell_cmd *c)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];

		if (!text_is_any(c->prog, r->progs) ||
		    (r->any && !text_has_any(c->text, r->any))) {
			continue;
		}
		note(w, r->kind, r->spec, r->effort, r->rule);
		return true;
	}
	return false;
}

static void one_command(struct work *w, struct ks_str text, bool piped)
{
	struct shell_cmd c;

	shell_parse(&c, text);
	struct ks_str body = c.heredoc ? take_body(w) : (struct ks_str){0};
	if (c.words == 0) {
		return;
	}
	w->loop = (w->loop || c.loop) && !ks_str_is(c.prog, "done");
	if (c.inner.len && w->inner_count < INNER_MAX) {
		w->inner[w->inner_count++] = c.inner;
		return;
	}
	if (piped && is_filter(&c) && !cmd_edit(w, &c, body)) {
		pipe_into(w, &c);
		return;
	}
	flush_pipe(w);
	if (c.words == 1 && text_is_any(c.prog, "done|fi|esac|}|)")) {
		return;
	}
	if (cmd_ncu(w, &c) || cmd_perf(w, &c) || cmd_disasm(w, &c) ||
	    cmd_report(w, &c) || cmd_row(w, &c) || cmd_edit(w, &c, body) ||
	    cmd_read(w, &c)) {
		return;
	}
	cmd_adhoc(w, &c, body);
}

static void shell_text(struct work *w, struct ks_str text)
{
	bool piped = false;
	struct ks_str piece;

	for (size_t n = 0; n < COMMANDS_MAX && shell_cut(&text, &piece, &piped); n++) {
		one_command(w, piece, piped);
	}
	flush_pipe(w);
	w->loop = false;
}

static void classify_command(struct work *w)
{
	struct ks_buf flat = {0};
	struct ks_str text = w->call->command;

	text.len = text.len < COMMAND_BYTES ? text.len : COMMAND_BYTES;
	if (w->call->by_process) {
		one_command(w, text, false);
		flush_pipe(w);
		return;
	}
	w->body_count = shell_flatten(&flat, w->bodies, text);
	shell_text(w, ks_buf_str(&flat));
	/* what was inside bash -c '...' may hold more of the same */
	for (size_t i = 0; i < w->inner_count; i++) {
		shell_text(w, w->inner[i]);
	}
	ks_buf_fini(&flat);
}

/* ---- agents' own tools ---- */

enum tool { TOOL_SHELL, TOOL_READ, TOOL_SEARCH, TOOL_EDIT, TOOL_DOCS, TOOL_SPAWN,
	TOOL_OTHER };

/* The last part of "mcp__server__tool" and "server.tool". */
static struct ks_str tool_name(struct ks_str name)
{
	for (size_t i = name.len; i > 1; i--) {
		if (name.ptr[i - 1] == '.' || (name.ptr[i - 1] == '_' &&
		    name.ptr[i - 2] == '_')) {
			return (struct ks_str){name.ptr + i, name.len - i};
		}
	}
	return name;
}

static enum tool tool_of(const struct ks_call *call)
{
	struct ks_str name = tool_name(call->name);

	if (text_is_any(name, "task|agent|spawn|spawn_agent|subagent|delegate")) {
		return TOOL_SPAWN;
	}
	if (text_is_any(call->kind, "edit|delete|move") || text_is_any(name,
	    "edit|write|multiedit|write_file|create_file|apply_patch|str_replace|patch|"
	    "str_replace_editor|edit_file|replace|search_replace|insert")) {
		return TOOL_EDIT;
	}
	if (text_is_any(call->kind, "fetch") || text_is_any(name,
	    "webfetch|websearch|web_search|web_fetch|fetch|browser|search_web|docs")) {
		return TOOL_DOCS;
	}
	if (text_is_any(call->kind, "execute") || text_is_any(name, "bash|shell|exec|"
	    "exec_command|terminal|execute|run_command|run_terminal_cmd|local_shell|"
	    "unified_exec|run_shell_command|command")) {
		return TOOL_SHELL;
	}
	if (text_is_any(call->kind, "search") || text_is_any(name,
	    "grep|glob|ls|search|list|list_dir|find|ripgrep|grep_search|file_search")) {
		return TOOL_SEARCH;
	}
	if (text_is_any(call->kind, "read") || text_is_any(name,
	    "read|read_file|view|open|cat|view_file|notebookread|read_many_files")) {
		return TOOL_READ;
	}
	if (text_is_any(call->kind, "think|switch_mode") || call->command.len == 0) {
		return call->path.len && call->kind.len == 0 ? TOOL_READ : TOOL_OTHER;
	}
	return TOOL_SHELL;
}

static void classify_tool(struct work *w)
{
	const struct ks_call *call = w->call;

	switch (tool_of(call)) {
	case TOOL_SHELL:
		classify_command(w);
		break;
	case TOOL_READ:
	case TOOL_SEARCH:
		if (call->path.len) {
			read_file(w, call->path, call->lines, call->command);
		} else {
			note(w, KS_CALL_READ, "", 0, "search");
		}
		break;
	case TOOL_EDIT:
		edit_file(w, call->path, call->lines.len ? call->lines : call->command);
		break;
	case TOOL_DOCS:
		note(w, KS_CALL_READ, "", KS_EFFORT_DOCS, "documents");
		break;
	case TOOL_SPAWN:
		note(w, KS_CALL_OTHER, "", KS_EFFORT_SUBAGENT, "sub-agent");
		break;
	case TOOL_OTHER:
		note(w, KS_CALL_OTHER, "", 0, "other");
		break;
	}
}

static unsigned evident(const struct ks_call_class *class)
{
	unsigned layers = 0;

	for (int k = 0; k < KS_LAYERS; k++) {
		layers |= class->evidence[k] >= KS_LAYER_EVIDENCE_LEAST ? 1u << k : 0;
	}
	return layers;
}

bool ks_call_evaluates(const struct ks_call_class *class)
{
	return class->kind == KS_CALL_MEASURE
		&& strncmp(class->rule, EVALUATOR, strlen(EVALUATOR)) == 0
		&& (evident(class) & ~(1u << KS_LAYER_V)) == 0;
}

unsigned ks_call_layers(const struct ks_call_class *class)
{
	return class->kind == KS_CALL_MEASURE && !ks_call_evaluates(class)
		? evident(class) : 0;
}

void ks_layer_classify(struct ks_call_class *out, const struct ks_call *call)
{
	struct work w = {.out = out, .call = call};
	double evidence = 0, attention = 0;

	memset(out, 0, sizeof(*out));
	classify_tool(&w);
	for (int k = 0; k < KS_LAYERS; k++) {
		evidence += out->evidence[k];
		attention += w.attention[k];
	}
	for (int k = 0; k < KS_LAYERS; k++) {
		out->evidence[k] /= evidence > 1 ? evidence : 1;
		out->attention[k] = attention > 0 ? w.attention[k] / attention : 0;
	}
}

/* The word lists of the lint; bank/README.md explains the rules. */
#include "core/bank_words.h"

const char *const ks_lint_starts[] = {
	"what", "which", "how", "where", "does", "do", "is", "are", "did", "if", "when",
	"while", "for", "of", "in", "under", "with", "as", "at", "between", "across",
	"among", "over", "on", "after", "before", "during", "within", "from", NULL
};

const char *const ks_lint_imperatives[] = {
	"count", "list", "measure", "try", "make", "run", "use", "check", "find", "give",
	"tell", "show", "explain", "compare", "replace", "remove", "add", "write",
	"consider", "apply", "report", "profile", "test", "fix", "move", "change",
	"rewrite", "look", "see", "please", "then", "keep", "stop", "set", "reduce",
	"increase", "avoid", "enable", "disable", "merge", "split", NULL
};

const char *const ks_lint_answers[] = {
	"swizzl*", "prefetch*", "unroll*", "fuse*", "fusing", "fusion", "pipelin*",
	"double buffer*", "doublebuffer*", "multistage*", "persistent*", "pin", "pinned",
	"pinning", "cache the", "caching", "vectori*", "speciali*", "hoist*", "inline*",
	"inlining", "memoi*", "precomput*", "paralleli*", "multithread*", "coalesc*",
	"interleav*", "skew*", "preload*", "batching", "amortis*", "amortiz*", "rewrit*",
	"refactor*", "eliminat*", "avoid*", "improv*", "optimi*", "speed up",
	"graph capture", "capture the", "capturing", "tile order helps", "longest first",
	"reorder the", "lookup table", "intrinsic*", "openmp", "simd*", "huge page*",
	"thread pool*", "use of", "using", "by adding", "by removing", "switch to",
	"switching", "replac* the", "moving the", "larger tile*",
	"smaller tile*", "bigger", "wider load*", "wider store*", "fewer", "more warps",
	"should*", "because", "due to", "instead of", "consider*", "for example",
	"likely", "such as", "e.g.", "maybe", "perhaps", "probably", "to avoid",
	"so that", "in order", "recommend*", "suggest*", "better", "help*", "fix", "fixes",
	"fixing",
	"could", "would unrolling", "schedule recover*", "recover*", NULL
};

const char *const ks_lint_negatives[] = {
	"isn't", "aren't", "wouldn't", "shouldn't", "couldn't", "doesn't", "don't",
	"can't", "won't", "haven't", "hasn't", "didn't", "why", "not", NULL
};

const char *const ks_lint_references[] = {
	"baseline*", "reference*", "upstream*", "library", "libraries", "library's",
	"competitor*", "competing", "their kernel*", "vendor*", "rival*",
	"cublas*", "cudnn*", "cutlass*", "cute", "mkl*", "onemkl", "onednn*", "openblas*",
	"eigen", "flashinfer*", "flashattention*", "vllm*", "pytorch*", "torch*",
	"tensorrt*", "triton*", "deepgemm*", "thunderkittens*", "xformers", "aiter",
	"hipblas*", "rocblas*", "numpy", "blas", "sota", "state of the", "yardstick*",
	"fa2", "fa3", "fa4", "other implementation*", "existing kernel*", NULL
};

const char *const ks_lint_operators[] = {
	"attention*", "softmax*", "matmul*", "gemm*", "gemv*", "matrix product*",
	"norm", "norms", "layernorm*", "rmsnorm*", "normali*", "expert*", "token*", "head",
	"heads", "headdim", "kv", "key", "keys", "query", "queries", "sequence*",
	"seqlen*", "prefill*", "decode*", "decoding", "convolution*", "conv*ng", "conv",
	"embedding*", "rope", "rotary", "transformer*", "moe", "logit*", "causal*",
	"gating", "activation*", "gelu", "silu", "stencil*", "fft", "histogram*",
	"scan", "reduction kernel*", NULL
};

const char *const ks_lint_quantities[] = {
	"microsecond*", "nanosecond*", "millisecond*", "second*", "byte*", "count", "counts",
	"share", "ratio", "cycle*", "rate", "time", "size", "number", "register*",
	"stages", "sectors", "lanes", "bits", "reads", "operations", "loads", "barriers",
	"instruction*", "issue slots", "processors", "blocks", "resident", "times",
	"values", "warnings", "microseconds", "clock", "watt*", "error", NULL
};

const char *const ks_lint_architectures[] = {
	"hopper*", "ampere*", "blackwell*", "ada", "lovelace", "turing", "volta", "pascal",
	"rubin", "zen*", "skylake*", "icelake*", "sapphire*", "granite*", "genoa", "turin",
	"graviton*", "neoverse*", "nvidia*", "amd", "amd's", "intel*", "apple", "arm",
	"h100*", "h200*", "a100*", "b100*", "b200*", "v100*", "mi300*", "rtx*", "geforce",
	"sm_*", "sm90*", "sm80*", "sm100*", "cuda*", "rocm", "wgmma*", "mma*", "wmma*",
	"hmma*", "tma", "tcgen05*", "ldmatrix*", "mbarrier*", "cp.async*", "tmem",
	"tensor core*", "tensor memory", "tensor map*", "cta*", "clusters", "cluster",
	"avx*", "sse*", "neon", "sve*", "amx", "bulk copy", "bulk copies", "mfma", "hbm*",
	"gddr*", "ddr*", "nvlink", "setmaxnreg*", "x86*", "aarch64", NULL
};

const char *const ks_lint_numbers[] = {
	"three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
	"twelve", "sixteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy",
	"eighty", "ninety", "thousand*", "million*", "billion*", "third", "thirds",
	"quarter*", "dozen*", "twice", "thrice", "double", "triple", "tenfold", NULL
};

const char *const ks_lint_stale[] = {
	"kernel_changed", "host_code_changed", "launcher_changed", "routing_changed",
	"flags_changed", "scenarios_changed", "device_changed", NULL
};

const char *const ks_lint_needs[] = {
	"gpu_counters", "hw_counters", "timeline", "strace", "valgrind", "perf", "root",
	"threads", NULL
};

const char *const ks_lint_figures[] = {
	"gain_last", "below_floor", "worst_speedup", "worst_roofline", "geomean",
	"evals_since_best", "calls_since_best", "spread", "looks", "error_ratio",
	"incorrect", "wall_minus_kernel_us", "kernels_per_call", "small_over_large", NULL
};

const char *const ks_lint_loaded[] = {
	"only", "just", "still", "merely", "waste*", "wrong*", "slow*", "poor*", "bad*",
	"inefficien*", "excessiv*", "unnecessar*", "needless*", "redundant*",
	"bottleneck*", "suboptimal*", "terribl*", "problem*", "actually", "really",
	"too", NULL
};

const struct ks_lint_bound ks_lint_bounds[] = {
	{"roofline", {"roofline", "floor"}},
	{"roofline_slope", {"roofline"}},
	{"measured_peak", {"peak", "its bound"}},
	{"peak_per_type", {"peak of each"}},
	{"per_tile_budget", {"budget"}},
	{"next_unit_budget", {"next unit's budget"}},
	{"minimum_bytes", {"minimum"}},
	{"one_fetch", {"one fetch", "once"}},
	{"ideal_wavefronts", {"ideal"}},
	{"ideal_sectors", {"ideal"}},
	{"l2_capacity", {"{l2_bytes}", "{llc_bytes}", "capacity"}},
	{"onchip_capacity", {"{smem_per_block}", "{smem_per_sm}", "{l1_bytes}",
		"{l2_bytes}", "capacity"}},
	{"onchip_bandwidth", {"{smem_bytes_per_clk}", "peak"}},
	{"bandwidth_x_latency", {"bandwidth times"}},
	{"empty_launch_floor", {"floor"}},
	{"empty_call_floor", {"floor"}},
	{"kernel_sum", {"sum of its kernel"}},
	{"zero", {"zero", "none"}},
	{"ratio_of_one", {"of one"}},
	{"full_wave", {"full wave", "whole waves"}},
	{"full_block", {"full block"}},
	{"mean_load", {"divided by"}},
	{"all_processors", {"{sm_count}", "{cores}"}},
	{"all_lanes", {"{warp_size}", "{vector_bits}"}},
	{"per_processor_resources", {"{regs_per_sm}", "{smem_per_sm}", "{warps_per_sm}"}},
	{"register_budget", {"{regs_per_thread_max}", "{regs_per_sm}", "{arch} has"}},
	{"residency_model", {"residency"}},
	{"minimum_instructions", {"minimum"}},
	{"minimum_syncs", {"minimum"}},
	{"minimum_work", {"minimum", "the result requires"}},
	{"largest_phase", {"largest phase"}},
	{"max_of_pair", {"longer one", "full overlap"}},
	{"best_of_sweep", {"best of the sweep", "floor of all"}},
	{"measured_crossover", {"threshold says"}},
	{"queried_constant", {"queried"}},
	{"rounding_bound", {"rounding bound"}},
	{"self_noise", {"spread"}},
	{"assumed_clock", {"clock"}},
	{"intended_delta", {"meant to change"}},
	{"tile_reuse", {"reuse that the tile"}},
	{NULL, {NULL}}
};

#define BOTH (KS_BANK_CUDA | KS_BANK_CPU)

const struct ks_lint_tool ks_lint_tools[] = {
	{"eval", BOTH, true},          /* kseek eval                       */
	{"events", KS_BANK_CUDA, true},/* device events around a call      */
	{"timeline", KS_BANK_CUDA, true}, /* kseek timeline                */
	{"nsys", KS_BANK_CUDA, true},
	{"ncu", KS_BANK_CUDA, true},
	{"nvidia_smi", KS_BANK_CUDA, true},
	{"ptxas", KS_BANK_CUDA, true}, /* nvcc -Xptxas -v                  */
	{"build_log", BOTH, true},
	{"disassembly", BOTH, true},   /* cuobjdump, nvdisasm, objdump -d  */
	{"symbols", BOTH, true},       /* nm, cuobjdump                    */
	{"timestamps", BOTH, true},    /* in the kernel or around its parts*/
	{"test_build", BOTH, true},
	{"sweep", BOTH, true},
	{"probe", BOTH, true},
	{"attribute_query", BOTH, true},
	{"strace", BOTH, true},
	{"perf", BOTH, true},          /* perf record, trace               */
	{"checksum_loop", BOTH, true},
	{"perf_stat", KS_BANK_CPU, true},
	{"page_faults", KS_BANK_CPU, true}, /* /usr/bin/time -v, getrusage */
	{"vectoriser_report", KS_BANK_CPU, true}, /* -fopt-info-vec        */
	{"callgrind", KS_BANK_CPU, true},
	{"cachegrind", KS_BANK_CPU, true},
	{"hand_count", BOTH, false},   /* from sizes and the source        */
	{NULL, 0, false}
};

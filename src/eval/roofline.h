#ifndef KSEEK_EVAL_ROOFLINE_H
#define KSEEK_EVAL_ROOFLINE_H
/*
 * The least time that a scenario can take on a machine, from three measured
 * rates: operations over the peak of multiply-adds, bytes over the bandwidth of
 * memory, and an empty call. Source: Williams, Waterman, Patterson, "Roofline",
 * CACM 2009. Share of roofline = floor / time; above 1 is a finding.
 */
#include "eval/problem.h"

struct ks_probe {
	double bandwidth_gbs;               /* GB/s = 1e9 bytes a second; 0: not known */
	double peak_gflops[KS_DTYPE_COUNT]; /* by dtype, one multiply-add = 2; 0: not known */
	double call_ns;                     /* an empty call */
};

enum ks_bound { KS_BOUND_NONE, KS_BOUND_OPS, KS_BOUND_BYTES, KS_BOUND_CALL };
struct ks_roofline {
	double floor_us; /* 0 when nothing is known */
	double ops_us, bytes_us, call_us;
	enum ks_bound bound; /* which of them is the floor */
};

/* Peak of a dtype that was not probed: float16, bfloat16, float8 take float32's
 * (a kernel that cannot do better converts first), the rest have none. threads
 * multiplies the peak of operations only. */
void ks_roofline(struct ks_roofline *out, const struct ks_case *c,
	const struct ks_probe *probe, unsigned threads);
/* floor / time in 0..; 0 when either is not known. */
double ks_roofline_share(const struct ks_roofline *roof, double time_us);
const char *ks_bound_name(enum ks_bound bound); /* "operations", "bytes", "call", "" */

#endif

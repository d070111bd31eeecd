/* The floor under a scenario's time; see the header. */
#include "eval/roofline.h"

static double peak_of(const struct ks_probe *probe, enum ks_dtype dtype)
{
	double own = probe->peak_gflops[dtype];
	bool narrow = ks_dtype_is_float(dtype) && ks_dtype_size(dtype) < 4;
	return own == 0 && narrow ? probe->peak_gflops[KS_FLOAT32] : own;
}

void ks_roofline(struct ks_roofline *out, const struct ks_case *c, const struct ks_probe *probe,
	unsigned threads)
{
	struct ks_roofline r = {.call_us = probe->call_ns / 1e3};
	double peak = peak_of(probe, c->ops_dtype) * (threads > 1 ? threads : 1);
	if (peak > 0) {
		r.ops_us = c->ops / (peak * 1e3); /* 1 GFLOP/s is 1e3 a microsecond */
	}
	if (probe->bandwidth_gbs > 0) {
		r.bytes_us = c->bytes / (probe->bandwidth_gbs * 1e3);
	}
	if (r.ops_us > r.floor_us) {
		r.floor_us = r.ops_us;
		r.bound = KS_BOUND_OPS;
	}
	if (r.bytes_us > r.floor_us) {
		r.floor_us = r.bytes_us;
		r.bound = KS_BOUND_BYTES;
	}
	if (r.call_us > r.floor_us) {
		r.floor_us = r.call_us;
		r.bound = KS_BOUND_CALL;
	}
	*out = r;
}

double ks_roofline_share(const struct ks_roofline *roof, double time_us)
{
	return time_us > 0 ? roof->floor_us / time_us : 0;
}

const char *ks_bound_name(enum ks_bound bound)
{
	static const char *const names[] = {"", "operations", "bytes", "call"};
	return names[bound];
}

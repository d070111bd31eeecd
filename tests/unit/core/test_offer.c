/* How questions read in a campaign: on a GPU, on a CPU, with threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "rig.h"

#include "base/mem.h"
#include "core/offer.h"

static void begin(struct rig *r, const char *target, const char *arch, const char *more)
{
	rig_init_empty(r);
	rig_see(r, KS_BY_ENGINE, "campaign.created", "\"id\":\"c-1\",\"name\":\"test\",\"problem\":"
		"\"sum_rows\",\"target\":\"%s\",\"arch\":\"%s\",\"tree\":\"00\","
		"\"agent\":\"script\",\"mode\":\"human\",\"goal\":[\"every scenario correct\"],"
		"\"seed\":{\"hash\":\"seed\",\"lines\":40,"
		"\"commit\":\"aaaa000000000000000000000000000000000000\"}%s", target, arch, more);
	rig_see(r, KS_BY_ENGINE, "scenario.declared", "\"i\":0,\"name\":\"short\",\"set\":\"real\","
		"\"heldout\":false,\"axes\":{\"n\":10},\"floor_us\":1");
	rig_see(r, KS_BY_ENGINE, "scenario.declared", "\"i\":1,\"name\":\"wide\",\"set\":\"real\","
		"\"heldout\":false,\"axes\":{\"n\":1000},\"floor_us\":4");
	rig_see(r, KS_BY_ENGINE, "engine.started", "\"pid\":1");
}

/* As it is sent; the last one is lent until the next call. */
static const char *asked(const struct rig *r, const char *id)
{
	static struct ks_offer offer;
	ptrdiff_t at = ks_bank_index(r->bank, ks_str_of(id));
	struct ks_rank_offer ranked = {.index = (size_t)at};

	assert_true(at >= 0);
	ks_offer_fill(&offer, &r->state, &r->policy, &ranked);
	return offer.text;
}

static void assert_reads(const struct rig *r, const char *id, const char *part)
{
	const char *text = asked(r, id);

	if (strstr(text, part) == NULL) {
		fail_msg("%s: no \"%s\" in \"%s\"", id, part, text);
	}
}

/* Each question whole, with nothing left open. */
static void assert_all_read(const struct rig *r, unsigned target)
{
	for (size_t i = 0; i < ks_bank_count(r->bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(r->bank, i);
		const char *text;

		if (!(e->targets & target)) {
			continue;
		}
		text = asked(r, e->id);
		if (strpbrk(text, "{}") != NULL || text[strlen(text) - 1] != '?' ||
		    !(text[0] >= 'A' && text[0] <= 'Z')) {
			fail_msg("%s: \"%s\"", e->id, text);
		}
	}
}

static void test_gpu(void **state)
{
	struct rig r;
	const struct ks_bank_value llc = {KS_STR("llc_bytes"), KS_STR("33554432")};

	begin(&r, "cuda", "cuda sm_90a", ",\"probe\":{\"bandwidth_gbs\":4100,\"sms\":132,"
		"\"l2_bytes\":62914560}");
	r.policy.values = &llc;
	r.policy.n_values = 1;
	assert_reads(&r, "V-01", "on sm_90a is");
	assert_reads(&r, "G-08", "132 processors");
	assert_reads(&r, "M-04", "60 MiB of L2");
	assert_reads(&r, "M-02", "the worst scenario");
	assert_reads(&r, "G-04", "the registers of a processor");
	assert_all_read(&r, KS_BANK_CUDA);
	rig_fini(&r);
}

/* A GPU of which little is known: no figure of the host takes its place. */
static void test_gpu_unknown(void **state)
{
	struct rig r;

	begin(&r, "cuda", "", "");
	assert_reads(&r, "V-01", "on this device is");
	assert_reads(&r, "G-08", "divided by all processors");
	assert_reads(&r, "M-04", "the L2 capacity");
	assert_all_read(&r, KS_BANK_CUDA);
	rig_fini(&r);
}

static void test_cpu(void **state)
{
	struct rig r;
	const struct ks_bank_value llc = {KS_STR("llc_bytes"), KS_STR("33554432")};

	begin(&r, "cpu", "cpu x86-64", ",\"probe\":{\"bandwidth_gbs\":12}");
	r.policy.values = &llc;
	r.policy.n_values = 1;
	assert_reads(&r, "V-01", "on x86-64 is");
	assert_reads(&r, "M-04", "32 MiB of last-level cache");
	assert_reads(&r, "X-03", "x86-64 has");
	assert_all_read(&r, KS_BANK_CPU);
	rig_fini(&r);
}

static bool has_threads(const struct rig *r)
{
	struct ks_offer_ground ground;
	const struct ks_found found = {.kind = KS_MOMENT_PLATEAU, .layer = KS_LAYER_NONE};
	bool found_it = false;

	ks_offer_ground_init(&ground, &r->state, &r->policy, &found);
	for (size_t i = 0; i < ground.in.has_count; i++) {
		found_it = found_it || ks_str_is(ground.in.has[i], "threads");
	}
	ks_offer_ground_fini(&ground);
	return found_it;
}

static void test_threads(void **state)
{
	struct rig r;

	begin(&r, "cpu", "cpu x86-64", ",\"threads\":1");
	assert_false(has_threads(&r));
	rig_fini(&r);
	begin(&r, "cpu", "cpu x86-64", ",\"threads\":4");
	assert_true(has_threads(&r));
	rig_fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gpu),
		cmocka_unit_test(test_gpu_unknown),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

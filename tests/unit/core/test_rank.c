/* Offers: three layers, the rules at a claimed limit, what sinks and what is
 * hidden. The bank is ours; its folder comes as argument. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "core/rank.h"

static const char *bank_dir;
static struct ks_bank *bank;

static const struct ks_str all_needs[] = {
	KS_STR("gpu_counters"), KS_STR("hw_counters"), KS_STR("timeline"), KS_STR("strace"),
	KS_STR("valgrind"), KS_STR("perf"), KS_STR("threads"), KS_STR("root"),
};

static int load(void **state)
{
	(void)state;
	bank = ks_bank_new();
	for (int g = 0; g < KS_LAYERS; g++) {
		struct ks_err err = KS_ERR_INIT;
		struct ks_buf text = {0}, path = {0};

		ks_buf_addf(&path, "%s/core/%c.json", bank_dir, ks_layer_letter(g));
		if (ks_file_read(&text, path.ptr, 1 << 20, &err) != KS_OK ||
		    ks_bank_load(bank, ks_buf_str(&text), path.ptr, &err) != KS_OK) {
			fail_msg("%s", err.msg);
		}
		ks_buf_fini(&text);
		ks_buf_fini(&path);
	}
	return 0;
}

static int unload(void **state)
{
	(void)state;
	ks_bank_free(bank);
	return 0;
}

static struct ks_rank_input input(enum ks_point point, const struct ks_layers *map)
{
	return (struct ks_rank_input){
		.bank = bank, .point = point, .target = KS_BANK_CUDA, .layers = map,
		.claim_layer = KS_LAYER_NONE, .has = all_needs,
		.has_count = sizeof(all_needs) / sizeof(all_needs[0]),
	};
}

static const struct ks_bank_entry *entry(const struct ks_rank_offer *o)
{
	return ks_bank_at(bank, o->index);
}

static void add(struct ks_layers *map, const char *command, int times)
{
	struct ks_call call = {.name = KS_STR("Bash"), .command = ks_str_of(command)};
	struct ks_call_class c;

	ks_layer_classify(&c, &call);
	for (int i = 0; i < times; i++) {
		ks_layers_add(map, &c);
	}
}

static bool offered(const struct ks_rank_offer *o, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(entry(&o[i])->id, id) == 0) {
			return true;
		}
	}
	return false;
}

static void check_layers(const struct ks_rank_offer *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			assert_int_not_equal(entry(&o[i])->group, entry(&o[k])->group);
		}
		assert_true(o[i].reason[0] != '\0' && o[i].tag[0] != '\0');
	}
}

static void test_three_layers_at_every_moment(void **state)
{
	(void)state;
	struct ks_layers map;

	ks_layers_init(&map);
	for (int target = KS_BANK_CUDA; target <= KS_BANK_CPU; target++) {
		for (int p = 0; p < KS_POINTS; p++) {
			struct ks_rank_input in = input((enum ks_point)p, &map);
			struct ks_rank_offer o[KS_RANK_OFFERS];

			in.target = (unsigned)target;
			assert_int_equal(ks_rank_offers(o, &in), 3);
			check_layers(o, 3);
			for (int i = 0; i < 3; i++) {
				assert_true(entry(&o[i])->points & (1u << p));
				assert_true(entry(&o[i])->targets & (unsigned)target);
			}
		}
	}
}

static void test_start(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_offer o[KS_RANK_OFFERS];

	ks_layers_init(&map);
	struct ks_rank_input in = input(KS_POINT_START, &map);
	ks_rank_offers(o, &in);
	assert_string_equal(entry(&o[0])->id, "V-01");
	assert_true(entry(&o[1])->group == KS_LAYER_H || entry(&o[1])->group == KS_LAYER_C);
	assert_string_equal(entry(&o[2])->id, "P-01");
}

/* The layer under the lamp is not offered; one never looked at is. */
static void test_plateau_leaves_the_layer(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_offer o[KS_RANK_OFFERS];

	ks_layers_init(&map);
	for (int i = 0; i < 6; i++) {
		add(&map, "kseek eval", 1);
		add(&map, "ncu --section MemoryWorkloadAnalysis ./b", 9);
	}
	assert_int_equal(ks_layers_focus(&map), KS_LAYER_M);
	struct ks_rank_input in = input(KS_POINT_PLATEAU, &map);
	assert_int_equal(ks_rank_offers(o, &in), 3);
	check_layers(o, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_not_equal(entry(&o[i])->group, KS_LAYER_M);
	}
	assert_int_equal(entry(&o[0])->group, KS_LAYER_H);
	assert_non_null(strstr(o[0].reason, "never measured"));
}

static void test_limit_is_rejected_and_left(void **state)
{
	(void)state;
	static const struct {
		const char *resource;
		int layer;
	} claims[] = {
		{"memory bandwidth", KS_LAYER_M}, {"registers", KS_LAYER_X},
		{"shared memory", KS_LAYER_S}, {"latency", KS_LAYER_O},
		{"arithmetic", KS_LAYER_P}, {"occupancy", KS_LAYER_G},
		{"launch overhead", KS_LAYER_H}, {"matrix unit", KS_LAYER_P},
		{"synchronisation", KS_LAYER_O}, {"vector width", KS_LAYER_P},
		{"compiler", KS_LAYER_X}, {"", KS_LAYER_NONE},
	};

	for (size_t c = 0; c < sizeof(claims) / sizeof(claims[0]); c++) {
		for (unsigned target = KS_BANK_CUDA; target <= KS_BANK_CPU; target++) {
			struct ks_layers map;
			struct ks_rank_offer o[KS_RANK_OFFERS];
			int rejecting = 0, changing = 0;

			ks_layers_init(&map);
			add(&map, "ncu --section WarpStateStats ./b", 30);
			struct ks_rank_input in = input(KS_POINT_LIMIT, &map);
			in.target = target;
			in.claim_layer = claims[c].layer;
			in.claim_resource = ks_str_of(claims[c].resource);
			size_t n = ks_rank_offers(o, &in);
			assert_int_equal(n, 3);
			check_layers(o, n);
			assert_true(o[0].rejects);
			assert_int_equal(o[0].slot, 0);
			assert_int_equal(o[1].slot, 1);
			for (size_t i = 0; i < n; i++) {
				rejecting += o[i].rejects;
				changing += o[i].changes_layer && !o[i].rejects;
			}
			assert_true(rejecting >= 1);
			assert_true(changing >= 1 || o[1].changes_layer);
		}
	}
}

static void test_limit_questions_fit_the_claim(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_offer o[KS_RANK_OFFERS];

	ks_layers_init(&map);
	struct ks_rank_input in = input(KS_POINT_LIMIT, &map);
	in.claim_layer = KS_LAYER_X;
	in.claim_resource = KS_STR("registers");
	in.text = KS_STR("it is walled by the register file");
	ks_rank_offers(o, &in);
	assert_string_equal(entry(&o[0])->id, "X-03");
	assert_string_equal(o[0].tag, "rejects the limit");

	in.claim_layer = KS_LAYER_NONE;
	in.claim_resource = KS_STR("");
	ks_rank_offers(o, &in);
	assert_string_equal(entry(&o[0])->id, "V-13");
}

static const struct ks_rank_offer *offer_of(const struct ks_rank_offer *o, size_t n,
	const char *id)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(entry(&o[i])->id, id) == 0) {
			return &o[i];
		}
	}
	fail_msg("%s is not offered", id);
	return NULL;
}

/* What is asked and not answered may come again, but not first. */
static void test_pending_is_never_first(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_offer o[KS_RANK_OFFERS];
	size_t n = ks_bank_count(bank);
	struct ks_rank_past *past = calloc(n, sizeof(*past));

	ks_layers_init(&map);
	for (int p = 0; p < KS_POINTS; p++) {
		struct ks_rank_input in = input((enum ks_point)p, &map);
		size_t first;

		in.past = past;
		in.past_count = n;
		assert_int_equal(ks_rank_offers(o, &in), 3);
		first = o[0].index;
		past[first].pending = true;
		assert_int_equal(ks_rank_offers(o, &in), 3);
		assert_true(o[0].index != first);
		past[first].pending = false;
	}
	free(past);
}

static void test_figures_in_words(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_offer o[KS_RANK_OFFERS];
	struct ks_rank_figure floor = {KS_STR("below_floor"), 1};
	struct ks_rank_figure spread = {KS_STR("spread"), 2.214};

	ks_layers_init(&map);
	add(&map, "kseek eval", 20);
	struct ks_rank_input in = input(KS_POINT_WIN, &map);
	in.figures = &floor;
	in.figure_count = 1;
	ks_rank_offers(o, &in);
	assert_non_null(strstr(offer_of(o, 3, "V-03")->reason, "a time below its floor"));
	assert_null(strchr(o[0].reason, '_'));
	in = input(KS_POINT_PLATEAU, &map);
	in.figures = &spread;
	in.figure_count = 1;
	ks_rank_offers(o, &in);
	for (int i = 0; i < 3; i++) {
		if (strstr(o[i].reason, "interval") != NULL) {
			assert_non_null(strstr(o[i].reason,
				"widest interval 221 % of its speedup"));
			return;
		}
	}
	fail_msg("no offer names the spread");
}

static void test_win_and_break(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_offer o[KS_RANK_OFFERS];
	struct ks_rank_figure figures[] = {
		{KS_STR("gain_last"), 12}, {KS_STR("below_floor"), 1},
	};

	ks_layers_init(&map);
	add(&map, "kseek eval", 20); /* the evaluator does not hide V */
	struct ks_rank_input in = input(KS_POINT_WIN, &map);
	in.figures = figures;
	in.figure_count = 2;
	ks_rank_offers(o, &in);
	assert_string_equal(entry(&o[0])->id, "V-03");
	assert_string_equal(entry(&o[1])->id, "P-09");
	assert_non_null(strstr(o[0].reason, "last step 12x"));

	in = input(KS_POINT_BREAK, &map);
	in.text = KS_STR("that is only noise");
	ks_rank_offers(o, &in);
	assert_string_equal(entry(&o[0])->id, "V-09");
	in.text = KS_STR("these failures are pre-existing");
	ks_rank_offers(o, &in);
	assert_string_equal(entry(&o[0])->id, "V-11");
}

static void test_answered_ones_sink(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_offer o[KS_RANK_OFFERS];
	struct ks_rank_past past[200] = {{0}};

	ks_layers_init(&map);
	struct ks_rank_input in = input(KS_POINT_PLATEAU, &map);
	in.past = past;
	in.past_count = 200;
	ks_rank_offers(o, &in);
	size_t first = o[0].index;
	past[first] = (struct ks_rank_past){.asked = 1, .numbers = 1, .fresh = true};
	ks_rank_offers(o, &in);
	assert_false(offered(o, 3, ks_bank_at(bank, first)->id));
	past[first].fresh = false; /* the code changed: it may be asked again */
	ks_rank_offers(o, &in);
	assert_int_equal(o[0].index, first);
	past[first] = (struct ks_rank_past){.asked = 2};
	ks_rank_offers(o, &in);
	assert_int_not_equal(o[0].index, first);
	past[first] = (struct ks_rank_past){.dismissed = true};
	ks_rank_offers(o, &in);
	assert_false(offered(o, 3, ks_bank_at(bank, first)->id));
	/* a win elsewhere is a prior: it never turns the order over */
	struct ks_rank_terms a, b;
	past[first] = (struct ks_rank_past){0};
	ks_rank_score(&a, &in, first);
	past[first].wins = 3;
	ks_rank_score(&b, &in, first);
	assert_true(fabs(b.total - a.total - 1.0) < 1e-9);
}

/* Offers go on changing while each is answered. */
static void test_ten_plateaus_ask_thirty_things(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_past past[200] = {{0}};
	size_t asked = 0;

	ks_layers_init(&map);
	struct ks_rank_input in = input(KS_POINT_PLATEAU, &map);
	in.past = past;
	in.past_count = 200;
	for (int i = 0; i < 10; i++) {
		struct ks_rank_offer o[KS_RANK_OFFERS];
		size_t n = ks_rank_offers(o, &in);

		for (size_t k = 0; k < n; k++) {
			asked += past[o[k].index].asked == 0;
			past[o[k].index] = (struct ks_rank_past){.asked = 1, .numbers = 1,
				.fresh = true};
		}
	}
	assert_int_equal(asked, 30);
}

static void test_needs_hide(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_terms t;
	struct ks_str valgrind[] = {KS_STR("valgrind")};

	ks_layers_init(&map);
	struct ks_rank_input in = input(KS_POINT_PLATEAU, &map);
	size_t m01 = (size_t)ks_bank_index(bank, KS_STR("M-01"));
	size_t h01 = (size_t)ks_bank_index(bank, KS_STR("H-01"));
	assert_true(ks_rank_score(&t, &in, m01));
	in.has_count = 0;
	assert_false(ks_rank_score(&t, &in, m01)); /* gpu_counters */
	in.target = KS_BANK_CPU;
	assert_false(ks_rank_score(&t, &in, m01)); /* hw_counters|valgrind */
	assert_true(ks_rank_score(&t, &in, h01));
	in.has = valgrind;
	in.has_count = 1;
	assert_true(ks_rank_score(&t, &in, m01));
	/* what needs nothing is still offered on a bare machine */
	in.has_count = 0;
	for (int p = 0; p < KS_POINTS; p++) {
		struct ks_rank_offer o[KS_RANK_OFFERS];

		in.point = (enum ks_point)p;
		assert_true(ks_rank_offers(o, &in) >= 2);
	}
}

/* Entries of operators are let in by the definition's name or its tags. */
static void test_operators(void **state)
{
	(void)state;
	static const char text[] = "{\"format\":1,\"kind\":\"operator\",\"scope\":\"scan\","
		"\"match\":{\"names\":[\"*scan*\"],\"tags\":[\"prefix*\"]},\"group\":"
		"\"H\",\"entries\":[{\"id\":\"S-1\",\"question\":\"How many bytes, against the "
		"minimum?\",\"targets\":[\"cuda\"],\"points\":[\"plateau\"],\"evidence\":{"
		"\"quantity\":\"bytes\",\"tools\":[\"ncu\"],\"must_report\":[\"value\",\"unit\"],"
		"\"stale_when\":[\"kernel_changed\"]},\"bound\":\"minimum_bytes\",\"cost\":\"low\","
		"\"refines\":\"H-05\",\"status\":\"draft\"}]}";
	struct ks_bank *one = ks_bank_new();
	struct ks_layers map;
	struct ks_rank_terms t;
	struct ks_err err = KS_ERR_INIT;

	ks_layers_init(&map);
	if (ks_bank_load(one, ks_str_of(text), "s", &err) != KS_OK) {
		fail_msg("%s", err.msg);
	}
	struct ks_rank_input in = input(KS_POINT_PLATEAU, &map);
	in.bank = one;
	in.op = KS_STR("cumulative_sum");
	in.tags = KS_STR("exclusive");
	assert_false(ks_rank_score(&t, &in, 0));
	in.tags = KS_STR("exclusive prefix_sum");
	assert_true(ks_rank_score(&t, &in, 0));
	in.tags = KS_STR("");
	in.op = KS_STR("block_scan_v2");
	assert_true(ks_rank_score(&t, &in, 0));
	ks_bank_free(one);
}

static void test_scopes(void **state)
{
	(void)state;
	static const char arch[] = "{\"format\":1,\"kind\":\"arch\",\"scope\":\"sm_90\",\"group\":"
		"\"H\",\"entries\":[{\"id\":\"A-1\",\"question\":\"How many bytes, against the "
		"minimum?\",\"targets\":[\"cuda\"],\"points\":[\"plateau\"],\"evidence\":{"
		"\"quantity\":\"bytes\",\"tools\":[\"ncu\"],\"must_report\":[\"value\",\"unit\"],"
		"\"stale_when\":[\"kernel_changed\"]},\"bound\":\"minimum_bytes\",\"cost\":\"low\","
		"\"refines\":\"H-05\",\"status\":\"draft\"}]}";
	struct ks_bank *one = ks_bank_new();
	struct ks_layers map;
	struct ks_rank_terms t;

	ks_layers_init(&map);
	assert_int_equal(ks_bank_load(one, ks_str_of(arch), "a", NULL), KS_OK);
	struct ks_rank_input in = input(KS_POINT_PLATEAU, &map);
	in.bank = one;
	assert_false(ks_rank_score(&t, &in, 0));
	in.arch = KS_STR("sm_90a");
	assert_true(ks_rank_score(&t, &in, 0));
	in.arch = KS_STR("sm_100a");
	assert_false(ks_rank_score(&t, &in, 0));
	ks_bank_free(one);
}

static void test_arithmetic_adds_up(void **state)
{
	(void)state;
	struct ks_layers map;
	struct ks_rank_terms t;
	struct ks_buf out = {0};

	ks_layers_init(&map);
	struct ks_rank_input in = input(KS_POINT_LIMIT, &map);
	in.claim_layer = KS_LAYER_H;
	assert_true(ks_rank_score(&t, &in, (size_t)ks_bank_index(bank, KS_STR("H-02"))));
	assert_true(fabs(t.novelty + t.stale + t.tunnel + t.claim + t.cue + t.outer +
		t.payoff + t.cost + t.answered + t.asked - t.total) < 1e-9);
	ks_rank_explain(&out, &t);
	assert_string_equal(out.ptr, "3.00 novelty + 2.00 claim + 0.89 outer = 5.89");
	assert_string_equal(ks_rank_slot(KS_POINT_LIMIT, 1), "another layer, the least measured");
	assert_string_equal(ks_rank_slot(KS_POINT_LIMIT, -1), "highest score of what is left");
	for (int p = 0; p < KS_POINTS; p++) {
		for (int s = 0; s < KS_RANK_OFFERS; s++) {
			assert_non_null(ks_rank_slot((enum ks_point)p, s));
		}
	}
	ks_buf_fini(&out);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_layers_at_every_moment),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_plateau_leaves_the_layer),
		cmocka_unit_test(test_limit_is_rejected_and_left),
		cmocka_unit_test(test_limit_questions_fit_the_claim),
		cmocka_unit_test(test_pending_is_never_first),
		cmocka_unit_test(test_figures_in_words),
		cmocka_unit_test(test_win_and_break),
		cmocka_unit_test(test_answered_ones_sink),
		cmocka_unit_test(test_ten_plateaus_ask_thirty_things),
		cmocka_unit_test(test_needs_hide),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_arithmetic_adds_up),
	};

	bank_dir = argc > 1 ? argv[1] : "bank";
	return cmocka_run_group_tests_name("rank", tests, load, unload);
}

/* The bank: our own files, strict reading, filling, and the lint against
 * questions that must not pass. The folder of the bank comes as argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "core/bank.h"

static const char *bank_dir;

static struct ks_bank *load_ours(void)
{
	struct ks_bank *bank = ks_bank_new();
	struct ks_err err = KS_ERR_INIT;

	for (int g = 0; g < KS_LAYERS; g++) {
		struct ks_buf text = {0}, path = {0};

		ks_buf_addf(&path, "%s/core/%c.json", bank_dir, ks_layer_letter(g));
		if (ks_file_read(&text, path.ptr, 1 << 20, &err) != KS_OK ||
		    ks_bank_load(bank, ks_buf_str(&text), path.ptr, &err) != KS_OK) {
			fail_msg("%s", err.msg);
		}
		ks_buf_fini(&text);
		ks_buf_fini(&path);
	}
	return bank;
}

static void test_ours_passes_the_lint(void **state)
{
	(void)state;
	struct ks_bank *bank = load_ours();
	struct ks_lints lints = {0};

	assert_int_equal(ks_bank_count(bank), 101);
	ks_bank_lint(&lints, bank, false);
	for (size_t i = 0; i < lints.count; i++) {
		const struct ks_lint *l = &lints.item[i];

		if (l->level != KS_LINT_ACCEPTED) {
			print_error("L%d %s: %s\n", l->rule, l->id ? l->id : "-", l->text);
		}
		assert_int_equal(l->level, KS_LINT_ACCEPTED);
	}
	ks_lints_fini(&lints);
	ks_bank_free(bank);
}

/* A status is not better than what is stored. */
static void test_ours_is_honest_about_its_status(void **state)
{
	(void)state;
	struct ks_bank *bank = load_ours();
	size_t words = 0;

	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);

		if (e->status >= KS_BANK_DRY_RUN && e->status != KS_BANK_RETIRED) {
			assert_true(e->run_count > 0);
		}
		for (const char *c = e->question; *c; c++) {
			words += *c == ' ';
		}
		words++;
	}
	assert_true(words <= 20 * ks_bank_count(bank)); /* 20 words on average */
	ks_bank_free(bank);
}

static void test_lookup(void **state)
{
	(void)state;
	struct ks_bank *bank = load_ours();
	const struct ks_bank_entry *e = ks_bank_find(bank, KS_STR("h-03"));

	assert_non_null(e);
	assert_string_equal(e->id, "H-03");
	assert_int_equal(e->group, KS_LAYER_H);
	assert_true(e->unsafe_build);
	assert_null(ks_bank_find(bank, KS_STR("H-99")));
	assert_string_not_equal(ks_bank_text(e, KS_BANK_CPU), ks_bank_text(e, KS_BANK_CUDA));
	e = ks_bank_find(bank, KS_STR("V-01"));
	assert_string_equal(ks_bank_text(e, KS_BANK_CPU), e->question);
	assert_true(ks_bank_matches(e, KS_STR("ROOFLINE scenario")));
	assert_false(ks_bank_matches(e, KS_STR("roofline spill")));
	assert_true(ks_bank_matches(e, KS_STR("")));
	ks_bank_free(bank);
}

static void test_filling(void **state)
{
	(void)state;
	struct ks_bank *bank = load_ours();
	struct ks_buf out = {0};
	const struct ks_bank_value values[] = {
		{KS_STR("sm_count"), KS_STR("132")},
		{KS_STR("l2_bytes"), KS_STR("52428800")},
		{KS_STR("smallest_scenario"), KS_STR("edge/odd {arch}")},
	};

	ks_bank_fill(&out, ks_bank_find(bank, KS_STR("G-09")), KS_BANK_CUDA, values, 3);
	assert_string_equal(out.ptr,
		"In edge/odd {arch}, how many processors are ever active, against 132 processors?");
	ks_buf_clear(&out);
	ks_bank_fill(&out, ks_bank_find(bank, KS_STR("G-09")), KS_BANK_CUDA, NULL, 0);
	assert_string_equal(out.ptr, "In the smallest scenario, how many processors are "
		"ever active, against all processors?");
	ks_buf_clear(&out);
	ks_bank_fill(&out, ks_bank_find(bank, KS_STR("M-04")), KS_BANK_CUDA, values, 3);
	assert_non_null(strstr(out.ptr, "50 MiB of L2?"));
	/* nothing unfilled is left in any wording */
	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		for (unsigned target = KS_BANK_CUDA; target <= KS_BANK_CPU; target++) {
			ks_buf_clear(&out);
			ks_bank_fill(&out, ks_bank_at(bank, i), target, NULL, 0);
			assert_null(strchr(out.ptr, '{'));
		}
	}
	ks_buf_fini(&out);
	ks_bank_free(bank);
}

/* ---- strict reading ---- */

#define HEAD "{\"format\":1,\"kind\":\"user\",\"group\":\"M\",\"entries\":["
#define EVIDENCE "\"evidence\":{\"quantity\":\"bytes per call\",\"tools\":[\"eval\"]," \
	"\"must_report\":[\"value\",\"unit\"],\"stale_when\":[\"kernel_changed\"]}"
#define REST "\"targets\":[\"cpu\"],\"points\":[\"plateau\"]," EVIDENCE \
	",\"bound\":\"minimum_bytes\",\"cost\":\"low\",\"status\":\"draft\"}"
#define GOOD "{\"id\":\"U-1\",\"question\":\"How many bytes are read, against the minimum?\"," REST

static void test_errors_have_a_path(void **state)
{
	(void)state;
	static const struct {
		const char *json, *says;
		int code;
	} bad[] = {
		{"", "f.json", KS_EINVAL},
		{"[]", "$: expected an object", KS_EINVAL},
		{"{\"format\":2,\"kind\":\"user\",\"entries\":[]}", "$.format", KS_EINVAL},
		{"{\"format\":1,\"kind\":\"other\",\"entries\":[]}", "$.kind", KS_EINVAL},
		{"{\"format\":1,\"kind\":\"arch\",\"entries\":[]}", "$.scope", KS_EINVAL},
		{"{\"format\":1,\"kind\":\"user\"}", "$.entries", KS_EINVAL},
		{"{\"format\":1,\"kind\":\"user\",\"entrys\":[]}", "$.entrys", KS_EINVAL},
		{HEAD "{}]}", "$.entries[0].id", KS_EINVAL},
		{HEAD "7]}", "$.entries[0]: expected an object", KS_EINVAL},
		{HEAD GOOD "," GOOD "]}", "$.entries[1].id: U-1 is there already", KS_EEXISTS},
		{HEAD "{\"id\":\"u-1\",\"question\":\"x?\"," REST "]}", "entries[0].id", KS_EINVAL},
		{HEAD "{\"id\":\"U-1\",\"question\":\"\"," REST "]}", "[0].question", KS_EINVAL},
		{HEAD "{\"id\":\"U-1\",\"question\":\"a\\nb?\"," REST "]}", "control", KS_EINVAL},
		{HEAD "{\"id\":\"U-1\",\"question\":\"x?\",\"cues\":[{\"kind\":\"text\",\"any\":"
			"[\"a\"]},{\"kind\":\"number\",\"name\":\"n\",\"op\":\"~\",\"value\":1}],"
			REST "]}", "$.entries[0].cues[1].op", KS_EINVAL},
		{HEAD "{\"id\":\"U-1\",\"question\":\"x?\",\"cpu\":{\"toolz\":[]}," REST "]}",
			"$.entries[0].cpu.toolz", KS_EINVAL},
		{HEAD "{\"id\":\"U-1\",\"question\":\"x?\",\"runs\":[{\"target\":\"cpu\"}]," REST
			"]}", "$.entries[0].runs[0].command", KS_EINVAL},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ks_bank *bank = ks_bank_new();
		struct ks_err err = KS_ERR_INIT;
		int rc = ks_bank_load(bank, ks_str_of(bad[i].json), "f.json", &err);

		if (rc != bad[i].code || !strstr(err.msg, bad[i].says) ||
		    !strstr(err.msg, "f.json")) {
			fail_msg("%zu: %d %s", i, rc, err.msg);
		}
		assert_int_equal(ks_bank_count(bank), 0); /* all or nothing */
		ks_bank_free(bank);
	}
}

static void test_user_files_stand_beside_ours(void **state)
{
	(void)state;
	struct ks_bank *bank = load_ours();
	struct ks_err err = KS_ERR_INIT;
	struct ks_lints lints = {0};

	assert_int_equal(ks_bank_load(bank, KS_STR(HEAD GOOD "]}"), "mine", &err), KS_OK);
	assert_int_equal(ks_bank_count(bank), 102);
	assert_string_equal(ks_bank_find(bank, KS_STR("U-1"))->source, "mine");
	ks_bank_lint(&lints, bank, false);
	assert_int_equal(ks_lints_errors(&lints), 0); /* 101 core entries still */
	ks_lints_fini(&lints);
	assert_int_equal(ks_bank_load(bank, KS_STR(HEAD GOOD "]}"), "again", &err), KS_EEXISTS);
	assert_non_null(strstr(err.msg, "from mine"));
	assert_int_equal(ks_bank_count(bank), 102);
	ks_bank_free(bank);
}

/* ---- the lint must bite ---- */

struct bad {
	int rule;
	const char *question;
};

static const struct bad bads[] = {
	/* L1: one sentence, one mark, short */
	{1, "Is the floor reached? If so, by which unit?"},
	{1, "How many bytes move, against the minimum"},
	{1, "Measure first. How many bytes move, against the minimum?"},
	{1, "How many bytes move; against the minimum?"},
	{1, "How many bytes of all the inputs and of all the outputs and of every buffer in "
		"between and of each table and list and flag are moved in one call of the "
		"kernel, against the minimum?"},
	{1, "How many bytes move, against the minimum!?"},
	/* L2: asks for a finding */
	{2, "Would another order lower the bytes, against the minimum?"},
	{2, "Can the fill go, against the minimum?"},
	{2, "Could the bytes be at the minimum?"},
	{2, "Why is the time above the floor, against the minimum?"},
	{2, "Have the bytes reached the minimum?"},
	{2, "Please say how many bytes move, against the minimum?"},
	{2, "Should the bytes equal the minimum?"},
	{2, "Will the bytes reach the minimum?"},
	{2, "If the bytes are at the minimum, count the stalls?"},
	{2, "When the bytes are above the minimum, remove the copy?"},
	{2, "Tell me the bytes, against the minimum?"},
	/* L3: carries no answer */
	{3, "How many bytes does prefetching save, against the minimum?"},
	{3, "How many bytes would a swizzled layout move, against the minimum?"},
	{3, "How many bytes move with an unrolled loop, against the minimum?"},
	{3, "How many bytes move when the passes are fused, against the minimum?"},
	{3, "How many bytes move in a persistent form, against the minimum?"},
	{3, "How many bytes move because of the order, against the minimum?"},
	{3, "How many bytes move instead of the minimum?"},
	{3, "How many bytes should move, against the minimum?"},
	{3, "How many bytes move, for example in the tail, against the minimum?"},
	{3, "How many bytes likely move, against the minimum?"},
	{3, "Isn't the minimum lower than the bytes that move?"},
	{3, "Shouldn't the bytes be at the minimum?"},
	{3, "How many bytes does pinning the buffers cost, against the minimum?"},
	{3, "How many bytes move with double buffering, against the minimum?"},
	{3, "How many bytes does a vectorised copy move, against the minimum?"},
	{3, "How many bytes move when using wider loads, against the minimum?"},
	{3, "How many bytes do specialised variants move, against the minimum?"},
	{3, "How many bytes does software pipelining hide, against the minimum?"},
	{3, "How many bytes does caching the table save, against the minimum?"},
	{3, "How many bytes move due to the padding, against the minimum?"},
	{3, "How many bytes can be eliminated, against the minimum?"},
	{3, "How many bytes could move, against the minimum?"},
	/* L4: names a bound */
	{4, "How fast is the kernel?"},
	{4, "How many bytes move?"},
	{4, "How many bytes move in each scenario?"},
	{4, "What do the counters say about traffic?"},
	{4, "Where does the time go?"},
	{4, "Which scenario is hard?"},
	{4, "How many bytes move per second?"},
	{4, "Is the traffic high?"},
	/* L5: bound, not reference */
	{5, "How many bytes move, against the baseline and its minimum?"},
	{5, "How many bytes does the reference move, against the minimum?"},
	{5, "How many bytes does upstream move, against the minimum?"},
	{5, "How many bytes does the library move, against the minimum?"},
	{5, "How many bytes move, against cuBLAS and the minimum?"},
	{5, "How many bytes does the competitor move, against the minimum?"},
	{5, "How many bytes does PyTorch move, against the minimum?"},
	{5, "How many bytes does FA3 move, against the minimum?"},
	{5, "Is the baseline winning on bytes or on the minimum?"},
	{5, "How many bytes does the vendor's kernel move, against the minimum?"},
	{5, "How many bytes does the yardstick move, against the minimum?"},
	/* L6: no operator */
	{6, "How many KV bytes move, against the minimum?"},
	{6, "How many bytes does attention move, against the minimum?"},
	{6, "How many bytes does one softmax move, against the minimum?"},
	{6, "How many bytes does the GEMM move, against the minimum?"},
	{6, "How many bytes does each token move, against the minimum?"},
	{6, "How many bytes does each expert move, against the minimum?"},
	{6, "How many bytes does a head move, against the minimum?"},
	{6, "How many bytes does the convolution move, against the minimum?"},
	{6, "How many bytes does decode move, against the minimum?"},
	{6, "How many bytes do the query rows move, against the minimum?"},
	{6, "How many bytes does the layernorm move, against the minimum?"},
	/* L8: architecture is a parameter */
	{8, "How many bytes move on Hopper, against the minimum?"},
	{8, "How many bytes move on an H200, against the minimum?"},
	{8, "How many bytes does one bulk copy move, against the minimum?"},
	{8, "How many bytes does the TMA move, against the minimum?"},
	{8, "How many bytes does each wgmma read, against the minimum?"},
	{8, "How many bytes do tensor cores read, against the minimum?"},
	{8, "How many bytes move per CTA, against the minimum?"},
	{8, "How many bytes move under AVX, against the minimum?"},
	{8, "How many bytes move on NVIDIA parts, against the minimum?"},
	{8, "How many bytes reach HBM, against the minimum?"},
	{8, "How many bytes move on {device}, against the minimum?"},
	{8, "How many bytes move on {arch}, against the minimum?"}, /* not listed */
	/* L9: no numbers */
	{9, "How many bytes above 80 per cent of the minimum move?"},
	{9, "How many of 128 bytes move, against the minimum?"},
	{9, "How many bytes move in ten calls, against the minimum?"},
	{9, "Is the traffic twice the minimum?"},
	{9, "How many bytes move per sixteen rows, against the minimum?"},
	{9, "How many bytes above a third of the minimum move?"},
	{9, "Is the traffic within a quarter of the minimum?"},
	{9, "How many bytes move in three passes, against the minimum?"},
	{9, "How many bytes move in a thousand calls, against the minimum?"},
	{9, "How many L12 bytes move, against the minimum?"},
};

static void entry_json(struct ks_buf *out, const char *question)
{
	ks_buf_adds(out, HEAD "{\"id\":\"U-1\",\"question\":\"");
	ks_buf_adds(out, question);
	ks_buf_adds(out, "\"," REST "]}");
}

static unsigned lint_rules(const char *json, unsigned *out_warned)
{
	struct ks_bank *bank = ks_bank_new();
	struct ks_err err = KS_ERR_INIT;
	struct ks_lints lints = {0};
	unsigned rules = 0;

	if (ks_bank_load(bank, ks_str_of(json), "t", &err) != KS_OK) {
		fail_msg("%s", err.msg);
	}
	ks_bank_lint_entry(&lints, ks_bank_at(bank, 0));
	for (size_t i = 0; i < lints.count; i++) {
		unsigned bit = 1u << lints.item[i].rule;

		rules |= lints.item[i].level == KS_LINT_ERROR ? bit : 0;
		*out_warned |= lints.item[i].level == KS_LINT_WARNING ? bit : 0;
	}
	ks_lints_fini(&lints);
	ks_bank_free(bank);
	return rules;
}

static void test_bad_questions_are_rejected(void **state)
{
	(void)state;
	int missed = 0;

	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		struct ks_buf json = {0};
		unsigned warned = 0;

		entry_json(&json, bads[i].question);
		if (!(lint_rules(json.ptr, &warned) & (1u << bads[i].rule))) {
			print_error("L%d passes: %s\n", bads[i].rule, bads[i].question);
			missed++;
		}
		ks_buf_fini(&json);
	}
	assert_int_equal(missed, 0);
}

static void test_good_questions_pass(void **state)
{
	(void)state;
	static const char *const good[] = {
		"How many bytes are read, against the minimum?",
		"While the call runs, how many bytes reach L2, against the minimum?",
		"In one call of a hundred, how many bytes move, against the minimum?",
		"Which half of the call moves more bytes than the minimum?",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct ks_buf json = {0};
		unsigned warned = 0;

		entry_json(&json, good[i]);
		assert_int_equal(lint_rules(json.ptr, &warned), 0);
		assert_int_equal(warned, 0);
		ks_buf_fini(&json);
	}
}

static void test_records_are_linted(void **state)
{
	(void)state;
	static const struct {
		int rule;
		const char *from, *to; /* what of a good record is replaced */
	} changes[] = {
		{4, "\"minimum_bytes\"", "\"somewhere\""},
		{7, "\"eval\"", "\"magic\""},
		{7, "\"eval\"", "\"hand_count\""},
		{7, "\"eval\"", "\"ncu\""}, /* not on a cpu */
		{7, "\"bytes per call\"", "\"how good it is\""},
		{7, "\"value\",\"unit\"", "\"opinion\""},
		{10, "\"kernel_changed\"", "\"moon_changed\""},
		{10, "\"status\"", "\"needs\":[\"luck\"],\"status\""},
		{10, "\"status\"", "\"cues\":[{\"kind\":\"number\",\"name\":\"mood\",\"op\":\">\","
			"\"value\":1}],\"status\""},
		{8, "\"status\"", "\"arch_params\":[\"sm_count\"],\"status\""},
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *json = HEAD GOOD "]}";
		const char *at = strstr(json, changes[i].from);
		struct ks_buf out = {0};
		unsigned warned = 0;

		assert_non_null(at);
		ks_buf_add(&out, json, (size_t)(at - json));
		ks_buf_adds(&out, changes[i].to);
		ks_buf_adds(&out, at + strlen(changes[i].from));
		if (!(lint_rules(out.ptr, &warned) & (1u << changes[i].rule))) {
			fail_msg("L%d passes: %s", changes[i].rule, changes[i].to);
		}
		ks_buf_fini(&out);
	}
}

static void test_neutral_words_warn(void **state)
{
	(void)state;
	struct ks_buf json = {0};
	unsigned warned = 0;

	entry_json(&json, "How many bytes are wasted, against the minimum?");
	assert_int_equal(lint_rules(json.ptr, &warned), 0);
	assert_int_equal(warned, 1u << 12);
	ks_buf_fini(&json);
}

static void test_near_copies_and_counts(void **state)
{
	(void)state;
	struct ks_bank *bank = ks_bank_new();
	struct ks_err err = KS_ERR_INIT;
	struct ks_lints lints = {0};
	unsigned rules = 0;

	assert_int_equal(ks_bank_load(bank, KS_STR(HEAD GOOD
		",{\"id\":\"U-2\",\"question\":\"How many bytes are written, against "
			"the minimum?\","
		REST "]}"), "t", &err), KS_OK);
	ks_bank_lint(&lints, bank, true);
	for (size_t i = 0; i < lints.count; i++) {
		rules |= 1u << lints.item[i].rule;
	}
	assert_true(rules & (1u << 11));
	assert_true(rules & (1u << 13)); /* far from 101 */
	assert_true(rules & (1u << 14)); /* no run is stored */
	ks_lints_fini(&lints);
	ks_bank_free(bank);
}

/* Damaged files end in an error or in entries, never in a crash. */
static void test_survives_mutations(void **state)
{
	(void)state;
	static const char good[] = HEAD GOOD "]}";
	char copy[sizeof(good)];
	unsigned seed = 3;

	for (int i = 0; i < 4000; i++) {
		struct ks_bank *bank = ks_bank_new();
		struct ks_lints lints = {0};

		memcpy(copy, good, sizeof(good));
		for (int k = 0; k < 2; k++) {
			seed = seed * 1103515245u + 12345u;
			copy[(seed >> 8) % (sizeof(good) - 1)] = "{}[]\",:?a1\\"[(seed >> 22) % 11];
		}
		if (ks_bank_load(bank, (struct ks_str){copy, sizeof(good) - 1}, "t",
			NULL) == KS_OK) {
			ks_bank_lint(&lints, bank, true);
		}
		ks_lints_fini(&lints);
		ks_bank_free(bank);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ours_passes_the_lint),
		cmocka_unit_test(test_ours_is_honest_about_its_status),
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_filling),
		cmocka_unit_test(test_errors_have_a_path),
		cmocka_unit_test(test_user_files_stand_beside_ours),
		cmocka_unit_test(test_bad_questions_are_rejected),
		cmocka_unit_test(test_good_questions_pass),
		cmocka_unit_test(test_records_are_linted),
		cmocka_unit_test(test_neutral_words_warn),
		cmocka_unit_test(test_near_copies_and_counts),
		cmocka_unit_test(test_survives_mutations),
	};

	bank_dir = argc > 1 ? argv[1] : "bank";
	return cmocka_run_group_tests_name("bank", tests, NULL, NULL);
}

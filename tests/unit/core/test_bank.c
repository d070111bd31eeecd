/* The bank: our own files, strict reading, filling, and the lint against
 * questions that must not pass. The folder of the bank comes as argument. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "core/bank.h"

static const char *bank_dir, *bad_file = "bad-questions.jsonl";

static void load_one(struct ks_bank *bank, const char *name, bool dryruns)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf text = {0}, path = {0};

	ks_buf_addf(&path, "%s/%s", bank_dir, name);
	if (ks_file_read(&text, path.ptr, 1 << 20, &err) != KS_OK || (dryruns ?
	    ks_bank_load_dryruns(bank, ks_buf_str(&text), path.ptr, &err) :
	    ks_bank_load(bank, ks_buf_str(&text), path.ptr, &err)) != KS_OK) {
		fail_msg("%s", err.msg);
	}
	ks_buf_fini(&text);
	ks_buf_fini(&path);
}

/* All that is shipped: core, checklists, plug-ins, dry runs. */
static struct ks_bank *load_all(void)
{
	static const char *const parts[] = {"core", "arch", "operator", "dryruns"};
	struct ks_bank *bank = ks_bank_new();

	for (size_t p = 0; p < 4; p++) {
		struct ks_buf dir = {0}, name = {0};
		char **names = NULL;
		size_t count = 0;

		ks_buf_addf(&dir, "%s/%s", bank_dir, parts[p]);
		assert_int_equal(ks_file_list(&names, &count, dir.ptr, NULL), KS_OK);
		for (size_t i = 0; i < count; i++) {
			size_t len = strlen(names[i]);

			if (len > 5 && strcmp(names[i] + len - 5, ".json") == 0) {
				ks_buf_clear(&name);
				ks_buf_addf(&name, "%s/%s", parts[p], names[i]);
				load_one(bank, name.ptr, p == 3);
			}
		}
		ks_names_free(names, count);
		ks_buf_fini(&dir);
		ks_buf_fini(&name);
	}
	return bank;
}

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
	struct ks_bank *bank = load_all();
	struct ks_lints lints = {0};

	assert_true(ks_bank_count(bank) >= 101 + 40 + 43); /* three checklists, four plug-ins */
	ks_bank_lint(&lints, bank, true);
	for (size_t i = 0; i < lints.count; i++) {
		const struct ks_lint *l = &lints.item[i];

		if (l->level == KS_LINT_ERROR || l->level == KS_LINT_WARNING) {
			fail_msg("L%d %s: %s", l->rule, l->id ? l->id : "-", l->text);
		}
	}
	ks_lints_fini(&lints);
	ks_bank_free(bank);
}

/* Short enough to be taken in at one reading, in every wording. */
static void test_ours_are_short(void **state)
{
	(void)state;
	struct ks_bank *bank = load_all();

	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);

		for (unsigned t = KS_BANK_CUDA; t <= KS_BANK_CPU; t++) {
			size_t words = 1;

			for (const char *c = ks_bank_text(e, t); *c; c++) {
				words += *c == ' ';
			}
			if (words > 20) {
				fail_msg("%s: %zu words: %s", e->id, words, ks_bank_text(e, t));
			}
		}
	}
	ks_bank_free(bank);
}

/* A status is not better than what is stored, every core question has a command or
 * a reason for each of its targets, and what is stored came of the command. */
static void test_ours_is_honest_about_its_runs(void **state)
{
	(void)state;
	struct ks_bank *bank = load_all();
	size_t core = 0, runs[4] = {0};

	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);

		core += strcmp(e->kind, "core") == 0;
		for (unsigned t = KS_BANK_CUDA; t <= KS_BANK_CPU; t++) {
			bool gap = false;

			for (size_t g = 0; g < e->gap_count; g++) {
				gap |= strcmp(e->gaps[g].target, ks_bank_target_name(t)) == 0;
			}
			if (strcmp(e->kind, "core") == 0 && (e->targets & t)) {
				assert_true(gap != (ks_bank_recipe(e, t) != NULL));
			}
			if (ks_bank_run(e, t)) {
				runs[t]++;
				assert_non_null(ks_bank_recipe(e, t));
				assert_false(gap);
			}
		}
	}
	assert_int_equal(core, 101);
	assert_true(runs[KS_BANK_CPU] >= 25);
	assert_true(runs[KS_BANK_CUDA] >= 60);
	ks_bank_free(bank);
}

static void test_scopes(void **state)
{
	(void)state;
	struct ks_bank *bank = load_all();
	const struct ks_bank_entry *hop = ks_bank_find(bank, KS_STR("HOP-01"));
	const struct ks_bank_entry *amp = ks_bank_find(bank, KS_STR("AMP-01"));
	const struct ks_bank_entry *norm = ks_bank_find(bank, KS_STR("NRM-01"));
	const struct ks_str none = KS_STR("");

	assert_true(ks_bank_in_scope(hop, KS_STR("cuda sm_90a"), none, none));
	assert_false(ks_bank_in_scope(hop, KS_STR("cuda sm_80"), none, none));
	assert_false(ks_bank_in_scope(hop, none, none, none));
	assert_true(ks_bank_in_scope(amp, KS_STR("sm_86"), none, none));
	assert_false(ks_bank_in_scope(amp, KS_STR("sm_89"), none, none));
	assert_true(ks_bank_in_scope(norm, none, KS_STR("RMSNorm_bf16"), none));
	assert_true(ks_bank_in_scope(norm, none, KS_STR("x"), KS_STR("stage:decode layernorm")));
	assert_false(ks_bank_in_scope(norm, KS_STR("sm_90"), KS_STR("matmul"), none));
	assert_true(ks_bank_in_scope(ks_bank_find(bank, KS_STR("V-01")), none, none, none));
	ks_bank_free(bank);
}

static void test_taking_a_number(void **state)
{
	(void)state;
	static const struct {
		const char *output, *match;
		enum ks_bank_take take;
		double want;
	} good[] = {
		{"a 1 b 2.5\n", NULL, KS_TAKE_LAST, 2.5},
		{"a 1 b 2.5\n", NULL, KS_TAKE_FIRST, 1},
		{"3\n-4\n5e1", NULL, KS_TAKE_SUM, 49},
		{"3\n-4\n5", NULL, KS_TAKE_MIN, -4},
		{"3\n-4\n5", NULL, KS_TAKE_MAX, 5},
		{"1,234,567 bytes", NULL, KS_TAKE_LAST, 1234567},
		{"used 12\nspilled 8\n", "^spilled ([0-9]+)", KS_TAKE_LAST, 8},
		{"x\nx\ny", "x", KS_TAKE_COUNT, 2},
		{"", "x", KS_TAKE_COUNT, 0},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct ks_bank_recipe r = {.match = good[i].match, .take = good[i].take};
		double v = -1;

		assert_int_equal(ks_bank_take(&v, &r, ks_str_of(good[i].output), NULL), KS_OK);
		assert_true(v == good[i].want);
	}
	struct ks_bank_recipe r = {.match = "nothing ([0-9]+)"};
	double v = 7;
	assert_int_equal(ks_bank_take(&v, &r, KS_STR("1 2"), NULL), KS_EINVAL);
	assert_true(v == 7);
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

static bool rejected(const char *json, int rule)
{
	struct ks_bank *bank = ks_bank_new();
	struct ks_err err = KS_ERR_INIT;
	struct ks_lints lints = {0};
	bool found = false;

	if (ks_bank_load(bank, ks_str_of(json), "bad", &err) != KS_OK) {
		fail_msg("%s", err.msg);
	}
	ks_bank_lint(&lints, bank, true);
	for (size_t i = 0; i < lints.count; i++) {
		found |= lints.item[i].rule == rule && lints.item[i].level ==
			(rule == 12 ? KS_LINT_WARNING : KS_LINT_ERROR);
	}
	ks_lints_fini(&lints);
	ks_bank_free(bank);
	return found;
}

/* The data file holds at least twenty of each rule but L13, which is of the bank. */
static void test_bad_questions_are_rejected(void **state)
{
	(void)state;
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	int of[15] = {0}, missed = 0;
	struct ks_str rest, line;

	assert_int_equal(ks_file_read(&text, bad_file, 1 << 20, &err), KS_OK);
	rest = ks_buf_str(&text);
	while (ks_str_next(&rest, '\n', &line)) {
		struct ks_json *doc = NULL;
		struct ks_buf json = {0};

		assert_int_equal(ks_json_parse(&doc, line.ptr, line.len, &err), KS_OK);
		int rule = (int)ks_json_get_int(doc, "rule", 0);
		assert_in_range(rule, 1, 14);
		of[rule]++;
		ks_buf_adds(&json, "{\"format\":1,\"kind\":\"user\",\"group\":\"M\",\"entries\":");
		ks_json_print(ks_json_get(doc, "entries"), &json);
		ks_buf_adds(&json, "}");
		if (!rejected(json.ptr, rule)) {
			print_error("L%d passes: %.*s\n", rule, KS_FMT(line));
			missed++;
		}
		ks_buf_fini(&json);
		ks_json_free(doc);
	}
	ks_buf_fini(&text);
	assert_int_equal(missed, 0);
	for (int rule = 1; rule <= 14; rule++) {
		assert_true(rule == 13 || of[rule] >= 20);
	}
}

/* L13: the bank without any one of its questions is not the bank. */
static void test_counts_are_exact(void **state)
{
	(void)state;

	for (int skip = 0; skip < KS_LAYERS; skip++) {
		struct ks_bank *bank = ks_bank_new();
		struct ks_lints lints = {0};
		int found = 0;

		for (int g = 0; g < KS_LAYERS; g++) {
			char name[] = "core/V.json";

			name[5] = ks_layer_letter(g);
			if (g != skip) {
				load_one(bank, name, false);
			}
		}
		ks_bank_lint(&lints, bank, false);
		for (size_t i = 0; i < lints.count; i++) {
			found += lints.item[i].rule == 13 && lints.item[i].level == KS_LINT_ERROR;
		}
		assert_true(found >= 3); /* the sum, the group, its share for cpu */
		ks_lints_fini(&lints);
		ks_bank_free(bank);
	}
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
		cmocka_unit_test(test_ours_are_short),
		cmocka_unit_test(test_ours_is_honest_about_its_runs),
		cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_taking_a_number),
		cmocka_unit_test(test_counts_are_exact),
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
	bad_file = argc > 2 ? argv[2] : bad_file;
	return cmocka_run_group_tests_name("bank", tests, NULL, NULL);
}

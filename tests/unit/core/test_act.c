/* Acts of human messages: sixty messages by hand, the form apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/act.h"

static const struct {
	enum ks_act act;
	bool interrogative;
	const char *text;
} messages[] = {
	{KS_ACT_QUESTION, true,
		"Is the gap to the roofline in kernel cycles or only in wall time?"},
	{KS_ACT_QUESTION, true, "What is the measured peak of this device?"},
	{KS_ACT_QUESTION, true,
		"Of the wall time of one call, how much passes while no kernel runs?"},
	{KS_ACT_QUESTION, true,
		"While the longest kernel runs, which units stay below half of their peak?"},
	{KS_ACT_QUESTION, true, "where is the time going?"},
	{KS_ACT_QUESTION, true, "Why is the tail scenario slower than the seed?"},
	{KS_ACT_QUESTION, true, "Is that the hardware's ceiling or your design's?"},
	{KS_ACT_QUESTION, true, "How many bytes reach memory per call"},
	{KS_ACT_QUESTION, true,
		"Have you looked at the host side? Does the wall time agree with the kernel's?"},
	{KS_ACT_QUESTION, true, "did the last edit change the inner loop at all?"},
	{KS_ACT_QUESTION, true, "Can you tell me which scenario is worst?"},
	{KS_ACT_QUESTION, true, "Could you explain where the 38 us come from?"},
	{KS_ACT_QUESTION, true, "Does the candidate win on every shape, or only in the mean?"},
	{KS_ACT_QUESTION, true, "And the small batches, how far are they from their floor?"},
	{KS_ACT_QUESTION, true,
		"In the smallest scenario, how many cores are ever busy, against 8 cores?"},
	{KS_ACT_DIRECTIVE, false, "Run the whole set again."},
	{KS_ACT_DIRECTIVE, false, "Profile the whole call, not the kernel."},
	{KS_ACT_DIRECTIVE, false, "Please write the numbers into a table."},
	{KS_ACT_DIRECTIVE, true, "Could you run the suite again?"},
	{KS_ACT_DIRECTIVE, true, "Can you profile the host path next?"},
	{KS_ACT_DIRECTIVE, true, "Would you mind splitting the file?"},
	{KS_ACT_DIRECTIVE, true, "Why don't you try the small shapes first?"},
	{KS_ACT_DIRECTIVE, true, "How about timing each part by itself?"},
	{KS_ACT_DIRECTIVE, false, "Measure each phase and report the sum."},
	{KS_ACT_DIRECTIVE, false, "Look at the launches between the two kernels"},
	{KS_ACT_DIRECTIVE, false, "Commit what you have and move to the edge set."},
	{KS_ACT_DIRECTIVE, false, "Spawn one subagent for each hypothesis."},
	{KS_ACT_DIRECTIVE, false, "use eight threads from now on"},
	{KS_ACT_DIRECTIVE, false, "Next the decode shapes."},
	{KS_ACT_DIRECTIVE, false,
		"Good, now run the tail scenarios with the flush off and compare both."
		" Then write down what differs."},
	{KS_ACT_APPROVAL, false, "yes"},
	{KS_ACT_APPROVAL, false, "ok, go ahead"},
	{KS_ACT_APPROVAL, false, "Looks good, continue."},
	{KS_ACT_APPROVAL, false, "Great work!"},
	{KS_ACT_APPROVAL, false, "Thanks, that is what I wanted."},
	{KS_ACT_APPROVAL, false, "sounds good"},
	{KS_ACT_APPROVAL, false, "Yes, please do."},
	{KS_ACT_APPROVAL, false, "continue"},
	{KS_ACT_APPROVAL, false, "keep going"},
	{KS_ACT_APPROVAL, false, "LGTM"},
	{KS_ACT_APPROVAL, false, "Perfect."},
	{KS_ACT_APPROVAL, false, "Nice result, carry on with the same plan."},
	{KS_ACT_CORRECTION, false, "No, that's the seed you changed."},
	{KS_ACT_CORRECTION, false, "That is not what I asked for."},
	{KS_ACT_CORRECTION, false, "You forgot the masked case."},
	{KS_ACT_CORRECTION, false, "I said eight threads, not one."},
	{KS_ACT_CORRECTION, false, "Revert that, it loosens the check."},
	{KS_ACT_CORRECTION, false, "Wrong file: edit kernel.c"},
	{KS_ACT_CORRECTION, false, "You skipped two scenarios."},
	{KS_ACT_CORRECTION, false, "That\xe2\x80\x99s wrong, the seed passes this test."},
	{KS_ACT_CORRECTION, false, "you keep measuring a warm cache"},
	{KS_ACT_CORRECTION, false, "Actually, the flags are fixed for this campaign."},
	{KS_ACT_GOAL, false, "The goal is 1.16x in the mean and nothing slower than the seed."},
	{KS_ACT_GOAL, false, "every speedup >= 1.0"},
	{KS_ACT_GOAL, false, "New goal: every scenario at least 1.1x"},
	{KS_ACT_GOAL, false, "We need at least 60% of the roofline on the large shapes."},
	{KS_ACT_GOAL, false, "All scenarios must be correct and the worst must reach parity."},
	{KS_ACT_GOAL, false, "No scenario may be slower than the seed."},
	{KS_ACT_GOAL, false, "It is done when the worst speedup is above one."},
	{KS_ACT_GOAL, false, "geomean speedup >= 1.5, worst speedup >= 0.95"},
};

static void test_acts(void **state)
{
	(void)state;
	int wrong = 0;

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		struct ks_act_class c;

		ks_act_classify(&c, ks_str_of(messages[i].text));
		if (c.act != messages[i].act || c.interrogative != messages[i].interrogative) {
			print_error("%s: %s%s\n", messages[i].text, ks_act_name(c.act),
				c.interrogative ? ", interrogative" : "");
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
}

static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < KS_ACTS; i++) {
		assert_int_equal(ks_act_of(ks_str_of(ks_act_name((enum ks_act)i))), i);
	}
	assert_int_equal(ks_act_of(KS_STR("wish")), -1);
}

static void test_any_bytes(void **state)
{
	(void)state;
	static char text[5000];
	unsigned seed = 5;
	struct ks_act_class c;

	ks_act_classify(&c, (struct ks_str){0});
	assert_int_equal(c.act, KS_ACT_DIRECTIVE);
	for (int i = 0; i < 500; i++) {
		for (size_t k = 0; k < sizeof(text); k++) {
			seed = seed * 1103515245u + 12345u;
			text[k] = (char)(seed >> 16);
		}
		ks_act_classify(&c, (struct ks_str){text, sizeof(text)});
		assert_true((unsigned)c.act < KS_ACTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests_name("act", tests, NULL, NULL);
}

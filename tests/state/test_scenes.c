/*
 * Scenes: small logs of how a gap was missed or a limit was claimed (the first
 * ones rebuilt from the article that kseek implements, the others from public
 * worklogs). In each the moment is raised at its event, and the question that
 * would have moved the agent is among the first three.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/file.h"
#include "core/claim.h"
#include "core/replay.h"

#define MOMENTS 8

static struct ks_bank *bank;
static struct ks_claim_set *claims;

static void load_bank(void)
{
	struct ks_err err = KS_ERR_INIT;
	char **names;
	size_t count;

	bank = ks_bank_new();
	assert_int_equal(ks_file_list(&names, &count, KSEEK_TEST_BANK, &err), 0);
	for (size_t i = 0; i < count; i++) {
		char *path = ks_path_join(KSEEK_TEST_BANK, names[i]);
		struct ks_buf text = {0};

		assert_int_equal(ks_file_read(&text, path, 4 << 20, &err), 0);
		if (ks_bank_load(bank, ks_buf_str(&text), names[i], &err) < 0) {
			fail_msg("%s", err.msg);
		}
		ks_buf_fini(&text);
		free(path);
	}
	ks_names_free(names, count);
}

struct scene {
	struct ks_str log, kind, seq, questions, about;
};

static bool read_scene(struct scene *out, struct ks_str line)
{
	struct ks_str *const part[] = {&out->log, &out->kind, &out->seq, &out->questions,
		&out->about};

	for (size_t i = 0; i < 5; i++) {
		struct ks_str one;

		if (!ks_str_next(&line, '|', &one)) {
			return false;
		}
		*part[i] = ks_str_trim(one);
	}
	return out->log.len > 0 && out->log.ptr[0] != '#';
}

struct seen { /* a moment that the replay found */
	long long seq;
	enum ks_moment_kind kind;
	char offers[64]; /* "V-13 H-01 M-02 " */
	char evidence[320];
};

static int replay(struct seen out[MOMENTS], const char *path)
{
	static const struct ks_str has[] = {
		KS_STR("timeline"), KS_STR("gpu_counters"), KS_STR("perf"),
		KS_STR("hw_counters"), KS_STR("strace"), KS_STR("valgrind"), KS_STR("root"),
	};
	struct ks_policy policy;
	struct ks_replay again;
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_str rest, line;
	int found = 0;

	ks_policy_default(&policy);
	policy.bank = bank;
	policy.claims = claims;
	policy.has = has;
	policy.n_has = sizeof(has) / sizeof(has[0]);
	if (ks_file_read(&text, path, 1 << 20, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	ks_replay_init(&again, &policy);
	rest = ks_buf_str(&text);
	while (ks_str_next(&rest, '\n', &line) && found < MOMENTS) {
		struct ks_event event;
		struct ks_replay_found at;

		if (line.len == 0 || ks_event_parse(&event, line, &err) < 0) {
			continue;
		}
		if (ks_replay_step(&again, &event, &at) && at.moment.kind != KS_MOMENT_NONE) {
			struct seen *s = &out[found++];

			*s = (struct seen){.seq = event.seq, .kind = at.moment.kind};
			memcpy(s->evidence, at.moment.evidence, sizeof(s->evidence));
			for (int i = 0; i < at.count; i++) {
				size_t len = strlen(s->offers);

				snprintf(s->offers + len, sizeof(s->offers) - len, "%s ",
					at.offers[i].question);
			}
		}
		ks_event_fini(&event);
	}
	ks_replay_fini(&again);
	ks_buf_fini(&text);
	return found;
}

static bool offers_one(const char *offers, struct ks_str questions)
{
	struct ks_str one;

	while (ks_str_next(&questions, ' ', &one)) {
		char word[20];

		snprintf(word, sizeof(word), "%.*s ", (int)one.len, one.ptr);
		if (one.len > 0 && strstr(offers, word) != NULL) {
			return true;
		}
	}
	return false;
}

/* What is wrong with a scene, said; true for nothing. */
static bool play(const struct scene *scene)
{
	struct seen seen[MOMENTS];
	char path[512];
	long long seq = strtoll(scene->seq.ptr, NULL, 10);
	int found;

	snprintf(path, sizeof(path), "%s/%.*s.jsonl", KSEEK_TEST_SCENES, KS_FMT(scene->log));
	found = replay(seen, path);
	for (int i = 0; i < found; i++) {
		if (seen[i].seq == seq && ks_str_is(scene->kind, ks_moment_name(seen[i].kind))) {
			if (offers_one(seen[i].offers, scene->questions)) {
				return true;
			}
			print_message("%.*s: offered %s, not one of %.*s\n", KS_FMT(scene->log),
				seen[i].offers, KS_FMT(scene->questions));
			return false;
		}
	}
	print_message("%.*s: no %.*s at event %lld;\n", KS_FMT(scene->log),
		KS_FMT(scene->kind), seq);
	for (int i = 0; i < found; i++) {
		print_message("    %s at %lld: %s: %s\n", ks_moment_name(seen[i].kind),
			seen[i].seq, seen[i].offers, seen[i].evidence);
	}
	return false;
}

static void test_scenes(void **state)
{
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;
	struct ks_str rest, line;
	int scenes = 0, good = 0;

	assert_int_equal(ks_file_read(&text, KSEEK_TEST_SCENES "/scenes.txt", 1 << 16, &err), 0);
	rest = ks_buf_str(&text);
	while (ks_str_next(&rest, '\n', &line)) {
		struct scene scene;

		if (read_scene(&scene, line)) {
			scenes++;
			good += play(&scene) ? 1 : 0;
		}
	}
	ks_buf_fini(&text);
	print_message("%d of %d scenes\n", good, scenes);
	assert_true(scenes >= 20);
	assert_int_equal(good, scenes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scenes),
	};
	int rc;

	load_bank();
	claims = ks_claim_set_new();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	ks_claim_set_free(claims);
	ks_bank_free(bank);
	return rc;
}

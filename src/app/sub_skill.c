/* kseek skill: the question bank as an Agent Skill in a folder. */
#include <limits.h>
#include <unistd.h>

#include "app/bank_files.h"
#include "app/common.h"
#include "app/skill.h"
#include "app/subs.h"
#include "base/file.h"
#include "base/mem.h"

static int put(const char *dir, const char *name, const struct ks_buf *text, struct ks_err *err)
{
	char *path = ks_path_join(dir, name);
	char *parent = ks_path_dir(path);
	int rc = ks_file_mkdirs(parent, 0755, err);

	if (rc == 0) {
		rc = ks_file_write(path, ks_buf_str(text), 0644, err);
	}
	free(parent);
	free(path);
	return rc;
}

/* One place; what an earlier version wrote goes first. */
static int install_at(const char *root, const char *place, const struct ks_bank *bank,
	unsigned target, struct ks_err *err)
{
	char *dir = ks_asprintf("%s/%s/skills/%s", root, place, KS_SKILL_NAME);
	struct ks_buf text = {0};
	int rc = ks_file_exists(dir) ? ks_file_remove_tree(dir, err) : 0;

	if (rc == 0) {
		ks_skill_main(&text, bank, target);
		rc = put(dir, "SKILL.md", &text, err);
	}
	for (int g = 0; rc == 0 && g < KS_LAYERS; g++) {
		char *file = ks_skill_group_file(g);
		ks_buf_clear(&text);
		ks_skill_group(&text, bank, g, target);
		if (text.len > 0) {
			rc = put(dir, file, &text, err);
		}
		free(file);
	}
	if (rc == 0) {
		printf("skill written to ");
		ks_put(stdout, dir, 0);
		putchar('\n');
	}
	ks_buf_fini(&text);
	free(dir);
	return rc;
}

/* The folder given, else the campaign around this one, else this one; and the
 * campaign's target, cuda where there is none. */
static int find_place(char **out_root, unsigned *out_target, const char *given, struct ks_err *err)
{
	struct ks_campaign c = {0};
	struct ks_err ignored = KS_ERR_INIT;
	char *root = NULL;

	*out_target = KS_BANK_CUDA;
	if (ks_campaign_find(&root, given != NULL ? given : ".", &ignored) == 0) {
		char *config = ks_path_join(root, "campaign.json");
		if (ks_campaign_read(&c, config, &ignored) == 0 && c.target == KS_TARGET_CPU) {
			*out_target = KS_BANK_CPU;
		}
		ks_campaign_fini(&c);
		free(config);
	}
	if (given != NULL || root == NULL) {
		free(root);
		root = realpath(given != NULL ? given : ".", NULL);
	}
	if (root == NULL || !ks_file_is_dir(root)) {
		free(root);
		return ks_err_set(err, KS_ENOTFOUND, "%s: no such folder",
			given != NULL ? given : ".");
	}
	*out_root = root;
	return 0;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	const char *word[2], *target = NULL;
	const struct ks_opt opts[] = {
		{"target", KS_OPT_TEXT, &target, "TARGET", "cpu or cuda; else the campaign's"},
		{0}
	};
	struct ks_bank *bank = NULL;
	char *root = NULL;
	unsigned which = 0;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, word, 1, 2);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	int rc = strcmp(word[0], "install") == 0 ? 0 :
		ks_err_set(&err, KS_EINVAL, "%.40s: use install", word[0]);
	if (rc == 0 && target != NULL && strcmp(target, "cpu") != 0 &&
			strcmp(target, "cuda") != 0) {
		rc = ks_err_set(&err, KS_EINVAL, "--target %.40s: use cpu or cuda", target);
	}
	if (rc == 0) {
		rc = find_place(&root, &which, n > 1 ? word[1] : NULL, &err);
	}
	if (rc == 0 && target != NULL) {
		which = strcmp(target, "cpu") == 0 ? KS_BANK_CPU : KS_BANK_CUDA;
	}
	if (rc == 0) {
		rc = ks_bank_open_for(&bank, root, &err);
	}
	if (rc == 0) {
		rc = install_at(root, ".agents", bank, which, &err);
	}
	if (rc == 0) {
		rc = install_at(root, ".claude", bank, which, &err);
	}
	ks_bank_free(bank);
	free(root);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_skill = {
	"skill", "install [FOLDER] [--target cpu|cuda]",
	"give the questions to an agent as a skill of its own",
	"Writes the bank to .agents/skills and .claude/skills of the campaign (or\n"
	"FOLDER): the agent asks itself, and starts one subagent for each hypothesis.", run
};

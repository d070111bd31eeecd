/*
 * kseek demo: a campaign that shows everything: a scripted agent, real
 * compilations, real measurements. What it consists of is data
 * (transcripts/demo-script/demo.json).
 */
#include <errno.h>
#include <unistd.h>

#include "app/common.h"
#include "app/create.h"
#include "app/paths.h"
#include "app/steer.h"
#include "app/subs.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"

static int read_json(struct ks_json **out, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	int rc = ks_file_read(&text, path, 1024 * 1024, err);

	if (rc == 0) {
		rc = ks_json_parse(out, text.ptr, text.len, err);
		if (rc < 0) {
			ks_err_prefix(err, "%s", path);
		}
	}
	ks_buf_fini(&text);
	return rc;
}

/* A folder of its own under the temporary one. */
static int make_place(char **out, const char *name, struct ks_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *base = ks_asprintf("%s/kseek-demo-XXXXXX",
		tmp != NULL && tmp[0] == '/' ? tmp : "/tmp");

	if (mkdtemp(base) == NULL) {
		int rc = ks_err_sys(err, errno, "%s", base);
		free(base);
		return rc;
	}
	*out = ks_path_join(base, name);
	free(base);
	return 0;
}

static int problem_folders(struct ks_create *c, const char *problem, struct ks_err *err)
{
	static const char *const rooms[2] = {"scenarios", "kernels"};
	int rc = 0;

	for (int i = 0; rc == 0 && i < 2; i++) {
		char *name = ks_asprintf("%s/%s", rooms[i], problem);
		rc = ks_paths_data(&c->problem[i], name, err);
		free(name);
	}
	return rc;
}

static int make_campaign(const struct ks_json *demo, const char *script, const char *dir,
	struct ks_err *err)
{
	struct ks_create c = {.dir = dir, .threads = 1,
		.name = ks_json_get_str(demo, "name", "demo")};
	char *agent = ks_asprintf("script:%s", script);

	c.agent = agent;
	c.mode = ks_json_get_str(demo, "mode", "bank");
	const struct ks_json *goal = ks_json_get(demo, "goal");
	for (const struct ks_json *n = ks_json_first(goal); n != NULL && c.goal.count < 16;
			n = ks_json_next(n)) {
		c.goal.item[c.goal.count++] = ks_json_str(n, "");
	}
	int rc = problem_folders(&c, ks_json_get_str(demo, "problem", ""), err);
	if (rc == 0) {
		rc = ks_create_campaign(&c, err);
	}
	ks_create_fini(&c);
	free(agent);
	return rc;
}

static void say_where(const char *dir)
{
	char *program = NULL;
	struct ks_buf word = {0};
	struct ks_err err = KS_ERR_INIT;

	printf("\nThe campaign is in ");
	ks_put(stdout, dir, 0);
	putchar('\n');
	char *found = ks_paths_which("kseek");
	if (found == NULL && ks_paths_program(&program, "kseek", &err) == 0) {
		char *folder = ks_path_dir(program);
		char *real = realpath(folder, NULL);
		ks_shell_word(&word, real != NULL ? real : folder);
		printf("  export PATH=%s:\"$PATH\"\n", word.ptr);
		ks_buf_clear(&word);
		free(real);
		free(folder);
		free(program);
	}
	free(found);
	ks_shell_path(&word, dir);
	printf("  cd %s\n"
		"  kseek candidates         what was tried\n"
		"  kseek diff seed champion code and scores\n"
		"  kseek export             the annotated transcript\n"
		"  kseek steer              back to the console\n", word.ptr);
	ks_buf_fini(&word);
}

static int demo(const struct ks_steer *how, const char *place, struct ks_err *err)
{
	char *path = NULL, *script = NULL, *dir = place != NULL ? ks_strdup(place) : NULL;
	struct ks_json *doc = NULL;
	struct ks_fold *fold = NULL;
	int rc = ks_paths_data(&path, "transcripts/demo-script/demo.json", err);

	if (rc == 0) {
		rc = read_json(&doc, path, err);
	}
	if (rc == 0) {
		rc = ks_paths_data(&script, "transcripts/demo-script/script.json", err);
	}
	if (rc == 0 && dir == NULL) {
		rc = make_place(&dir, ks_json_get_str(doc, "name", "demo"), err);
	}
	if (rc == 0) {
		printf("kseek demo: the agent is a script, not a model. It goes by a question's "
			"layer\n"
			"alone, not by its words; compilers and measurements are real.\n");
		fflush(stdout);
		rc = make_campaign(doc, script, dir, err);
	}
	if (rc == 0) {
		rc = ks_fold_open(&fold, dir, err);
	}
	if (rc == 0) {
		rc = ks_steer_run(fold, how, err);
		if (rc >= 0) {
			say_where(dir);
		}
	}
	ks_fold_free(fold);
	ks_json_free(doc);
	free(path);
	free(script);
	free(dir);
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	struct ks_steer how = {.agent = true};
	const char *place[1] = {NULL};
	const struct ks_opt opts[] = {
		{"plain", KS_OPT_FLAG, &how.plain, NULL,
			"lines instead of a screen; runs by itself"},
		{"theme", KS_OPT_TEXT, &how.theme, "NAME", "default, light, contrast or mono"},
		{"ascii", KS_OPT_FLAG, &how.ascii, NULL, "ASCII only"},
		{"no-color", KS_OPT_FLAG, &how.no_color, NULL, "no colours (as NO_COLOR)"},
		{0}
	};
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, place, 0, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	how.plain = how.plain || !isatty(0) || !isatty(1);
	how.unattended = how.plain;
	int rc = ks_steer_check(&how, &err);
	if (rc == 0) {
		rc = demo(&how, place[0], &err);
	}
	return rc < 0 ? ks_fail(sub, &err) : rc;
}

const struct ks_sub ks_sub_demo = {
	"demo", "[FOLDER] [--plain] [--theme NAME] [--ascii] [--no-color]",
	"see everything in four minutes: no GPU, network or key",
	"Makes a campaign (in FOLDER, else a temporary one) with a scripted agent and\n"
	"opens the console. Kernels are compiled, checked and timed for real. Without a\n"
	"terminal it runs to the end by itself, sends the first offers and prints\n"
	"lines.", run
};

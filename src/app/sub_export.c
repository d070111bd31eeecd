/* kseek export: the annotated transcript. */
#include <errno.h>
#include <unistd.h>

#include "app/common.h"
#include "app/subs.h"
#include "export/export.h"

static int write_out(struct ks_fold *fold, const char *path, enum ks_export_format format,
	struct ks_err *err)
{
	const struct ks_export_source source = {
		.final = ks_fold_state(fold), .data = ks_fold_data(fold)
	};
	FILE *out = stdout;

	if (path != NULL) {
		out = fopen(path, "we");
		if (out == NULL) {
			return ks_err_sys(err, errno, "%s", path);
		}
	}
	int rc = ks_export(out, format, &source, err);
	if (rc < 0 && err->sys == EPIPE) {
		/* `kseek export | head`: the reader has what it wanted. */
		ks_err_clear(err);
		rc = 0;
	}
	if (path != NULL && fclose(out) != 0 && rc == 0) {
		rc = ks_err_sys(err, errno, "%s", path);
	}
	return rc;
}

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	const char *format = "md", *path = NULL, *log[1] = {NULL};
	const struct ks_opt opts[] = {
		{"format", KS_OPT_TEXT, &format, "md|jsonl", "Markdown (default) or JSON lines"},
		{"output", KS_OPT_TEXT, &path, "FILE", "write there; else standard output"},
		{0}
	};
	struct ks_fold *fold = NULL;
	struct ks_err err = KS_ERR_INIT;
	int n = ks_args(sub, opts, argc, argv, log, 0, 1);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	if (strcmp(format, "md") != 0 && strcmp(format, "jsonl") != 0) {
		ks_err_set(&err, KS_EINVAL, "--format %.40s: use md or jsonl", format);
		return ks_fail(sub, &err);
	}
	int rc = n == 1 ? ks_fold_open_any(&fold, log[0], &err) :
		ks_open_campaign(sub, &fold, &err);
	if (rc == 0) {
		struct ks_err no_bank = KS_ERR_INIT;
		(void)ks_fold_bank(fold, &no_bank); /* only to tell what was edited */
		ks_fold_step(fold, SIZE_MAX);
		rc = write_out(fold, path,
			strcmp(format, "md") == 0 ? KS_EXPORT_MD : KS_EXPORT_JSONL, &err);
	}
	ks_fold_free(fold);
	return rc < 0 ? ks_fail(sub, &err) : KS_EXIT_OK;
}

const struct ks_sub ks_sub_export = {
	"export", "[LOG|FOLDER] [--format md|jsonl] [--output FILE]",
	"write the annotated transcript",
	"Folds the whole log: messages with moment and question, tool calls, candidates\n"
	"with scores, notes, and what each question was followed by. LOG: a log file\n"
	"alone.", run
};

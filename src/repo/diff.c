/*
 * Unified diffs within limits: a diff is for reading, and one that passes the
 * limits is cut and says so. Larger files are named as if they were binary.
 */
#include <stdio.h>

#include "repo/internal.h"

struct print {
	struct ks_buf *out;
	size_t start;   /* of our text in out */
	size_t lines;
	struct ks_repo_diff_stat stat;
};

static void print_count(struct print *print, const git_diff_line *line)
{
	if (line->origin == GIT_DIFF_LINE_ADDITION) {
		print->stat.added++;
	} else if (line->origin == GIT_DIFF_LINE_DELETION) {
		print->stat.removed++;
	}
}

static int print_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
	const git_diff_line *line, void *payload)
{
	struct print *print = payload;
	bool marked = line->origin == GIT_DIFF_LINE_CONTEXT ||
		line->origin == GIT_DIFF_LINE_ADDITION ||
		line->origin == GIT_DIFF_LINE_DELETION;
	size_t len = line->content_len + marked;

	if (print->lines >= KS_REPO_DIFF_LINES ||
		print->out->len - print->start + len > KS_REPO_DIFF_BYTES) {
		print->stat.cut = true;
		return GIT_EUSER;
	}
	print_count(print, line);
	if (marked) {
		ks_buf_addc(print->out, line->origin);
	}
	ks_buf_add(print->out, line->content, line->content_len);
	for (size_t i = 0; i < line->content_len; i++) {
		print->lines += line->content[i] == '\n';
	}
	return 0;
}

static int print_diff(git_diff *diff, struct print *print, struct ks_err *err)
{
	int status = git_diff_print(diff, GIT_DIFF_FORMAT_PATCH, print_line, print);

	print->stat.files = git_diff_num_deltas(diff);
	if (status < 0 && !print->stat.cut) {
		ks_buf_truncate(print->out, print->start);
		return ks_repo_err(err, status, "cannot print the diff");
	}
	if (print->stat.cut) {
		if (print->out->len > print->start &&
			print->out->ptr[print->out->len - 1] != '\n') {
			ks_buf_addc(print->out, '\n');
		}
		ks_buf_addf(print->out, "(cut here: a diff is shown up to %u lines and %u bytes)\n",
			KS_REPO_DIFF_LINES, KS_REPO_DIFF_BYTES);
	}
	return 0;
}

int ks_repo_diff(struct ks_repo *repo, const char *a, const char *b, struct ks_buf *out,
	struct ks_repo_diff_stat *stat, struct ks_err *err)
{
	git_diff_options options;
	struct print print = {.out = out, .start = out->len};
	git_tree *tree_a = NULL, *tree_b = NULL;
	git_diff *diff = NULL;
	int status, rc = ks_repo_tree(repo, a, &tree_a, err);

	if (rc == 0) {
		rc = ks_repo_tree(repo, b, &tree_b, err);
	}
	if (rc == 0) {
		git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
		options.max_size = KS_REPO_DIFF_BYTES;
		options.context_lines = 3;
		options.flags |= GIT_DIFF_INDENT_HEURISTIC;
		status = git_diff_tree_to_tree(&diff, repo->git, tree_a, tree_b, &options);
		rc = status < 0 ? ks_repo_err(err, status, "cannot compare %s and %s", a, b)
				: print_diff(diff, &print, err);
	}
	if (rc == 0 && stat != NULL) {
		*stat = print.stat;
	}
	git_diff_free(diff);
	git_tree_free(tree_a);
	git_tree_free(tree_b);
	return rc;
}

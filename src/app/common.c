/* Shared by the subcommands: see common.h. */
#include "app/common.h"

#include <limits.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/sane.h"
#include "base/utf8.h"
#include "repo/repo.h"

#define COLUMNS_LEAST 40

int ks_fail(const struct ks_sub *sub, const struct ks_err *err)
{
	const char *text = err->msg;
	size_t n = strlen(sub->name);

	/* The engine's own lines may begin with the command's name. */
	if (strncmp(text, sub->name, n) == 0 && strncmp(text + n, ": ", 2) == 0) {
		text += n + 2;
	}
	fflush(stdout);
	fprintf(stderr, "kseek %s: ", sub->name);
	ks_put(stderr, text, 0);
	fputc('\n', stderr);
	return err->code == KS_EBUILD ? KS_EXIT_BUILD :
		err->code == KS_EINVAL ? KS_EXIT_USAGE : KS_EXIT_ENV;
}

int ks_open_campaign(const struct ks_sub *sub, struct ks_fold **out, struct ks_err *err)
{
	struct ks_campaign campaign = {0};
	struct ks_err why = KS_ERR_INIT;
	int rc = ks_fold_open(out, NULL, err);

	if (rc == 0 && ks_campaign_read(&campaign, ks_fold_paths(*out)->config, &why) < 0) {
		fprintf(stderr, "kseek %s: warning: ", sub->name);
		ks_put(stderr, why.msg, 0);
		fputs("; eval and steer refuse it\n", stderr);
	}
	ks_campaign_fini(&campaign);
	return rc;
}

int ks_check_repo(const char *root, struct ks_err *err)
{
	char *git = ks_path_join(root, ".git");
	bool there = ks_file_is_dir(git);

	free(git);
	return there ? 0 : ks_err_set(err, KS_ENOTFOUND, KS_REPO_GONE, root);
}

void ks_warn_of_repo(const struct ks_sub *sub, const struct ks_fold *fold)
{
	struct ks_err err = KS_ERR_INIT;

	if (ks_check_repo(ks_fold_paths(fold)->root, &err) < 0) {
		fprintf(stderr, "kseek %s: warning: ", sub->name);
		ks_put(stderr, err.msg, 0);
		fputc('\n', stderr);
	}
}

int ks_check_log(struct ks_log_check *out, char **out_fault, const char *path,
	struct ks_err *err)
{
	int rc = ks_log_verify(out, path, err);

	if (rc < 0) {
		return rc;
	}
	*out_fault = NULL;
	if (out->altered_seq > 0) {
		*out_fault = ks_asprintf("the log was changed by hand: bytes %llu to %llu do not "
			"fit the hash at event %lld", (unsigned long long)out->altered_from,
			(unsigned long long)out->altered_to, (long long)out->altered_seq);
	} else if (out->broken_line > 0) {
		*out_fault = ks_asprintf("line %lld has no envelope or is out of order",
			(long long)out->broken_line);
	}
	return 0;
}

void ks_put(FILE *out, const char *text, size_t cols)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, ks_str_of(text), KS_SANE_ONE_LINE);
	size_t len = safe.len;
	bool cut = cols > 1 && safe.len > 0 && ks_utf8_fit(safe.ptr, safe.len, cols) < safe.len;
	if (cols > 0 && safe.len > 0) {
		len = ks_utf8_fit(safe.ptr, safe.len, cut ? cols - 1 : cols);
	}
	fwrite(safe.ptr != NULL ? safe.ptr : "", 1, len, out);
	fputs(cut ? "…" : "", out);
	ks_buf_fini(&safe);
}

void ks_put_column(FILE *out, const char *text, size_t cols)
{
	char safe[512];

	ks_sane_into(safe, sizeof(safe), ks_str_of(text), KS_SANE_ONE_LINE);
	size_t len = ks_utf8_fit(safe, strlen(safe), cols);
	size_t used = ks_utf8_columns(safe, len);
	fwrite(safe, 1, len, out);
	for (; used < cols; used++) {
		fputc(' ', out);
	}
}

void ks_put_name(FILE *out, const char *name, size_t cols)
{
	struct ks_buf safe = {0}, text = {0};

	ks_sane(&safe, ks_str_of(name), KS_SANE_ONE_LINE);
	ks_utf8_shorten(&text, ks_buf_str(&safe), cols, "…");
	ks_put_column(out, text.ptr != NULL ? text.ptr : "", cols);
	ks_buf_fini(&safe);
	ks_buf_fini(&text);
}

void ks_put_block(FILE *out, struct ks_str text)
{
	struct ks_buf safe = {0};

	ks_sane(&safe, text, 0);
	fwrite(safe.ptr != NULL ? safe.ptr : "", 1, safe.len, out);
	if (safe.len > 0 && safe.ptr[safe.len - 1] != '\n') {
		fputc('\n', out);
	}
	ks_buf_fini(&safe);
}

void ks_put_json(struct ks_buf *json)
{
	ks_buf_addc(json, '\n');
	fwrite(json->ptr, 1, json->len, stdout);
	ks_buf_fini(json);
}

int ks_columns(FILE *out)
{
	const char *text = getenv("COLUMNS");
	long cols = text != NULL ? strtol(text, NULL, 10) : 0;
	struct winsize size;

	if (cols <= 0 && isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0) {
		cols = size.ws_col;
	}
	return cols <= 0 || cols > INT_MAX ? 0 : cols < COLUMNS_LEAST ? COLUMNS_LEAST : (int)cols;
}

/* The cursor stands in column `at`, and in `left` in later lines. */
static void put_wrapped(FILE *out, const char *text, int at, int left, int right)
{
	struct ks_buf safe = {0};
	struct ks_str rest;

	ks_sane(&safe, ks_str_of(text), KS_SANE_ONE_LINE);
	rest = ks_buf_str(&safe);
	for (;;) {
		size_t n = rest.len > 0 ? ks_utf8_fit(rest.ptr, rest.len, (size_t)(right - at)) : 0;
		for (size_t blank = n; n < rest.len && blank > n / 2; blank--) {
			if (rest.ptr[blank] == ' ') {
				n = blank;
				break;
			}
		}
		fwrite(rest.len > 0 ? rest.ptr : "", 1, n, out);
		rest = n < rest.len ? ks_str_trim((struct ks_str){rest.ptr + n, rest.len - n}) :
			(struct ks_str){0};
		fputc('\n', out);
		if (rest.len == 0) {
			break;
		}
		fprintf(out, "%*s", left, "");
		at = left;
	}
	ks_buf_fini(&safe);
}

void ks_put_wrapped(FILE *out, const char *text, int left, int right)
{
	put_wrapped(out, text, left, left, right);
}

void ks_put_line(FILE *out, const char *text, int left)
{
	int right = ks_columns(out);

	if (right > 0) {
		put_wrapped(out, text, 0, left, right);
	} else {
		ks_put(out, text, 0);
		fputc('\n', out);
	}
}

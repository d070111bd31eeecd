/*
 * A campaign's folder: its paths, how it is found, its state folder, and the
 * lists of strings that campaign.json is made of.
 */
#include "store/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

int ks_campaign_paths_init(struct ks_campaign_paths *out, const char *root, struct ks_err *err)
{
	char *real = realpath(root, NULL);

	if (!real) {
		return ks_err_sys(err, errno, "campaign folder %s", root);
	}
	if (!ks_file_is_dir(real)) {
		free(real);
		return ks_err_set(err, KS_EINVAL, "campaign folder %s: not a folder", root);
	}
	*out = (struct ks_campaign_paths){
		.root = ks_strdup(real),
		.config = ks_path_join(real, "campaign.json"),
		.problem = ks_path_join(real, "problem"),
		.brief = ks_path_join(real, "AGENTS.md"),
		.state = ks_path_join(real, ".kseek"),
		.log = ks_path_join(real, ".kseek/log.jsonl"),
		.blobs = ks_path_join(real, ".kseek/blobs"),
		.index = ks_path_join(real, ".kseek/index"),
		.lock = ks_path_join(real, ".kseek/lock"),
		.engine = ks_path_join(real, ".kseek/engine"),
		.draft = ks_path_join(real, ".kseek/draft"),
		.cache = ks_path_join(real, ".kseek/build-cache"),
	};
	free(real);
	return KS_OK;
}

void ks_campaign_paths_fini(struct ks_campaign_paths *paths)
{
	if (!paths) {
		return;
	}
	free(paths->root);
	free(paths->config);
	free(paths->problem);
	free(paths->brief);
	free(paths->state);
	free(paths->log);
	free(paths->blobs);
	free(paths->index);
	free(paths->lock);
	free(paths->engine);
	free(paths->draft);
	free(paths->cache);
	*paths = (struct ks_campaign_paths){0};
}

int ks_campaign_find(char **out_root, const char *from, struct ks_err *err)
{
	char *dir = realpath(from, NULL);

	if (!dir) {
		return ks_err_sys(err, errno, "%s: no campaign to be found there", from);
	}
	for (;;) {
		char *config = ks_path_join(dir, "campaign.json");
		bool found = ks_file_exists(config);
		char *up;

		free(config);
		if (found) {
			*out_root = dir;
			return KS_OK;
		}
		if (strcmp(dir, "/") == 0) {
			break;
		}
		up = ks_path_dir(dir);
		free(dir);
		dir = up;
	}
	free(dir);
	dir = realpath(from, NULL);
	ks_err_set(err, KS_ENOTFOUND,
		"no campaign.json in %.300s or above it; go into a campaign's folder, or make "
		"a campaign with 'kseek new' or 'kseek demo'", dir != NULL ? dir : from);
	free(dir);
	return KS_ENOTFOUND;
}

int ks_campaign_make_state(const struct ks_campaign_paths *paths, struct ks_err *err)
{
	int rc = ks_file_mkdirs(paths->state, 0700, err);

	if (rc == KS_OK && faccessat(AT_FDCWD, paths->state, W_OK | X_OK, AT_EACCESS) < 0) {
		return ks_err_set(err, KS_EIO, "%s: cannot be written (%s); give yourself leave to "
			"write there, or work in a copy of the campaign", paths->state,
			strerror(errno));
	}
	if (rc == KS_OK) {
		rc = ks_file_mkdirs(paths->blobs, 0700, err);
	}
	return rc;
}

void ks_strings_fini(struct ks_strings *list)
{
	size_t i;

	if (!list) {
		return;
	}
	for (i = 0; i < list->count; i++) {
		free(list->items[i]);
	}
	free(list->items);
	*list = (struct ks_strings){0};
}

void ks_strings_add(struct ks_strings *list, const char *text)
{
	list->items = ks_realloc(list->items, list->count + 2, sizeof(*list->items));
	list->items[list->count++] = ks_strdup(text);
	list->items[list->count] = NULL;
}

const char *ks_target_name(enum ks_target target)
{
	return target == KS_TARGET_CUDA ? "cuda" : "cpu";
}

void ks_campaign_fini(struct ks_campaign *c)
{
	if (!c) {
		return;
	}
	free(c->id);
	free(c->name);
	free(c->problem);
	free(c->arch);
	free(c->driver);
	free(c->agent);
	free(c->mode);
	ks_strings_fini(&c->flags);
	ks_strings_fini(&c->files);
	ks_strings_fini(&c->goal);
	ks_strings_fini(&c->command);
	ks_strings_fini(&c->permissions);
	*c = (struct ks_campaign){0};
}

/* Bank files: see bank_files.h. */
#include "app/bank_files.h"

#include "app/paths.h"
#include "base/file.h"
#include "base/mem.h"
#include "store/campaign.h"

#define BANK_FILE_MAX (1024u * 1024)

static int load_one(struct ks_bank *bank, const char *path, bool dryruns, struct ks_err *err)
{
	struct ks_buf text = {0};
	int rc = ks_file_read(&text, path, BANK_FILE_MAX, err);

	if (rc == 0) {
		rc = dryruns ? ks_bank_load_dryruns(bank, ks_buf_str(&text), path, err) :
			ks_bank_load(bank, ks_buf_str(&text), path, err);
	}
	ks_buf_fini(&text);
	return rc;
}

static int load_folder(struct ks_bank *bank, const char *dir, bool dryruns, struct ks_err *err)
{
	char **names = NULL;
	size_t count = 0;
	int rc = ks_file_is_dir(dir) ? ks_file_list(&names, &count, dir, err) : 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		size_t len = strlen(names[i]);
		if (len > 5 && strcmp(names[i] + len - 5, ".json") == 0) {
			char *path = ks_path_join(dir, names[i]);
			rc = load_one(bank, path, dryruns, err);
			free(path);
		}
	}
	ks_names_free(names, count);
	return rc;
}

/* The questions of a folder, and what its dryruns/ says of them. */
int ks_bank_folder(struct ks_bank *bank, const char *dir, struct ks_err *err)
{
	char *dryruns = ks_path_join(dir, "dryruns");
	int rc = load_folder(bank, dir, false, err);

	if (rc == 0) {
		rc = load_folder(bank, dryruns, true, err);
	}
	free(dryruns);
	return rc;
}

static int load_shipped(struct ks_bank *bank, struct ks_err *err)
{
	static const char *const parts[] = {"core", "arch", "operator", "dryruns"};
	char *dir = NULL;
	int rc = ks_paths_data(&dir, "bank", err);

	for (size_t i = 0; rc == 0 && i < 4; i++) {
		char *part = ks_path_join(dir, parts[i]);
		rc = load_folder(bank, part, i == 3, err);
		free(part);
	}
	free(dir);
	return rc;
}

/* A person's folder: the file that is at fault is theirs to mend. */
static int load_persons(struct ks_bank *bank, const char *dir, struct ks_err *err)
{
	int rc = ks_bank_folder(bank, dir, err);

	if (rc < 0 && err != NULL) {
		struct ks_err why = *err;

		ks_err_clear(err);
		ks_err_set(err, rc, "%s; mend the file or move it away", why.msg);
		err->sys = why.sys;
	}
	return rc;
}

char *ks_bank_own_folder(void)
{
	return ks_paths_config("bank");
}

int ks_bank_open_for(struct ks_bank **out, const char *campaign, struct ks_err *err)
{
	struct ks_bank *bank = ks_bank_new();
	char *own = ks_bank_own_folder();
	char *local = campaign != NULL ? ks_path_join(campaign, "bank") : NULL;
	int rc = load_shipped(bank, err);

	if (rc == 0 && own != NULL) {
		rc = load_persons(bank, own, err);
	}
	if (rc == 0 && local != NULL) {
		rc = load_persons(bank, local, err);
	}
	free(own);
	free(local);
	if (rc < 0) {
		ks_bank_free(bank);
		return rc;
	}
	*out = bank;
	return 0;
}

int ks_bank_open(struct ks_bank **out, struct ks_err *err)
{
	char *root = NULL;
	int rc;

	ks_campaign_find(&root, ".", NULL);
	rc = ks_bank_open_for(out, root, err);
	free(root);
	return rc;
}

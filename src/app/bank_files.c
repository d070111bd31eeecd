/* Bank files: see bank_files.h. */
#include "app/bank_files.h"

#include "app/paths.h"
#include "base/file.h"
#include "base/mem.h"

#define BANK_FILE_MAX (1024u * 1024)

static int
load_one(struct ks_bank *bank, const char *path, struct ks_err *err)
{
	struct ks_buf text = {0};
	int rc = ks_file_read(&text, path, BANK_FILE_MAX, err);

	if (rc == 0) {
		rc = ks_bank_load(bank, ks_buf_str(&text), path, err);
	}
	ks_buf_fini(&text);
	return rc;
}

int
ks_bank_folder(struct ks_bank *bank, const char *dir, struct ks_err *err)
{
	char **names = NULL;
	size_t count = 0;
	int rc = ks_file_list(&names, &count, dir, err);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		size_t len = strlen(names[i]);
		if (len > 5 && strcmp(names[i] + len - 5, ".json") == 0) {
			char *path = ks_path_join(dir, names[i]);
			rc = load_one(bank, path, err);
			free(path);
		}
	}
	ks_names_free(names, count);
	return rc;
}

char *
ks_bank_own_folder(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config != NULL && config[0] == '/') {
		return ks_asprintf("%s/kseek/bank", config);
	}
	return home != NULL && home[0] == '/' ? ks_asprintf("%s/.config/kseek/bank", home) : NULL;
}

int
ks_bank_open(struct ks_bank **out, struct ks_err *err)
{
	struct ks_bank *bank = ks_bank_new();
	char *dir = NULL;
	char *own = ks_bank_own_folder();
	int rc = ks_paths_data(&dir, "bank/core", err);

	if (rc == 0) {
		rc = ks_bank_folder(bank, dir, err);
	}
	if (rc == 0 && own != NULL && ks_file_is_dir(own)) {
		rc = ks_bank_folder(bank, own, err);
	}
	free(dir);
	free(own);
	if (rc < 0) {
		ks_bank_free(bank);
		return rc;
	}
	*out = bank;
	return 0;
}

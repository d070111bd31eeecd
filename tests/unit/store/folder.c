/* Shared by the store's tests. */
#include "folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"

int folder_make(void **state)
{
	char *dir = ks_strdup("/tmp/kseek-test-store-XXXXXX");

	if (!mkdtemp(dir)) {
		free(dir);
		return -1;
	}
	*state = dir;
	return 0;
}

int folder_drop(void **state)
{
	int rc = ks_file_remove_tree(*state, NULL);

	free(*state);
	return rc;
}

char *folder_path(void **state, const char *name)
{
	return ks_path_join(*state, name);
}

void folder_put(const char *path, struct ks_str bytes)
{
	struct ks_err err = KS_ERR_INIT;

	if (ks_file_write(path, bytes, 0600, &err) < 0) {
		fail_msg("%s", err.msg);
	}
}

char *folder_get(const char *path, size_t *out_len)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf bytes = {0};

	if (ks_file_read(&bytes, path, (size_t)1 << 30, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	*out_len = bytes.len;
	return ks_buf_take(&bytes);
}

struct ks_log *log_at(const char *path, struct ks_log_found *found)
{
	struct ks_err err = KS_ERR_INIT;
	struct ks_log *log = NULL;

	if (ks_log_open(&log, path, found, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	return log;
}

int64_t log_tick(struct ks_log *log, int64_t n)
{
	struct ks_log_event event = {.kind = "test.tick", .by = "engine"};
	struct ks_err err = KS_ERR_INIT;
	struct ks_buf fields = {0};
	int64_t seq = 0;

	ks_buf_addf(&fields, "\"n\":%lld", (long long)n);
	event.fields = ks_buf_str(&fields);
	if (ks_log_append(log, &event, 1, KS_LOG_GROUPED, &seq, &err) < 0) {
		fail_msg("%s", err.msg);
	}
	ks_buf_fini(&fields);
	return seq;
}

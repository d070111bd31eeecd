#ifndef KSEEK_TESTS_STORE_FOLDER_H
#define KSEEK_TESTS_STORE_FOLDER_H
/* A scratch folder for each test, and files in it. Failures abort the test. */
#include "base/buf.h"
#include "store/log.h"

int folder_make(void **state);  /* *state: its path */
int folder_drop(void **state);
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_drop)

char *folder_path(void **state, const char *name); /* gives */
void folder_put(const char *path, struct ks_str bytes);
char *folder_get(const char *path, size_t *out_len); /* gives */

struct ks_log *log_at(const char *path, struct ks_log_found *found);
/* Appends "test.tick" with one number; gives its seq. */
int64_t log_tick(struct ks_log *log, int64_t n);

#endif

#ifndef KSEEK_CORE_BANK_IMPL_H
#define KSEEK_CORE_BANK_IMPL_H
/* What the files bank*.c share; nobody else includes this. */
#include "base/json.h"
#include "core/bank.h"

/* One file that was loaded; its strings are lent to the entries. */
struct ks_bank_doc {
	struct ks_json *json;
	char *label;
	const char *kind, *scope;
	struct ks_bank_match match;
};

struct ks_bank {
	struct ks_bank_entry *entry;
	size_t count, cap;
	struct ks_bank_doc **doc;
	size_t docs, doc_cap;
	struct ks_bank_build *build;
	size_t builds, build_cap;
};

/* Where the reader is, for messages. */
struct ks_bank_reader {
	const char *label;
	char path[120];
	struct ks_err *err;
};

/* NULL after an error. */
struct ks_bank_doc *ks_bank_doc_new(struct ks_str json, const char *label, struct ks_err *err);
void ks_bank_doc_free(struct ks_bank_doc *doc);
/* The bank owns it from now on. */
void ks_bank_keep(struct ks_bank *bank, struct ks_bank_doc *doc);

int ks_bank_bad(struct ks_bank_reader *rd, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Refuses keys that are not in a NULL-terminated list. */
int ks_bank_known_keys(struct ks_bank_reader *rd, const struct ks_json *node,
	const char *const *keys);
int ks_bank_read_text(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	bool required, const char **out);
int ks_bank_read_word(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	const char *const *list, size_t count, int *out);
int ks_bank_read_list(struct ks_bank_reader *rd, const struct ks_json *node, const char *key,
	bool required, struct ks_bank_list *out);

/* Members "runs" and "recipes" of an entry. */
int ks_bank_read_runs(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_entry *e);
int ks_bank_read_recipes(struct ks_bank_reader *rd, const struct ks_json *node,
	struct ks_bank_entry *e);
void ks_bank_dryruns_fini(struct ks_bank_entry *e);

/* The next {key} at or after from; *out_start is the place of its bracket. */
bool ks_bank_placeholder(struct ks_str text, size_t from, size_t *out_start,
	struct ks_str *out_key);

#endif

#ifndef KSEEK_EVAL_SYMBOLS_H
#define KSEEK_EVAL_SYMBOLS_H
/*
 * A built kernel as its file shows it, read with libelf: imports, needed
 * objects, code that would run at load, a hash of the machine code.
 *
 * Imports are held against an allow-list (what computing, allocating and, with
 * threads, forking and joining needs), not against a ban-list: whatever nobody
 * thought of is refused.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

struct ks_binary {
	char **imports;      /* undefined symbols, sorted, without versions */
	size_t nimports;
	char **needed;       /* DT_NEEDED */
	size_t nneeded;
	char **exports;      /* defined dynamic symbols */
	size_t nexports;
	char load_code[64];  /* what would run at load: "constructor", "ifunc" ...; "" */
	char code_hash[KS_HASH_HEX]; /* of the executable sections */
	uint64_t code_bytes;
	bool text_relocations;
	bool search_path;    /* DT_RPATH or DT_RUNPATH */
	bool wants_exec_stack;
};

/* Reads a shared object. KS_EINVAL when it is none. */
int ks_binary_load(struct ks_binary *bin, const char *path, struct ks_err *err);
void ks_binary_fini(struct ks_binary *bin);

/* May a kernel import this symbol, need this object? */
bool ks_symbol_allowed(const char *name, bool threads);
bool ks_object_allowed(const char *soname, bool threads);
/* KS_EDENIED with the first import or object that is not allowed. */
int ks_binary_check_imports(const struct ks_binary *bin, bool threads, struct ks_err *err);
/* KS_EDENIED when something would run at load. */
int ks_binary_check_load(const struct ks_binary *bin, struct ks_err *err);
/* Does any import, export or needed object contain the word (any case)? For
 * "no library ..." clauses. Lends the name, or NULL. */
const char *ks_binary_mentions(const struct ks_binary *bin, const char *word);

#endif

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
	char **locals;       /* functions that are not exported, where not stripped */
	size_t nlocals;
	char **kernels;      /* functions of embedded device code */
	size_t nkernels;
	char load_code[64];  /* what would run at load: "constructor", "ifunc" ...; "" */
	unsigned at_load;    /* functions in tables that run at load ... */
	unsigned registering;/* ... and those of them that nvcc made to register kernels */
	unsigned units;      /* compiled files with embedded device code */
	char hidden[64];     /* code that cannot be read: what it is; "" */
	char code_hash[KS_HASH_HEX]; /* of the executable sections, the device's too */
	uint64_t code_bytes;
	bool text_relocations;
	bool search_path;    /* DT_RPATH or DT_RUNPATH */
	bool wants_exec_stack;
	bool writable_code;
	bool own_table;      /* what the loader is told is not what the sections show */
	bool too_many;       /* names, of which some were not read */
	uint64_t file_bytes; /* that are mapped from the file */
};

/* Reads a shared object. KS_EINVAL when it is none. */
int ks_binary_load(struct ks_binary *bin, const char *path, struct ks_err *err);
void ks_binary_fini(struct ks_binary *bin);

/* May a kernel import this symbol, need this object? */
enum ks_may { KS_MAY_THREADS = 1, KS_MAY_CUDA = 2 };
bool ks_symbol_allowed(const char *name, unsigned may);
bool ks_object_allowed(const char *soname, unsigned may);
/* KS_EDENIED with the first import or object that is not allowed, or a symbol of
 * CUDA's that the kernel defines itself. `may`: bits of enum ks_may. */
int ks_binary_check_imports(const struct ks_binary *bin, unsigned may, struct ks_err *err);
/* KS_EDENIED when something would run at load. With KS_MAY_CUDA what nvcc makes to
 * register the kernels may: one function a compiled file, of its name. */
int ks_binary_check_load(const struct ks_binary *bin, unsigned may, struct ks_err *err);
/* KS_EDENIED when code lies where it cannot be read (compressed device code, a
 * program in the data), or where there is more than a running worker is compared by. */
int ks_binary_check_embedded(const struct ks_binary *bin, struct ks_err *err);
/* Does any import, export, local function, device function or needed object contain
 * the word (any case)? For "no library ..." clauses. Lends the name, or NULL. */
const char *ks_binary_mentions(const struct ks_binary *bin, const char *word);

#endif

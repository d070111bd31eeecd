#ifndef KSEEK_EVAL_BUILD_H
#define KSEEK_EVAL_BUILD_H
/*
 * How a kernel becomes a shared object: the arguments of the compiler. Running
 * it is the caller's.
 *
 * The object is linked without start files, so that nothing runs at load (and
 * -ffast-math cannot change the process's rounding); every symbol must resolve
 * and is resolved at load, after which the tables are read-only; names bind to
 * the object itself, so that seed and candidate can live in one process.
 *
 * On "cuda" the compiler is nvcc. The CUDA runtime is linked shared: there is one
 * in the worker, and an object's imports stay few and readable. Device code is
 * not compressed, so that it can be read. What nvcc adds to register the kernels
 * is the one thing that runs at load.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

struct ks_build_spec {
	const char *cc;              /* the compiler; NULL: ks_build_find_cc, _nvcc */
	const char *target;          /* "cpu", "cuda"                            */
	const char *flags;           /* of the campaign, e.g. "-O3 -march=native" */
	const char *const *sources;  /* absolute paths, first the one with the entry */
	size_t nsources;
	const char *const *includes; /* folders: sources' own, kseek_kernel.h's  */
	size_t nincludes;
	const char *out;             /* the shared object to write               */
	int threads;                 /* above 1: -pthread, and -fopenmp if flags say so */
	bool libraries;              /* flags may name some (-lNAME, -LFOLDER): a yardstick's */
};

/* Gives *out_argv, ended by NULL (ks_build_argv_free). KS_EINVAL for flags that
 * change what is built (-o, -c, @file, ...), KS_ENOTFOUND without a compiler,
 * KS_EUNSUPPORTED for another target. */
int ks_build_argv(char ***out_argv, const struct ks_build_spec *spec, struct ks_err *err);
void ks_build_argv_free(char **argv);
/* Full path of CC, cc, gcc or clang; gives. */
int ks_build_find_cc(char **out, struct ks_err *err);
/* Full path of nvcc: in PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda; gives. */
int ks_build_find_nvcc(char **out, struct ks_err *err);
/* "sm_90a"? What nvcc takes as an architecture of machine code. */
bool ks_build_is_arch(const char *text);
/* The flags of a new campaign: the given ones, or the target's own (given NULL).
 * On cuda the architecture is added where they name none. Gives. */
char *ks_build_flags(const char *target, const char *arch, const char *given);
/* Limits of one compilation, in seconds and MiB of address space. */
int64_t ks_build_seconds(const char *target);
int64_t ks_build_memory_mb(const char *target);
/* Name of a built object in a cache: compiler, flags, threads, and the hash that
 * the caller has of the sources. */
void ks_build_key(char out_hex[KS_HASH_HEX], const struct ks_build_spec *spec,
	const char *sources_hash);

#endif

#ifndef KSEEK_BASE_ERR_H
#define KSEEK_BASE_ERR_H
/*
 * Errors: a named negative code and one line that says what failed, where, and
 * what to do. The caller owns the struct and passes it as the last parameter;
 * there is no global "last error". The first error wins: setting an error that
 * is already set keeps the first, so clean-up code cannot hide the cause.
 */
#include <stddef.h>

enum ks_code {
	KS_OK = 0,
	KS_EINVAL = -1,   /* bad input: a file, an argument, a document      */
	KS_ENOTFOUND = -2,
	KS_EEXISTS = -3,
	KS_EIO = -4,      /* the operating system refused; err.sys has errno  */
	KS_ELIMIT = -5,   /* a stated limit was passed                        */
	KS_EBUSY = -6,    /* somebody else holds it                           */
	KS_EPROTO = -7,   /* a peer broke the protocol                        */
	KS_EDENIED = -8,  /* not allowed for this peer                        */
	KS_ETIME = -9,    /* took too long                                    */
	KS_EBUILD = -10,  /* the compiler refused the sources                 */
	KS_EUNSUPPORTED = -11,
	KS_EFULL = -12    /* no space left: nothing was written               */
};

struct ks_err {
	int code;      /* enum ks_code; 0 while nothing failed */
	int sys;       /* errno, or 0                          */
	char msg[512]; /* one line, no newline, valid UTF-8    */
};

#define KS_ERR_INIT {0}

/* Sets err (NULL is allowed) and returns code, for `return ks_err_set(...)`.
 * Newlines and control bytes in the formatted text become spaces. */
int ks_err_set(struct ks_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As ks_err_set, and appends ": " strerror(sys). The code follows from errno:
 * ENOENT is KS_ENOTFOUND, EEXIST KS_EEXISTS, ENOSPC and EDQUOT KS_EFULL, all
 * others KS_EIO. */
int ks_err_sys(struct ks_err *err, int sys, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Puts "text: " before the message of an error that is set. */
void ks_err_prefix(struct ks_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void ks_err_clear(struct ks_err *err);
/* A short lower-case word for a code ("invalid", "not-found", ...); static. */
const char *ks_code_name(int code);

#endif

/*
 * Error values. Invariant: msg is one line of valid UTF-8 without control
 * characters, whatever was formatted into it.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Copies text into out and makes it one clean line; cuts between code points. */
static void clean_line(char *out, size_t size, const char *text)
{
	size_t len = strlen(text), at = 0, used = 0;

	while (at < len) {
		char piece[4];
		int32_t cp;
		size_t n;

		at += ks_utf8_decode(text + at, len - at, &cp);
		if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x2028 || cp == 0x2029) {
			cp = ' ';
		}
		n = ks_utf8_encode(cp, piece);
		if (used + n >= size) {
			break;
		}
		memcpy(out + used, piece, n);
		used += n;
	}
	out[used] = '\0';
}

static int code_of_errno(int sys)
{
	switch (sys) {
	case ENOENT:
		return KS_ENOTFOUND;
	case EEXIST:
		return KS_EEXISTS;
	case ENOSPC:
	case EDQUOT:
		return KS_EFULL;
	default:
		return KS_EIO;
	}
}

static int set(struct ks_err *err, int code, int sys, const char *fmt, va_list ap)
{
	char raw[2 * sizeof(err->msg)];
	int n;

	if (!err || err->code != 0) {
		return code;
	}
	n = vsnprintf(raw, sizeof(raw), fmt, ap);
	if (n >= 0 && sys != 0 && (size_t)n < sizeof(raw)) {
		char why[128];

		snprintf(raw + n, sizeof(raw) - (size_t)n, ": %s",
			strerror_r(sys, why, sizeof(why)));
	}
	err->code = code;
	err->sys = sys;
	clean_line(err->msg, sizeof(err->msg), n >= 0 ? raw : fmt);
	return code;
}

int ks_err_set(struct ks_err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(err, code, 0, fmt, ap);
	va_end(ap);
	return code;
}

int ks_err_sys(struct ks_err *err, int sys, const char *fmt, ...)
{
	va_list ap;
	int code = code_of_errno(sys);

	va_start(ap, fmt);
	set(err, code, sys, fmt, ap);
	va_end(ap);
	return code;
}

void ks_err_prefix(struct ks_err *err, const char *fmt, ...)
{
	char raw[2 * sizeof(err->msg)];
	va_list ap;
	int n;

	if (!err || err->code == 0) {
		return;
	}
	va_start(ap, fmt);
	n = vsnprintf(raw, sizeof(raw), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(raw)) {
		return;
	}
	snprintf(raw + n, sizeof(raw) - (size_t)n, ": %s", err->msg);
	clean_line(err->msg, sizeof(err->msg), raw);
}

void ks_err_clear(struct ks_err *err)
{
	if (err) {
		*err = (struct ks_err)KS_ERR_INIT;
	}
}

const char *ks_code_name(int code)
{
	switch (code) {
	case KS_OK:
		return "ok";
	case KS_EINVAL:
		return "invalid";
	case KS_ENOTFOUND:
		return "not-found";
	case KS_EEXISTS:
		return "exists";
	case KS_EIO:
		return "io";
	case KS_ELIMIT:
		return "limit";
	case KS_EBUSY:
		return "busy";
	case KS_EPROTO:
		return "protocol";
	case KS_EDENIED:
		return "denied";
	case KS_ETIME:
		return "time";
	case KS_EBUILD:
		return "build";
	case KS_EUNSUPPORTED:
		return "unsupported";
	case KS_EFULL:
		return "full";
	default:
		return "unknown";
	}
}

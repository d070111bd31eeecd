#!/bin/sh
# The archives of core, wire and timeline may call only what is listed here: memory,
# strings, formatting, arithmetic, and the pure part of src/base. No file, no
# clock, no environment, no randomness.
# usage: purity.sh ARCHIVE...
set -eu

allowed='^(memcpy|memmove|memset|memcmp|memchr|memrchr|mempcpy|memmem|rawmemchr|bcmp'
allowed=$allowed'|strlen|strnlen|strcmp|strncmp|strcasecmp|strncasecmp|strchr|strrchr'
allowed=$allowed'|strchrnul|strstr|strcasestr|strspn|strcspn|strpbrk|stpcpy'
allowed=$allowed'|strtod|strtof|strtol|strtoll|strtoul|strtoull|__isoc23_strto[a-z]+'
allowed=$allowed'|snprintf|vsnprintf|free|qsort|bsearch|abort|__assert_fail'
allowed=$allowed'|isalnum|isalpha|isdigit|isspace|isupper|islower|ispunct|isxdigit'
allowed=$allowed'|tolower|toupper|__ctype_[a-z_]+'
allowed=$allowed'|log|log2|log10|log1p|exp|exp2|expm1|pow|sqrt|cbrt|hypot|fabs|fmin|fmax'
allowed=$allowed'|floor|ceil|round|trunc|lround|llround|nearbyint|fmod|isnan|isinf|erf|erfc'
allowed=$allowed'|(log|exp|pow|sqrt|fabs|floor|ceil|round|fmin|fmax)f'
allowed=$allowed'|ks_(buf|str|json|jw|utf8|sane|regex|hash|err|code|verdict)(_[a-z0-9_]+)?'
allowed=$allowed'|ks_(alloc|zalloc|realloc|strdup|strndup|asprintf|grow)'
allowed=$allowed'|__(asan|ubsan|sanitizer|tsan|gcov|sancov|llvm)_[A-Za-z0-9_]+'
allowed=$allowed'|_GLOBAL_OFFSET_TABLE_|__stack_chk_(fail|guard)'
allowed=$allowed'|__(mem|str|stp|vsn|sn)[a-z]+_chk|__fprintf_chk_never)$'

if [ $# -eq 0 ]; then
	echo "usage: purity.sh ARCHIVE..." >&2
	exit 2
fi
status=0
for archive in "$@"; do
	# Meson makes thin archives; nm reads them through their members' paths.
	nm "$archive" 2>/dev/null | awk '
		NF == 3 && $2 ~ /^[TtDdBbRrVvWC]$/ { have[$3] = 1 }
		NF == 2 && $1 == "U" { want[$2] = 1 }
		END { for (s in want) if (!(s in have)) print s }
	' | sort > "${TMPDIR:-/tmp}/purity.$$"
	if [ ! -s "${TMPDIR:-/tmp}/purity.$$" ]; then
		echo "$archive: nm saw no symbols" >&2
		status=1
	fi
	if grep -Ev "$allowed" "${TMPDIR:-/tmp}/purity.$$" > "${TMPDIR:-/tmp}/impure.$$"; then
		sed "s|^|$archive: not pure: |" "${TMPDIR:-/tmp}/impure.$$" >&2
		status=1
	fi
	rm -f "${TMPDIR:-/tmp}/purity.$$" "${TMPDIR:-/tmp}/impure.$$"
done
exit $status

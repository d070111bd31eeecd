/* Names of the checks, in the order of enum ks_check. */
#include "eval/checks.h"

#include <string.h>

static const char *const names[KS_CHECK_COUNT] = {
	"imports", "constructors", "mdwe", "syscalls", "files", "namespaces", "limits", "time",
	"fresh", "move", "poison", "inputs", "gaps", "bounds", "pairs", "reference", "variants",
	"precision", "after", "clock", "late", "text", "seed-data", "maps", "control",
	"order", "flush", "repeat", "descriptors", "missing", "heldout", "alone", "evidence",
	"marks", "strays", "embedded", "names", "workers",
};

bool ks_check_parse(enum ks_check *out, const char *name)
{
	for (unsigned i = 0; i < KS_CHECK_COUNT; i++) {
		if (strcmp(names[i], name) == 0) {
			*out = (enum ks_check)i;
			return true;
		}
	}
	return false;
}

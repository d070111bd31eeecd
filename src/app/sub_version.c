/* kseek version */
#include <stdio.h>

#include "app/subs.h"

static int run(const struct ks_sub *sub, int argc, char **argv)
{
	bool json = false;
	const struct ks_opt opts[] = {
		{"json", KS_OPT_FLAG, &json, NULL, "one JSON object"},
		{0}
	};
	int n = ks_args(sub, opts, argc, argv, NULL, 0, 0);

	if (n < 0) {
		return n == -1 ? KS_EXIT_OK : KS_EXIT_USAGE;
	}
	printf(json ? "{\"version\":\"%s\"}\n" : "kseek %s\n", KSEEK_VERSION);
	return KS_EXIT_OK;
}

const struct ks_sub ks_sub_version = {
	"version", "[--json]", "print the version", NULL, run
};

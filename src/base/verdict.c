/* The words of verdicts, which stand in every log. */
#include "base/verdict.h"

#include <string.h>

static const char *const words[KS_VERDICTS] = {"same", "faster", "slower", "unsure"};

const char *ks_verdict_word(enum ks_verdict verdict)
{
	return (unsigned)verdict < KS_VERDICTS ? words[verdict] : words[KS_SAME];
}

enum ks_verdict ks_verdict_of(const char *word)
{
	for (int v = 0; v < KS_VERDICTS; v++) {
		if (strcmp(words[v], word) == 0) {
			return (enum ks_verdict)v;
		}
	}
	return KS_SAME;
}

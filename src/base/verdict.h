#ifndef KSEEK_BASE_VERDICT_H
#define KSEEK_BASE_VERDICT_H
/*
 * What a measurement of one scenario says: the judge gives it, the log holds its
 * word, and the fold reads it again.
 */

/* unsure: the machine was too busy for the judge's clock to confirm a gain. */
enum ks_verdict { KS_SAME = 0, KS_FASTER, KS_SLOWER, KS_UNSURE, KS_VERDICTS };

const char *ks_verdict_word(enum ks_verdict verdict); /* "same"; static */
/* KS_SAME for a word that is none. */
enum ks_verdict ks_verdict_of(const char *word);

#endif

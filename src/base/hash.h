#ifndef KSEEK_BASE_HASH_H
#define KSEEK_BASE_HASH_H
/* SHA-256 by libcrypto (the only user). Hex is 64 lower-case digits + NUL. */
#include <stddef.h>

#define KS_HASH_HEX 65

struct ks_hash; /* running */
struct ks_hash *ks_hash_new(void);
void ks_hash_add(struct ks_hash *h, const void *bytes, size_t len);
/* Digest so far, without ending it. */
void ks_hash_peek(const struct ks_hash *h, char out_hex[KS_HASH_HEX]);
void ks_hash_free(struct ks_hash *h);
void ks_hash_of(const void *bytes, size_t len, char out_hex[KS_HASH_HEX]);

#endif

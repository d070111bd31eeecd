/* SHA-256 by libcrypto. A failure of libcrypto here means no memory. */
#include "base/hash.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "base/mem.h"

struct ks_hash {
	EVP_MD_CTX *ctx;
};

static void must(int ok)
{
	if (!ok) {
		abort();
	}
}

static void to_hex(EVP_MD_CTX *ctx, char out_hex[KS_HASH_HEX])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned i, n = 0;

	must(EVP_DigestFinal_ex(ctx, sum, &n));
	must(n * 2 + 1 == KS_HASH_HEX);
	for (i = 0; i < n; i++) {
		out_hex[2 * i] = digits[sum[i] >> 4];
		out_hex[2 * i + 1] = digits[sum[i] & 15];
	}
	out_hex[2 * n] = '\0';
}

struct ks_hash *ks_hash_new(void)
{
	struct ks_hash *h = ks_zalloc(1, sizeof(*h));

	h->ctx = EVP_MD_CTX_new();
	must(h->ctx && EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL));
	return h;
}

void ks_hash_add(struct ks_hash *h, const void *bytes, size_t len)
{
	if (len > 0) {
		must(EVP_DigestUpdate(h->ctx, bytes, len));
	}
}

void ks_hash_peek(const struct ks_hash *h, char out_hex[KS_HASH_HEX])
{
	EVP_MD_CTX *copy = EVP_MD_CTX_new();

	must(copy && EVP_MD_CTX_copy_ex(copy, h->ctx));
	to_hex(copy, out_hex);
	EVP_MD_CTX_free(copy);
}

void ks_hash_free(struct ks_hash *h)
{
	if (h) {
		EVP_MD_CTX_free(h->ctx);
		free(h);
	}
}

void ks_hash_of(const void *bytes, size_t len, char out_hex[KS_HASH_HEX])
{
	struct ks_hash *h = ks_hash_new();

	ks_hash_add(h, bytes, len);
	to_hex(h->ctx, out_hex);
	ks_hash_free(h);
}

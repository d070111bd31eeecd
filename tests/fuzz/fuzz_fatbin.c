/*
 * Any bytes are read as device code without reading beyond them: as they come,
 * and as changes to a container that is sound.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/eval/fatbin_sample.h"
#include "eval/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(const uint8_t *bytes, size_t len)
{
	struct ks_fatbin f;
	char hex[KS_HASH_HEX];
	struct ks_hash *code = ks_hash_new();
	unsigned char *exact = malloc(len + !len);
	if (exact == NULL) {
		abort();
	}
	memcpy(exact, bytes, len);
	ks_fatbin_read(&f, exact, len, code);
	for (size_t i = 0; i < f.nnames; i++) {
		if (f.names[i][0] == '\0') {
			abort();
		}
	}
	ks_fatbin_hides(exact, len);
	ks_fatbin_fini(&f);
	ks_hash_peek(code, hex);
	ks_hash_free(code);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_buf sample = {0};
	read_all(data, size);
	sample_container(&sample, 0);
	for (size_t i = 0; i + 3 <= size && i < 24; i += 3) {
		size_t at = (data[i] | (size_t)data[i + 1] << 8) % sample.len;
		sample.ptr[at] = (char)data[i + 2];
	}
	if (size > 0 && data[size - 1] % 4 == 0) {
		ks_buf_truncate(&sample, sample.len - data[size - 1]);
	}
	read_all((const uint8_t *)ks_buf_str(&sample).ptr, sample.len);
	ks_buf_fini(&sample);
	return 0;
}

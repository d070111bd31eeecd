/*
 * Any bytes parse or give an error; what parses prints, and the print parses to
 * the same print. The writer makes valid JSON of any bytes.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok) {
		abort();
	}
}

static void read_twice(const char *text, size_t len)
{
	struct ks_json *doc = NULL, *again = NULL;
	struct ks_buf first = {0}, second = {0};
	struct ks_err err = KS_ERR_INIT;
	int rc = ks_json_parse(&doc, text, len, &err);

	must(rc == err.code);
	if (rc < 0) {
		must(!doc && err.msg[0] != '\0');
		return;
	}
	ks_json_print(doc, &first);
	must(ks_json_parse(&again, first.ptr, first.len, &err) == 0);
	ks_json_print(again, &second);
	must(ks_str_eq(ks_buf_str(&first), ks_buf_str(&second)));
	ks_json_free(doc);
	ks_json_free(again);
	ks_buf_fini(&first);
	ks_buf_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ks_json *doc = NULL;
	struct ks_buf out = {0};
	struct ks_jw w;

	read_twice((const char *)data, size);
	ks_jw_init(&w, &out);
	ks_jw_open(&w, NULL);
	ks_jw_slice(&w, "bytes", (struct ks_str){(const char *)data, size});
	ks_jw_close(&w);
	must(ks_json_parse(&doc, out.ptr, out.len, NULL) == 0);
	ks_json_free(doc);
	ks_buf_fini(&out);
	return 0;
}

/*
 * JSON-RPC of a hostile peer. What must hold: what is taken is whole, and what
 * we send back to a request is a message that answers it, with its id.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void answer(const struct ks_rpc *rpc)
{
	struct ks_buf line = {0};
	struct ks_rpc back = {0};
	struct ks_json *id = NULL;

	assert(rpc->id.len > 0);
	assert(ks_json_parse(&id, rpc->id.ptr, rpc->id.len, NULL) == 0);
	assert(ks_json_type(id) != KS_JSON_ARRAY && ks_json_type(id) != KS_JSON_OBJECT);
	ks_json_free(id);
	ks_rpc_refuse(&line, ks_buf_str(&rpc->id), KS_RPC_NO_METHOD, rpc->method);
	assert(memchr(line.ptr, '\n', line.len) == line.ptr + line.len - 1);
	assert(ks_rpc_parse(&back, (struct ks_str){line.ptr, line.len - 1}, NULL) == 0);
	assert(back.kind == KS_RPC_ERROR && back.code == KS_RPC_NO_METHOD);
	assert(strcmp(back.error, rpc->method) == 0);
	ks_rpc_fini(&back);
	ks_buf_fini(&line);
}

static void take(const uint8_t *data, size_t size)
{
	struct ks_rpc rpc = {0};

	if (ks_rpc_parse(&rpc, (struct ks_str){(const char *)data, size}, NULL) < 0) {
		return;
	}
	switch (rpc.kind) {
	case KS_RPC_REQUEST:
		answer(&rpc);
		break;
	case KS_RPC_NOTIFY:
		assert(rpc.method[0] != '\0' && rpc.id.len == 0);
		break;
	case KS_RPC_RESULT:
		assert(rpc.result != NULL && rpc.number >= -1);
		break;
	default:
		assert(rpc.error != NULL && rpc.number >= -1);
		break;
	}
	ks_rpc_fini(&rpc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const frames[][2] = {{"{\"id\":", ",\"method\":\"m\"}"},
		{"{\"method\":\"m\",\"params\":", "}"}, {"{\"id\":1,\"result\":", "}"},
		{"{\"id\":1,\"error\":", "}"},
			{"{\"x\":{\"id\":2},\"id\" : ", ",\"method\":\"a\"}"}};
	const char *const *frame = frames[size % (sizeof(frames) / sizeof(frames[0]))];
	struct ks_buf framed = {0};

	take(data, size);
	ks_buf_adds(&framed, frame[0]);
	ks_buf_add(&framed, data, size);
	ks_buf_adds(&framed, frame[1]);
	take((const uint8_t *)framed.ptr, framed.len);
	ks_buf_fini(&framed);
	return 0;
}

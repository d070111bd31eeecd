/* Asking libkseek-cuda.so for devices and rates. */
#include "eval/probe_cuda.h"

#include <dlfcn.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"

#define TEXT 65536

typedef int (*devices_fn)(char *json, size_t size);
typedef int (*probe_fn)(int device, char *json, size_t size);

static int fail(const char *fmt, const char *detail)
{
	struct ks_buf text = {0};
	struct ks_jw w;
	char *line = ks_asprintf(fmt, detail);
	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_jw_str(&w, "error", line);
	ks_jw_close(&w);
	puts(text.ptr);
	ks_buf_fini(&text);
	free(line);
	return 3;
}

/* POSIX gives functions by dlsym as data; a copy of the pointer's bytes is the
 * way that needs no cast between the two. */
static bool find(void *out, void *handle, const char *name)
{
	void *at = dlsym(handle, name);
	memcpy(out, &at, sizeof(at));
	return at != NULL;
}

static void *open_library(const char *library)
{
	return dlopen(library, RTLD_NOW | RTLD_GLOBAL);
}

/* CUDA's own words for its commonest failure say neither where nor what to do. */
static int explain(const char *json)
{
	struct ks_json *doc = NULL;
	int rc = ks_json_parse(&doc, json, strlen(json), NULL);
	const char *why = rc == 0 ? ks_json_get_str(doc, "error", "no answer") : "no answer";
	int status = fail("no GPU can be used here: CUDA says \"%s\"; see 'nvidia-smi'", why);
	ks_json_free(doc);
	return status;
}

int ks_probe_cuda_devices(const char *library)
{
	devices_fn devices;
	char json[TEXT];
	void *handle = open_library(library);
	if (handle == NULL) {
		return fail("the library of the cuda target cannot be loaded: %s", dlerror());
	}
	if (!find(&devices, handle, "ks_cuda_devices")) {
		return fail("%s is not this version's: install kseek again", library);
	}
	if (devices(json, sizeof(json)) != 0) {
		return explain(json);
	}
	puts(json);
	return 0;
}

/* Number of the device, or -1. */
static int index_of(devices_fn devices, const char *uuid, char *json, size_t size)
{
	struct ks_json *doc = NULL;
	int found = -1;
	if (devices(json, size) != 0 || ks_json_parse(&doc, json, strlen(json), NULL) != 0) {
		return -1;
	}
	const struct ks_json *list = ks_json_get(doc, "devices");
	for (const struct ks_json *d = ks_json_first(list); d != NULL; d = ks_json_next(d)) {
		if (found < 0 && (uuid == NULL ||
				strcmp(ks_json_get_str(d, "uuid", ""), uuid) == 0)) {
			found = (int)ks_json_get_int(d, "i", -1);
		}
	}
	ks_json_free(doc);
	return found;
}

int ks_probe_cuda_print(const char *library, const char *uuid)
{
	devices_fn devices;
	probe_fn probe;
	char json[TEXT];
	void *handle = open_library(library);
	if (handle == NULL) {
		return fail("the library of the cuda target cannot be loaded: %s", dlerror());
	}
	if (!find(&devices, handle, "ks_cuda_devices") || !find(&probe, handle, "ks_cuda_probe")) {
		return fail("%s is not this version's: install kseek again", library);
	}
	json[0] = '\0';
	int device = index_of(devices, uuid, json, sizeof(json));
	if (device < 0) {
		return strstr(json, "\"error\"") != NULL ? explain(json) :
			fail("no GPU with UUID %s; see 'nvidia-smi -L'",
				uuid != NULL ? uuid : "(any)");
	}
	if (probe(device, json, sizeof(json)) != 0) {
		return explain(json);
	}
	puts(json);
	return 0;
}

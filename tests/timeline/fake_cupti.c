/*
 * Plays libcupti.so.13 without a GPU: fake_work makes launches, each a call of two
 * microseconds and, one microsecond later, a kernel of four; FlushAll hands their
 * records out as CUPTI does, in buffers that it asks for. FAKE_CUPTI_VERSION says
 * what version it claims to have.
 */
#include <cupti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP_NS 10000u

static struct {
	CUpti_BuffersCallbackRequestFunc request;
	CUpti_BuffersCallbackCompleteFunc complete;
	pthread_mutex_t lock;
	atomic_ulong made;
	unsigned long given;
	size_t lost;
	uint64_t origin;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((visibility("default"))) void fake_work(unsigned long launches);

void fake_work(unsigned long launches)
{
	struct timespec now;

	if (fake.origin == 0) {
		clock_gettime(CLOCK_REALTIME, &now);
		fake.origin = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	}
	atomic_fetch_add(&fake.made, launches);
}

CUptiResult CUPTIAPI
cuptiGetVersion(uint32_t *version)
{
	const char *text = getenv("FAKE_CUPTI_VERSION");

	*version = text != NULL ? (uint32_t)strtoul(text, NULL, 10) : CUPTI_API_VERSION;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
	CUpti_BuffersCallbackCompleteFunc complete)
{
	fake.request = request;
	fake.complete = complete;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiActivityEnable(CUpti_ActivityKind kind)
{
	(void)kind;
	return getenv("FAKE_CUPTI_REFUSES") != NULL ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiGetResultString(CUptiResult result, const char **words)
{
	(void)result;
	*words = "a reason";
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t enable)
{
	(void)id, (void)enable;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t enable)
{
	(void)id, (void)enable;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char **name)
{
	(void)id;
	*name = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "cudaLaunchKernel_ptsz_v7000" : "cuLaunch";
	return CUPTI_SUCCESS;
}

static void fill_pair(uint8_t *at, unsigned long i)
{
	uint64_t start = fake.origin + i * STEP_NS;
	CUpti_ActivityAPI call;
	CUpti_ActivityKernel10 kernel;

	memset(&call, 0, sizeof(call));
	memset(&kernel, 0, sizeof(kernel));
	call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
	call.cbid = 211;
	call.start = start;
	call.end = start + 2000;
	call.threadId = 1;
	call.correlationId = (uint32_t)i + 1;
	kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	kernel.start = start + 3000;
	kernel.end = start + 7000;
	kernel.streamId = 7;
	kernel.contextId = 1;
	kernel.correlationId = (uint32_t)i + 1;
	kernel.name = "_Z5scaleIfEvPT_i";
	memcpy(at, &call, sizeof(call));
	memcpy(at + sizeof(call), &kernel, sizeof(kernel));
}

CUptiResult CUPTIAPI
cuptiActivityFlushAll(uint32_t flag)
{
	const size_t pair = sizeof(CUpti_ActivityAPI) + sizeof(CUpti_ActivityKernel10);

	(void)flag;
	pthread_mutex_lock(&fake.lock);
	while (fake.given < atomic_load(&fake.made)) {
		uint8_t *buffer = NULL;
		size_t size = 0, records = 0, used = 0;
		fake.request(&buffer, &size, &records);
		if (buffer == NULL) {
			fake.lost += 2 * (atomic_load(&fake.made) - fake.given);
			fake.given = atomic_load(&fake.made);
			break;
		}
		for (; fake.given < atomic_load(&fake.made) && size - used >= pair; used += pair) {
			fill_pair(buffer + used, fake.given++);
		}
		fake.complete(NULL, 0, buffer, size, used);
	}
	pthread_mutex_unlock(&fake.lock);
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
	uint8_t *next = buffer;

	if (*record != NULL) {
		next = (uint8_t *)*record + ((*record)->kind == CUPTI_ACTIVITY_KIND_RUNTIME ?
			sizeof(CUpti_ActivityAPI) : sizeof(CUpti_ActivityKernel10));
	}
	if (next >= buffer + valid) {
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	}
	*record = (CUpti_Activity *)(void *)next;
	return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
	(void)context, (void)stream;
	*dropped = fake.lost;
	fake.lost = 0;
	return CUPTI_SUCCESS;
}

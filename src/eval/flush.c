/*
 * Cache line eviction for the processors we know. Links nothing but libc: the
 * worker uses it.
 */
#include "eval/flush.h"

#include <stdint.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

enum ks_flush ks_flush_kind(void)
{
	unsigned a, b, c, d;
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 23)) != 0) {
		return KS_FLUSH_OPT;
	}
	return KS_FLUSH_LINE; /* every x86-64 has clflush */
}

__attribute__((target("clflushopt"))) static void flush_opt(const char *p, const char *end)
{
	for (; p < end; p += 64) {
		_mm_clflushopt((void *)(uintptr_t)p);
	}
}

void ks_flush_range(enum ks_flush kind, const void *at, size_t len)
{
	const char *end = (const char *)at + len;
	const char *p = (const char *)((uintptr_t)at & ~(uintptr_t)63);
	if (kind == KS_FLUSH_OPT) {
		flush_opt(p, end);
	} else if (kind == KS_FLUSH_LINE) {
		for (; p < end; p += 64) {
			_mm_clflush(p);
		}
	}
}

void ks_flush_fence(void)
{
	_mm_mfence();
}

#elif defined(__aarch64__)

enum ks_flush ks_flush_kind(void)
{
	return KS_FLUSH_CIVAC;
}

void ks_flush_range(enum ks_flush kind, const void *at, size_t len)
{
	uint64_t ctr;
	__asm__ volatile("mrs %0, ctr_el0" : "=r"(ctr));
	uintptr_t line = (uintptr_t)4 << ((ctr >> 16) & 15);
	uintptr_t end = (uintptr_t)at + len;
	if (kind != KS_FLUSH_CIVAC) {
		return;
	}
	for (uintptr_t p = (uintptr_t)at & ~(line - 1); p < end; p += line) {
		__asm__ volatile("dc civac, %0" : : "r"(p) : "memory");
	}
}

void ks_flush_fence(void)
{
	__asm__ volatile("dsb sy; isb" : : : "memory");
}

#else

enum ks_flush ks_flush_kind(void)
{
	return KS_FLUSH_SWEEP;
}

void ks_flush_range(enum ks_flush kind, const void *at, size_t len)
{
	(void)kind, (void)at, (void)len;
}

void ks_flush_fence(void)
{
	__sync_synchronize();
}

#endif

const char *ks_flush_name(enum ks_flush kind)
{
	static const char *const names[] = {"none", "clflushopt", "clflush", "dc civac", "sweep"};
	return (unsigned)kind < 5 ? names[kind] : "none";
}

void ks_flush_sweep(volatile unsigned char *buffer, size_t len)
{
	for (size_t i = 0; i < len; i += 64) {
		buffer[i] = (unsigned char)(buffer[i] + 1);
	}
}

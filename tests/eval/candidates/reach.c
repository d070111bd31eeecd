#include <stdint.h>
#include <string.h>

/*
 * Reaches beyond its own memory, by system calls that need no library. REACH:
 * 1 a byte of the seed's code, 2 the seed's variables, 3 a new executable page,
 * 4 the seed's own speed.
 * VICTIM is how the seed's name begins: a worker loads a copy of it.
 */
static long call(long nr, long a, long b, long c, long d, long e)
{
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = 0;
	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10),
		"r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return ret;
}

static char text[65536];

static unsigned long hex(const char **at)
{
	unsigned long v = 0;
	for (;; (*at)++) {
		char c = **at;
		if (c >= '0' && c <= '9') {
			v = v * 16 + (unsigned long)(c - '0');
		} else if (c >= 'a' && c <= 'f') {
			v = v * 16 + (unsigned long)(c - 'a' + 10);
		} else {
			return v;
		}
	}
}

static long read_maps(void)
{
	long fd = call(257, -100, (long)"/proc/self/maps", 0, 0, 0), used = 0;
	while (fd >= 0 && used < (long)sizeof(text) - 1) {
		long n = call(0, fd, (long)(text + used), (long)sizeof(text) - 1 - used, 0, 0);
		if (n <= 0) {
			break;
		}
		used += n;
	}
	call(3, fd, 0, 0, 0, 0);
	text[used < 0 ? 0 : used] = 0;
	return used;
}

/* First mapping of VICTIM with these rights, and its end. */
static unsigned char *find(const char *rights, unsigned long *end)
{
	for (const char *line = text; line != NULL && *line != 0;) {
		const char *next = strchr(line, '\n'), *at = line;
		unsigned long start = hex(&at);
		at++;
		*end = hex(&at);
		const char *name = next;
		while (name != NULL && name > line && *name != '/') {
			name--;
		}
		if (name != NULL && memcmp(name, VICTIM, strlen(VICTIM)) == 0 &&
			memcmp(at + 1, rights, 4) == 0) {
			return (unsigned char *)start;
		}
		line = next != NULL ? next + 1 : NULL;
	}
	return NULL;
}

static void slow_down(unsigned char *at, unsigned long end)
{
	for (long *word = (long *)at; (unsigned long)(word + 1) < end; word++) {
		if (word[0] == 0x736c6f77736c6f77) {
			word[1] = 20;
		}
	}
}

static void reach(void)
{
#if REACH == 3
	call(9, 0, 4096, 5, 0x22, -1);
	(void)read_maps, (void)find, (void)slow_down;
#else
	unsigned long end = 0;
	if (text[0] == 0 && read_maps() <= 0) {
		return;
	}
	unsigned char *at = find(REACH == 1 ? "r-xp" : "rw-p", &end);
	if (at == NULL) {
		return;
	}
	if (REACH == 1 && call(10, (long)at, (long)(end - (unsigned long)at), 7, 0, 0) == 0) {
		((unsigned char *)end)[-1] ^= 1; /* behind the last function */
	} else if (REACH == 2) {
		((unsigned char *)end)[-1] ^= 1;
	} else if (REACH == 4) {
		slow_down(at, end);
	}
#endif
}

int blend(const float *x, const float *y, float *out, float *total, int64_t n, float alpha)
{
	static int done;
	if (!done || REACH == 2) {
		done = 1;
		reach();
	}
	double sum = 0;
	for (int64_t i = 0; i < n; i++) {
		double v = (double)alpha * x[i] + (double)y[i] * y[i];
		out[i] = (float)v;
		sum += v;
	}
	total[0] = (float)sum;
	return 0;
}

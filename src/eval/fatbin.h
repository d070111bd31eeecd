#ifndef KSEEK_EVAL_FATBIN_H
#define KSEEK_EVAL_FATBIN_H
/*
 * Device code inside a built CUDA kernel: the section .nv_fatbin, a row of
 * containers that each hold ELF objects of a GPU ("cubins") or PTX text. Every
 * length in there is foreign and is held against what is left. The layout is
 * that of fatbinary_section.h and of what nvcc writes; only what is not
 * compressed can be read (nvcc --compress-mode=none).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct ks_fatbin {
	char **names;        /* functions of the device, as their symbols are spelt */
	size_t nnames;
	unsigned containers, cubins, ptx;
	uint64_t code_bytes;
	bool compressed;     /* a part cannot be read for that */
	bool broken;         /* or for lengths and headers that contradict each other */
};

/* Reads a section; machine code and PTX go into `code`. */
void ks_fatbin_read(struct ks_fatbin *out, const unsigned char *bytes, size_t len,
	struct ks_hash *code);
void ks_fatbin_fini(struct ks_fatbin *fatbin);
/* Does a container, or an ELF object, begin somewhere in these bytes? */
bool ks_fatbin_hides(const unsigned char *bytes, size_t len);

#endif

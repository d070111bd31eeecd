#ifndef KSEEK_TESTS_FATBIN_SAMPLE_H
#define KSEEK_TESTS_FATBIN_SAMPLE_H
/* A container with one object of a GPU and one text, made by hand. */
#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

#define SAMPLE_TEXT_BYTES 64

static inline void sample_number(struct ks_buf *b, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++) {
		ks_buf_addc(b, i < 8 ? (char)(v >> (8 * i)) : 0);
	}
}

/* Sections: none, .shstrtab, .strtab, .symtab, .text.sample_kernel. */
static inline void sample_cubin(struct ks_buf *out)
{
	static const char names[] = "\0.shstrtab\0.strtab\0.symtab\0.text.sample_kernel";
	static const char symbols[] = "\0sample_kernel\0sample_helper";
	Elf64_Sym syms[3] = {{0}, {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = 4, .st_size = SAMPLE_TEXT_BYTES}, {.st_name = 15,
		.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 4}};
	uint64_t at = sizeof(Elf64_Ehdr);
	Elf64_Shdr heads[5] = {{0},
		{.sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof(names)},
		{.sh_name = 11, .sh_type = SHT_STRTAB, .sh_offset = at + sizeof(names),
			.sh_size = sizeof(symbols)},
		{.sh_name = 19, .sh_type = SHT_SYMTAB, .sh_link = 2, .sh_info = 1,
			.sh_entsize = sizeof(Elf64_Sym), .sh_size = sizeof(syms)},
		{.sh_name = 27, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
			.sh_size = SAMPLE_TEXT_BYTES}};
	at = (at + sizeof(names) + sizeof(symbols) + 7) / 8 * 8;
	heads[3].sh_offset = at;
	heads[4].sh_offset = at + sizeof(syms);
	at += sizeof(syms) + SAMPLE_TEXT_BYTES;
	Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC, .e_machine = 190, .e_version = EV_CURRENT, .e_shoff = at,
		.e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 5,
		.e_shstrndx = 1};
	size_t start = out->len;
	ks_buf_add(out, &head, sizeof(head));
	ks_buf_add(out, names, sizeof(names));
	ks_buf_add(out, symbols, sizeof(symbols));
	while ((out->len - start) % 8 != 0) {
		ks_buf_addc(out, '\0');
	}
	ks_buf_add(out, syms, sizeof(syms));
	for (int i = 0; i < SAMPLE_TEXT_BYTES; i++) {
		ks_buf_addc(out, (char)(i * 7 + 1));
	}
	ks_buf_add(out, heads, sizeof(heads));
}

static inline void sample_part(struct ks_buf *out, unsigned kind, uint64_t flags,
	const struct ks_buf *body)
{
	sample_number(out, kind, 2);
	sample_number(out, 0x101, 2);
	sample_number(out, 64, 4);
	sample_number(out, body->len, 8);
	sample_number(out, 0, 24);
	sample_number(out, flags, 8);
	sample_number(out, 0, 16);
	ks_buf_add(out, body->ptr, body->len);
}

/* flags: of the object's part, as nvcc sets them when it compresses. */
static inline void sample_container(struct ks_buf *out, uint64_t flags)
{
	struct ks_buf cubin = {0}, ptx = {0}, parts = {0};
	sample_cubin(&cubin);
	ks_buf_adds(&ptx, ".version 8.0\n.visible .entry ptx_kernel(\n.func (.param .b32 r) "
		"ptx_helper (\n");
	sample_part(&parts, 2, flags, &cubin);
	sample_part(&parts, 1, 0, &ptx);
	sample_number(out, 0xBA55ED50u, 4);
	sample_number(out, 1, 2);
	sample_number(out, 16, 2);
	sample_number(out, parts.len, 8);
	ks_buf_add(out, parts.ptr, parts.len);
	ks_buf_fini(&cubin);
	ks_buf_fini(&ptx);
	ks_buf_fini(&parts);
}

#endif

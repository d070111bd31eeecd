/* Reading device code; cubins by libelf. */
#include "eval/fatbin.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "base/mem.h"

#define MAGIC 0xBA55ED50u
#define NAMES_MAX 20000
#define NAME_MAX_LEN 4096
#define KIND_PTX 1
#define KIND_ELF 2
#define FLAGS_COMPRESSED 0xF000u /* LZ4 in older files, Zstandard in newer ones */
#define MACHINE_CUDA 190
#define HEAD_BYTES 16
#define PART_BYTES 64

static uint64_t number(const unsigned char *at, unsigned bytes)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes; i++) {
		v |= (uint64_t)at[i] << (8 * i);
	}
	return v;
}

static void add_name(struct ks_fatbin *f, const char *name, size_t len)
{
	if (len == 0 || len > NAME_MAX_LEN || f->nnames >= NAMES_MAX) {
		return;
	}
	f->names = ks_realloc(f->names, f->nnames + 1, sizeof(f->names[0]));
	f->names[f->nnames++] = ks_strndup(name, len);
}

void ks_fatbin_fini(struct ks_fatbin *f)
{
	for (size_t i = 0; i < f->nnames; i++) {
		free(f->names[i]);
	}
	free(f->names);
	*f = (struct ks_fatbin){.nnames = 0};
}

/* ---- cubins ---- */

static void read_functions(struct ks_fatbin *f, Elf *elf, Elf_Scn *scn, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data != NULL && head->sh_entsize > 0 ? data->d_size / head->sh_entsize : 0;
	for (size_t i = 1; i < n && i < NAMES_MAX; i++) {
		GElf_Sym sym;
		if (gelf_getsym(data, (int)i, &sym) == NULL) {
			break;
		}
		const char *name = elf_strptr(elf, head->sh_link, sym.st_name);
		unsigned type = GELF_ST_TYPE(sym.st_info);
		if (name != NULL && (type == STT_FUNC || sym.st_shndx == SHN_UNDEF)) {
			add_name(f, name, strlen(name));
		}
	}
}

static void read_cubin(struct ks_fatbin *f, Elf *elf, struct ks_hash *code)
{
	GElf_Ehdr head;
	size_t names = 0;
	if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &head) == NULL ||
		head.e_machine != MACHINE_CUDA || elf_getshdrstrndx(elf, &names) != 0) {
		f->broken = true;
		return;
	}
	f->cubins++;
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn != NULL; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr section;
		const char *name = gelf_getshdr(scn, &section) != NULL ?
			elf_strptr(elf, names, section.sh_name) : NULL;
		if (name == NULL) {
			continue;
		}
		if (section.sh_type == SHT_SYMTAB) {
			read_functions(f, elf, scn, &section);
		}
		bool text = strncmp(name, ".text.", 6) == 0;
		if (section.sh_type == SHT_NOBITS ||
			(!text && strncmp(name, ".nv.constant", 12) != 0)) {
			continue;
		}
		Elf_Data *data = elf_getdata(scn, NULL);
		if (data != NULL && data->d_buf != NULL) {
			ks_hash_add(code, data->d_buf, data->d_size);
			f->code_bytes += text ? data->d_size : 0;
		}
		if (text) {
			add_name(f, name + 6, strlen(name + 6));
		}
	}
}

/* libelf wants memory of its own. */
static void open_cubin(struct ks_fatbin *f, const unsigned char *at, size_t len,
	struct ks_hash *code)
{
	char *copy = ks_alloc(len + 1);
	memcpy(copy, at, len);
	Elf *elf = elf_memory(copy, len);
	if (elf == NULL) {
		f->broken = true;
	} else {
		read_cubin(f, elf, code);
	}
	elf_end(elf);
	free(copy);
}

/* ---- PTX ---- */

static bool is_word(unsigned char c)
{
	return c == '_' || c == '$' || c == '.' || (c >= '0' && c <= '9') ||
		((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Names behind .entry and .func. */
static void read_ptx(struct ks_fatbin *f, const unsigned char *at, size_t len,
	struct ks_hash *code)
{
	f->ptx++;
	f->code_bytes += len;
	ks_hash_add(code, at, len);
	for (size_t i = 0; i + 8 < len; i++) {
		size_t skip = memcmp(at + i, ".entry ", 7) == 0 ? 7 :
			memcmp(at + i, ".func ", 6) == 0 ? 6 : 0;
		if (skip == 0) {
			continue;
		}
		size_t from = i + skip, end;
		if (at[from] == '(') { /* .func (results) name */
			while (from < len && at[from] != ')') {
				from++;
			}
			from++;
		}
		while (from < len && (at[from] == ' ' || at[from] == '\t' || at[from] == '\n')) {
			from++;
		}
		for (end = from; end < len && is_word(at[end]); end++) {
		}
		if (end > from) {
			add_name(f, (const char *)at + from, end - from);
		}
	}
}

/* ---- containers ---- */

/* One part of a container; bytes that it takes, 0 at the end. */
static size_t read_part(struct ks_fatbin *f, const unsigned char *at, size_t left,
	struct ks_hash *code)
{
	if (left < PART_BYTES) {
		f->broken = f->broken || left > 0;
		return 0;
	}
	uint64_t kind = number(at, 2), head = number(at + 4, 4), size = number(at + 8, 8);
	uint64_t flags = number(at + 40, 8);
	if (head < PART_BYTES || head > left || size > left - head) {
		f->broken = true;
		return 0;
	}
	if ((flags & FLAGS_COMPRESSED) != 0) {
		f->compressed = true;
	} else if (kind == KIND_ELF) {
		open_cubin(f, at + head, size, code);
	} else if (kind == KIND_PTX) {
		read_ptx(f, at + head, size, code);
	} else {
		f->broken = true;
	}
	return head + size;
}

/* One container; bytes that it takes, 0 when there is none. */
static size_t read_container(struct ks_fatbin *f, const unsigned char *at, size_t left,
	struct ks_hash *code)
{
	if (left < HEAD_BYTES || number(at, 4) != MAGIC) {
		return 0;
	}
	uint64_t head = number(at + 6, 2), size = number(at + 8, 8);
	if (head < HEAD_BYTES || head > left || size > left - head) {
		f->broken = true;
		return 0;
	}
	f->containers++;
	for (size_t done = 0; done < size;) {
		size_t taken = read_part(f, at + head + done, size - done, code);
		if (taken == 0) {
			break;
		}
		done += taken;
	}
	return head + size;
}

void ks_fatbin_read(struct ks_fatbin *out, const unsigned char *bytes, size_t len,
	struct ks_hash *code)
{
	*out = (struct ks_fatbin){.nnames = 0};
	if (elf_version(EV_CURRENT) == EV_NONE) {
		out->broken = true;
		return;
	}
	for (size_t at = 0; at + 4 <= len;) {
		size_t taken = read_container(out, bytes + at, len - at, code);
		/* containers are aligned; nothing but zeros lies between */
		if (taken == 0 && bytes[at] != 0) {
			out->broken = true;
			return;
		}
		at += taken > 0 ? taken : 1;
	}
}

bool ks_fatbin_hides(const unsigned char *bytes, size_t len)
{
	for (size_t i = 0; i + 8 <= len; i++) {
		if (bytes[i] == 0x50 && number(bytes + i, 4) == MAGIC &&
				number(bytes + i + 4, 2) == 1) {
			return true;
		}
		if (bytes[i] == 0x7f && memcmp(bytes + i, ELFMAG, SELFMAG) == 0 &&
			(bytes[i + 4] == ELFCLASS32 || bytes[i + 4] == ELFCLASS64) &&
			bytes[i + 5] == ELFDATA2LSB && bytes[i + 6] == EV_CURRENT) {
			return true;
		}
	}
	return false;
}

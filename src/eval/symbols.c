/* Reading a shared object with libelf (fatbin.c reads what lies inside in the same way). */
#include "eval/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"
#include "eval/fatbin.h"

#define NAMES_MAX 50000
#define ENTRIES_MAX 256 /* of the loader's table */
#define BYTES_MAX ((uint64_t)32 << 20)
#define WRAPPER_BYTES 24 /* of .nvFatBinSegment for each compiled file */

/* What is found out in a first pass over the sections, for the second. */
struct reading {
	struct ks_binary *bin;
	Elf *elf;
	struct ks_hash *code;
	Elf_Scn *symbols;         /* the full table, or NULL */
	uint64_t init_at, init_bytes;
	GElf_Dyn table[ENTRIES_MAX]; /* what the loader is told ... */
	size_t entries;
	GElf_Shdr told;              /* ... and where it lies */
};

/* ---- reading ---- */

static void add_name(char ***list, size_t *count, const char *name)
{
	if (name == NULL || name[0] == '\0') {
		return;
	}
	*list = ks_realloc(*list, *count + 1, sizeof(**list));
	(*list)[(*count)++] = ks_strdup(name);
}

static void read_symbols(struct ks_binary *bin, Elf *elf, Elf_Scn *scn, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	if (data == NULL || head->sh_entsize == 0) {
		return;
	}
	size_t n = head->sh_size / head->sh_entsize;
	if (n > NAMES_MAX) {
		bin->too_many = true;
		return;
	}
	for (size_t i = 1; i < n; i++) {
		GElf_Sym sym;
		if (gelf_getsym(data, (int)i, &sym) == NULL) {
			break;
		}
		const char *name = elf_strptr(elf, head->sh_link, sym.st_name);
		if (GELF_ST_TYPE(sym.st_info) == STT_GNU_IFUNC) {
			snprintf(bin->load_code, sizeof(bin->load_code), "an ifunc resolver");
		}
		if (head->sh_type == SHT_SYMTAB) {
			bool local = GELF_ST_BIND(sym.st_info) == STB_LOCAL &&
				GELF_ST_TYPE(sym.st_info) == STT_FUNC;
			if (local || GELF_ST_VISIBILITY(sym.st_other) == STV_HIDDEN) {
				add_name(&bin->locals, &bin->nlocals, name);
			}
		} else if (sym.st_shndx == SHN_UNDEF) {
			add_name(&bin->imports, &bin->nimports, name);
		} else {
			add_name(&bin->exports, &bin->nexports, name);
		}
	}
}

/* Of two entries with one tag the loader takes the second. */
static void keep_entry(struct reading *r, const GElf_Dyn *dyn)
{
	bool list = dyn->d_tag == DT_NEEDED || dyn->d_tag == DT_AUXILIARY ||
		dyn->d_tag == DT_FILTER;
	for (size_t i = 0; i < r->entries && !list; i++) {
		r->bin->own_table = r->bin->own_table || r->table[i].d_tag == dyn->d_tag;
	}
	if (r->entries == ENTRIES_MAX) {
		r->bin->own_table = true;
		return;
	}
	r->table[r->entries++] = *dyn;
}

static void read_dynamic(struct reading *r, Elf_Scn *scn, const GElf_Shdr *head)
{
	struct ks_binary *bin = r->bin;
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data != NULL && head->sh_entsize > 0 ? head->sh_size / head->sh_entsize : 0;
	r->told = *head;
	for (size_t i = 0; i < n; i++) {
		GElf_Dyn dyn;
		if (gelf_getdyn(data, (int)i, &dyn) == NULL || dyn.d_tag == DT_NULL) {
			break;
		}
		keep_entry(r, &dyn);
		switch (dyn.d_tag) {
		case DT_NEEDED:
		case DT_AUXILIARY:
		case DT_FILTER:
			add_name(&bin->needed, &bin->nneeded,
				elf_strptr(r->elf, head->sh_link, dyn.d_un.d_val));
			break;
		case DT_INIT_ARRAY:
			r->init_at = dyn.d_un.d_ptr;
			break;
		case DT_INIT_ARRAYSZ:
			r->init_bytes = dyn.d_un.d_val;
			break;
		case DT_INIT:
		case DT_PREINIT_ARRAY:
			snprintf(bin->load_code, sizeof(bin->load_code), "a constructor");
			break;
		case DT_RPATH:
		case DT_RUNPATH:
			bin->search_path = true;
			break;
		case DT_TEXTREL:
			bin->text_relocations = true;
			break;
		case DT_FLAGS:
			bin->text_relocations = bin->text_relocations ||
				(dyn.d_un.d_val & DF_TEXTREL) != 0;
			break;
		default:
			break;
		}
	}
}

/* What nvcc calls the function that registers the kernels of a file. */
static bool is_registering(const struct reading *r, uint64_t at)
{
	GElf_Shdr head;
	if (r->symbols == NULL || gelf_getshdr(r->symbols, &head) == NULL) {
		return false;
	}
	Elf_Data *data = elf_getdata(r->symbols, NULL);
	size_t n = data != NULL && head.sh_entsize > 0 ? head.sh_size / head.sh_entsize : 0;
	for (size_t i = 1; i < n && i < 100 * (size_t)NAMES_MAX; i++) {
		GElf_Sym sym;
		if (gelf_getsym(data, (int)i, &sym) == NULL) {
			break;
		}
		const char *name = elf_strptr(r->elf, head.sh_link, sym.st_name);
		if (sym.st_value == at && GELF_ST_TYPE(sym.st_info) == STT_FUNC && name != NULL &&
			GELF_ST_BIND(sym.st_info) == STB_LOCAL &&
			(strcmp(name, "_ZL24__sti____cudaRegisterAllv") == 0 ||
			strcmp(name, "__sti____cudaRegisterAll") == 0)) {
			return true;
		}
	}
	return false;
}

static void read_relocations(const struct reading *r, Elf_Scn *scn, const GElf_Shdr *head)
{
	struct ks_binary *bin = r->bin;
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data != NULL && head->sh_entsize > 0 ? head->sh_size / head->sh_entsize : 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Rela rela;
		if (gelf_getrela(data, (int)i, &rela) == NULL) {
			break;
		}
		uint64_t type = GELF_R_TYPE(rela.r_info);
		if (type == R_X86_64_IRELATIVE || type == R_AARCH64_IRELATIVE) {
			snprintf(bin->load_code, sizeof(bin->load_code), "an ifunc resolver");
		}
		bin->own_table = bin->own_table || (rela.r_offset >= r->told.sh_addr &&
			rela.r_offset - r->told.sh_addr < r->told.sh_size);
		bool relative = type == R_X86_64_RELATIVE || type == R_AARCH64_RELATIVE;
		if (relative && rela.r_offset >= r->init_at &&
			rela.r_offset - r->init_at < r->init_bytes) {
			bin->registering += is_registering(r, (uint64_t)rela.r_addend);
		}
	}
}

static void read_device_code(struct reading *r, const Elf_Data *data)
{
	struct ks_fatbin fatbin;
	struct ks_binary *bin = r->bin;
	ks_fatbin_read(&fatbin, data->d_buf, data->d_size, r->code);
	for (size_t i = 0; i < fatbin.nnames; i++) {
		add_name(&bin->kernels, &bin->nkernels, fatbin.names[i]);
	}
	bin->code_bytes += fatbin.code_bytes;
	if (fatbin.compressed || fatbin.broken) {
		snprintf(bin->hidden, sizeof(bin->hidden), "%s", fatbin.compressed ?
			"compressed device code" : "device code that contradicts itself");
	}
	ks_fatbin_fini(&fatbin);
}

static bool is_device_code(const char *name)
{
	return strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0;
}

/* Bytes that are mapped: machine code and constants for the hash, and nothing in
 * them that is a program of its own. */
static void read_bytes(struct reading *r, Elf_Scn *scn, const char *name, const GElf_Shdr *head)
{
	struct ks_binary *bin = r->bin;
	bool exec = (head->sh_flags & SHF_EXECINSTR) != 0;
	Elf_Data *data = elf_getdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL) {
		return;
	}
	if (is_device_code(name)) {
		read_device_code(r, data);
		return;
	}
	if (ks_fatbin_hides(data->d_buf, data->d_size)) {
		snprintf(bin->hidden, sizeof(bin->hidden), "a program inside %.32s", name);
	}
	if (exec || strncmp(name, ".rodata", 7) == 0) {
		ks_hash_add(r->code, data->d_buf, data->d_size);
		bin->code_bytes += exec ? data->d_size : 0;
	}
}

static void read_section(struct reading *r, Elf_Scn *scn, const char *name)
{
	struct ks_binary *bin = r->bin;
	GElf_Shdr head;
	if (gelf_getshdr(scn, &head) == NULL) {
		return;
	}
	if (head.sh_type == SHT_DYNSYM || head.sh_type == SHT_SYMTAB) {
		r->symbols = head.sh_type == SHT_SYMTAB ? scn : r->symbols;
		read_symbols(bin, r->elf, scn, &head);
	} else if (head.sh_type == SHT_DYNAMIC) {
		read_dynamic(r, scn, &head);
	} else if (head.sh_type == SHT_INIT_ARRAY) {
		bin->at_load += (unsigned)(head.sh_size / sizeof(void *));
	} else if (head.sh_type == SHT_PREINIT_ARRAY || strncmp(name, ".ctors", 6) == 0) {
		snprintf(bin->load_code, sizeof(bin->load_code), "a constructor");
	} else if (head.sh_type == SHT_PROGBITS && (head.sh_flags & SHF_ALLOC) != 0) {
		bin->units += strcmp(name, ".nvFatBinSegment") == 0 ?
			(unsigned)(head.sh_size / WRAPPER_BYTES) : 0;
		read_bytes(r, scn, name, &head);
	}
}

static uint64_t entry_of(const struct reading *r, int64_t tag)
{
	for (size_t i = 0; i < r->entries; i++) {
		if (r->table[i].d_tag == tag) {
			return r->table[i].d_un.d_val;
		}
	}
	return 0;
}

/* The read-only section of a type that lies at an address. */
static bool section_at(GElf_Shdr *out, const struct reading *r, uint32_t type, uint64_t at)
{
	for (Elf_Scn *scn = elf_nextscn(r->elf, NULL); scn != NULL;
		scn = elf_nextscn(r->elf, scn)) {
		if (gelf_getshdr(scn, out) != NULL && out->sh_type == type &&
			(out->sh_flags & (SHF_ALLOC | SHF_WRITE)) == SHF_ALLOC &&
			out->sh_addr == at) {
			return true;
		}
	}
	return false;
}

/* Relocations that the loader makes are those of the sections, one behind the other. */
static bool are_sections(const struct reading *r, int64_t tag, int64_t size_tag)
{
	uint64_t at = entry_of(r, tag), left = entry_of(r, size_tag);
	while (left > 0) {
		GElf_Shdr head;
		if (!section_at(&head, r, SHT_RELA, at) || head.sh_size == 0 ||
			head.sh_size > left || head.sh_entsize != sizeof(Elf64_Rela)) {
			return false;
		}
		at += head.sh_size;
		left -= head.sh_size;
	}
	return true;
}

/* So are its symbols, with their names. */
static bool are_symbols(const struct reading *r)
{
	GElf_Shdr head, names;
	return section_at(&head, r, SHT_DYNSYM, entry_of(r, DT_SYMTAB)) &&
		head.sh_entsize == sizeof(Elf64_Sym) &&
		gelf_getshdr(elf_getscn(r->elf, head.sh_link), &names) != NULL &&
		names.sh_addr == entry_of(r, DT_STRTAB);
}

/* The segment that the loader finds its table by. */
static bool is_told(const struct reading *r)
{
	size_t n = 0, found = 0;
	elf_getphdrnum(r->elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr head;
		if (gelf_getphdr(r->elf, (int)i, &head) != NULL && head.p_type == PT_DYNAMIC) {
			found += head.p_vaddr == r->told.sh_addr &&
				head.p_offset == r->told.sh_offset ? 1 : 2;
		}
	}
	return found == 1;
}

/* The loader goes by its table, we by sections. A source can write into the table. */
static bool table_agrees(const struct reading *r)
{
	return is_told(r) && are_symbols(r) && are_sections(r, DT_RELA, DT_RELASZ) &&
		are_sections(r, DT_JMPREL, DT_PLTRELSZ) && entry_of(r, DT_REL) == 0;
}

/* A second pass: relocations say what the table of functions points to. */
static void read_again(struct reading *r)
{
	unsigned entries = (unsigned)(r->init_bytes / sizeof(void *));
	r->bin->at_load = entries > r->bin->at_load ? entries : r->bin->at_load;
	for (Elf_Scn *scn = elf_nextscn(r->elf, NULL); scn != NULL;
		scn = elf_nextscn(r->elf, scn)) {
		GElf_Shdr head;
		if (gelf_getshdr(scn, &head) != NULL && head.sh_type == SHT_RELA) {
			read_relocations(r, scn, &head);
		}
	}
	r->bin->own_table = r->bin->own_table || !table_agrees(r);
}

static void read_segments(struct ks_binary *bin, Elf *elf)
{
	size_t n = 0;
	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr head;
		if (gelf_getphdr(elf, (int)i, &head) == NULL) {
			continue;
		}
		bool exec = (head.p_flags & PF_X) != 0, load = head.p_type == PT_LOAD;
		bin->wants_exec_stack |= head.p_type == PT_GNU_STACK && exec;
		bin->writable_code |= load && exec && (head.p_flags & PF_W) != 0;
		bin->file_bytes += load ? head.p_filesz : 0;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_elf(struct ks_binary *bin, Elf *elf, const char *path, struct ks_err *err)
{
	GElf_Ehdr head;
	size_t names = 0;
	if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &head) == NULL ||
		head.e_type != ET_DYN || elf_getshdrstrndx(elf, &names) != 0) {
		return ks_err_set(err, KS_EINVAL, "%s is not a shared object", path);
	}
	struct ks_hash *code = ks_hash_new();
	struct reading r = {.bin = bin, .elf = elf, .code = code};
	for (Elf_Scn *scn = elf_nextscn(elf, NULL); scn != NULL; scn = elf_nextscn(elf, scn)) {
		GElf_Shdr section;
		const char *name = gelf_getshdr(scn, &section) != NULL ?
			elf_strptr(elf, names, section.sh_name) : NULL;
		read_section(&r, scn, name != NULL ? name : "");
	}
	read_again(&r);
	read_segments(bin, elf);
	ks_hash_peek(code, bin->code_hash);
	ks_hash_free(code);
	if (bin->nimports > 1) {
		qsort(bin->imports, bin->nimports, sizeof(bin->imports[0]), by_name);
	}
	return 0;
}

int ks_binary_load(struct ks_binary *bin, const char *path, struct ks_err *err)
{
	*bin = (struct ks_binary){.nimports = 0};
	if (elf_version(EV_CURRENT) == EV_NONE) {
		return ks_err_set(err, KS_EUNSUPPORTED, "libelf is too old");
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return ks_err_sys(err, errno, "cannot open %s", path);
	}
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	int code = elf == NULL ? ks_err_set(err, KS_EINVAL, "%s is not a shared object", path) :
		read_elf(bin, elf, path, err);
	elf_end(elf);
	close(fd);
	if (code != 0) {
		ks_binary_fini(bin);
	}
	return code;
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(names[i]);
	}
	free(names);
}

void ks_binary_fini(struct ks_binary *bin)
{
	free_names(bin->imports, bin->nimports);
	free_names(bin->needed, bin->nneeded);
	free_names(bin->exports, bin->nexports);
	free_names(bin->locals, bin->nlocals);
	free_names(bin->kernels, bin->nkernels);
	*bin = (struct ks_binary){.nimports = 0};
}

/* A kernel that defines one of CUDA's own functions would be called in its place
 * by what nvcc makes. */
static bool is_cudas(const char *name)
{
	return strncmp(name, "__cuda", 6) == 0 || strncmp(name, "__cxa_", 6) == 0 ||
		(strncmp(name, "cuda", 4) == 0 && name[4] >= 'A' && name[4] <= 'Z') ||
		(strncmp(name, "cu", 2) == 0 && name[2] >= 'A' && name[2] <= 'Z');
}

int ks_binary_check_imports(const struct ks_binary *bin, unsigned may, struct ks_err *err)
{
	if (bin->too_many) {
		return ks_err_set(err, KS_EDENIED, "has more than %d names", NAMES_MAX);
	}
	for (size_t i = 0; i < bin->nneeded; i++) {
		if (!ks_object_allowed(bin->needed[i], may)) {
			return ks_err_set(err, KS_EDENIED,
				"needs the library %s, which a kernel may not", bin->needed[i]);
		}
	}
	for (size_t i = 0; i < bin->nimports; i++) {
		if (!ks_symbol_allowed(bin->imports[i], may)) {
			bool parallel = ks_symbol_allowed(bin->imports[i], may | KS_MAY_THREADS);
			return ks_err_set(err, KS_EDENIED, "imports %s, which a kernel may not%s",
				bin->imports[i],
				parallel ? " (the campaign allows one thread)" : "");
		}
	}
	for (size_t i = 0; (may & KS_MAY_CUDA) != 0 && i < bin->nexports; i++) {
		if (is_cudas(bin->exports[i])) {
			return ks_err_set(err, KS_EDENIED, "defines %s, which belongs to a library",
				bin->exports[i]);
		}
	}
	return 0;
}

int ks_binary_check_load(const struct ks_binary *bin, unsigned may, struct ks_err *err)
{
	bool registers = (may & KS_MAY_CUDA) != 0 && bin->registering == bin->at_load &&
		bin->at_load <= bin->units;
	if (bin->load_code[0] != '\0' || (bin->at_load > 0 && !registers)) {
		return ks_err_set(err, KS_EDENIED, "has code that runs while it is loaded (%s)",
			bin->load_code[0] != '\0' ? bin->load_code : "a constructor");
	}
	if (bin->own_table) {
		return ks_err_set(err, KS_EDENIED, "changes what the loader is told about it");
	}
	if (bin->writable_code) {
		return ks_err_set(err, KS_EDENIED, "has code that can be written");
	}
	if (bin->search_path || bin->text_relocations || bin->wants_exec_stack) {
		return ks_err_set(err, KS_EDENIED, "%s", bin->search_path ?
			"brings a search path for libraries" : bin->text_relocations ?
			"needs its code to be writable" : "needs an executable stack");
	}
	return 0;
}

int ks_binary_check_embedded(const struct ks_binary *bin, struct ks_err *err)
{
	if (bin->file_bytes > BYTES_MAX) {
		return ks_err_set(err, KS_EDENIED,
			"holds %llu MB, and no more than %llu can be watched",
			(unsigned long long)(bin->file_bytes >> 20),
			(unsigned long long)(BYTES_MAX >> 20));
	}
	return bin->hidden[0] == '\0' ? 0 :
		ks_err_set(err, KS_EDENIED, "holds %s, which cannot be read", bin->hidden);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* As the goal's clauses read names: "cute" is in "_ZN4cute6TensorE", "libcute.so"
 * and "cuteInit", not in "execute" or "cuteness". */
static bool speaks_of(const char *name, const char *word)
{
	size_t len = strlen(word);
	for (const char *at = strcasestr(name, word); at != NULL && len > 0;
		at = strcasestr(at + 1, word)) {
		bool starts = at == name || !is_letter(at[-1]) ||
			(at - name >= 3 && strncasecmp(at - 3, "lib", 3) == 0);
		if (starts && !(at[len] >= 'a' && at[len] <= 'z')) {
			return true;
		}
	}
	return false;
}

const char *ks_binary_mentions(const struct ks_binary *bin, const char *word)
{
	char *const *lists[] = {bin->needed, bin->imports, bin->exports, bin->locals, bin->kernels};
	const size_t counts[] = {bin->nneeded, bin->nimports, bin->nexports, bin->nlocals,
		bin->nkernels};
	for (int l = 0; l < 5; l++) {
		for (size_t i = 0; i < counts[l]; i++) {
			if (speaks_of(lists[l][i], word)) {
				return lists[l][i];
			}
		}
	}
	return NULL;
}

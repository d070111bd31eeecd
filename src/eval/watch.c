/*
 * Regions come from /proc/PID/maps. A region is kept when it is readable, not
 * writable and belongs to a file or to the vdso. Libraries are told apart by
 * device and inode, since a path can look different from another namespace.
 */
#include "eval/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define REGIONS_MAX 4096
#define NAME_MAX_SHOWN 120
#define KEEP_MAX ((uint64_t)96 << 20) /* a candidate has less (symbols.c) */
#define REST_TRIES 2000
#define REST_US 500
#define HOME_BELOW 4096 /* of stack that the worker's own functions may take there */
#define HOME_ABOVE 64
#define OF_KERNEL ((ino_t)-1) /* the vdso */
#define SEED_DATA_MAX ((uint64_t)256 << 10)

struct region {
	uint64_t start, end;
	char prot[5];
	uint64_t dev, inode;
	char name[NAME_MAX_SHOWN];
	size_t copy_at; /* in watch.copy */
};

struct list {
	struct region *items;
	size_t count, cap;
};

struct ks_watch {
	pid_t pid;
	int mem;
	bool gpu;
	struct list kept;
	struct list known; /* all that was mapped at the start */
	unsigned char *copy;
	unsigned char *scratch; /* as large as the largest region */
	uint64_t largest;
	struct variables { /* writable segment of seed and candidate */
		uint64_t start, len;
		unsigned char *before, *after;
		bool marked;
	} libs[2];
	uint64_t rest_sp, rest_pc; /* where the worker sleeps; 0: not known */
	ino_t kernels[2], program; /* of seed and candidate; of the worker  */
	struct settled {
		int maps;             /* /proc/PID/maps, 0: not open */
		struct ks_buf lines;  /* of what has its place */
		struct list tables;   /* what is compared by content */
		unsigned char *copy;
	} settled;
};

static bool parse_line(struct region *r, struct ks_str line)
{
	char text[512];
	unsigned major_no, minor_no;
	int used = 0;
	size_t n = line.len < sizeof(text) - 1 ? line.len : sizeof(text) - 1;
	memcpy(text, line.ptr, n);
	text[n] = '\0';
	*r = (struct region){.start = 0};
	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64 " %n", &r->start,
		&r->end, r->prot, &major_no, &minor_no, &r->inode, &used) < 6) {
		return false;
	}
	r->dev = makedev(major_no, minor_no);
	snprintf(r->name, sizeof(r->name), "%.*s", NAME_MAX_SHOWN - 1, text + used);
	return true;
}

static void read_open(struct ks_buf *out, int fd)
{
	char chunk[8192];
	off_t at = 0;
	for (ssize_t n = 1; n > 0; at += n) {
		n = pread(fd, chunk, sizeof(chunk), at);
		ks_buf_add(out, chunk, n > 0 ? (size_t)n : 0);
	}
}

static int read_all(struct ks_buf *out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return -errno;
	}
	read_open(out, fd);
	close(fd);
	return 0;
}

static int read_maps(struct list *out, pid_t pid, struct ks_err *err)
{
	char path[64];
	struct ks_buf text = {0};
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	int sys = read_all(&text, path);
	if (sys != 0) {
		ks_buf_fini(&text);
		return ks_err_sys(err, -sys, "cannot read %s", path);
	}
	struct ks_str rest = ks_buf_str(&text), line;
	out->count = 0;
	while (ks_str_next(&rest, '\n', &line) && out->count < REGIONS_MAX) {
		struct region r;
		if (parse_line(&r, line)) {
			ks_grow(&out->items, &out->cap, out->count + 1, sizeof(out->items[0]));
			out->items[out->count++] = r;
		}
	}
	ks_buf_fini(&text);
	return 0;
}

static bool is_shared_memory(const struct region *r)
{
	return strncmp(r->name, "/memfd:", 7) == 0;
}

/* Code and constants: what the check compares. */
static bool is_fixed(const struct region *r)
{
	if (r->prot[0] != 'r' || r->prot[1] == 'w' || is_shared_memory(r)) {
		return false;
	}
	return r->inode != 0 || strcmp(r->name, "[vdso]") == 0;
}

static bool read_mem(const struct ks_watch *w, uint64_t at, uint64_t len, unsigned char *into)
{
	while (len > 0) {
		ssize_t n = pread(w->mem, into, len, (off_t)at);
		if (n <= 0) {
			return false;
		}
		at += (uint64_t)n;
		into += n;
		len -= (uint64_t)n;
	}
	return true;
}

/* Bytes of address space that a library takes, from its program headers; 0 where
 * they cannot be read. */
static uint64_t span_of(const char *lib)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), end = 0;
	int fd = open(lib, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return 0;
	}
	if (pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
		memcmp(head.e_ident, ELFMAG, SELFMAG) == 0) {
		for (unsigned i = 0; i < head.e_phnum; i++) {
			off_t at = (off_t)(head.e_phoff + i * (uint64_t)head.e_phentsize);
			if (pread(fd, &part, sizeof(part), at) == (ssize_t)sizeof(part) &&
				part.p_type == PT_LOAD && part.p_vaddr + part.p_memsz > end) {
				end = part.p_vaddr + part.p_memsz;
			}
		}
	}
	close(fd);
	return (end + page - 1) / page * page;
}

/* A library's writable segment and the anonymous pages that continue it. Other
 * mappings may lie right behind: the library's own size says where it ends. */
static void find_variables(struct variables *v, const struct list *all, const char *lib)
{
	struct stat st;
	if (lib == NULL || stat(lib, &st) != 0) {
		return;
	}
	uint64_t end = 0; /* of what belongs to the library so far */
	uint64_t limit = 0;
	for (size_t i = 0; i < all->count; i++) {
		const struct region *r = &all->items[i];
		bool file = r->inode == (uint64_t)st.st_ino;
		if (file && limit == 0) {
			uint64_t span = span_of(lib);
			limit = span > 0 ? r->start + span : UINT64_MAX;
		}
		bool more = end != 0 && r->start == end && r->start < limit && r->inode == 0 &&
			r->name[0] == '\0';
		if ((file || more) && r->prot[1] == 'w') {
			v->start = v->start == 0 ? r->start : v->start;
			v->len = (r->end < limit ? r->end : limit) - v->start;
		}
		end = file ? r->end : end;
	}
	v->len = v->len > SEED_DATA_MAX ? SEED_DATA_MAX : v->len;
	if (v->len > 0) {
		v->before = ks_alloc(v->len);
		v->after = ks_alloc(v->len);
	}
}

static ino_t inode_of(const char *path)
{
	struct stat st;
	return path != NULL && stat(path, &st) == 0 ? st.st_ino : 0;
}

/* Of the GPU's driver: libcuda, its compilers, and the device files. Code there
 * cannot be changed while no memory becomes executable. */
static bool is_driver(const struct ks_watch *w, const struct region *r)
{
	const char *slash = strrchr(r->name, '/');
	return w->gpu && (strncmp(r->name, "/dev/", 5) == 0 ||
		strncmp(r->name, "anon_inode:", 11) == 0 || (slash != NULL &&
		(strncmp(slash, "/libcuda.so", 11) == 0 ||
		strncmp(slash, "/libnvidia-", 11) == 0)));
}

static void keep_fixed(struct ks_watch *w, const struct list *all)
{
	for (size_t i = 0; i < all->count; i++) {
		if (is_fixed(&all->items[i]) && !is_driver(w, &all->items[i])) {
			ks_grow(&w->kept.items, &w->kept.cap, w->kept.count + 1,
				sizeof(w->kept.items[0]));
			w->kept.items[w->kept.count++] = all->items[i];
		}
	}
}

static int copy_fixed(struct ks_watch *w, struct ks_err *err)
{
	uint64_t total = 0;
	for (size_t i = 0; i < w->kept.count; i++) {
		struct region *r = &w->kept.items[i];
		r->copy_at = total;
		total += r->end - r->start;
		w->largest = r->end - r->start > w->largest ? r->end - r->start : w->largest;
	}
	if (total == 0 || total > KEEP_MAX) {
		return ks_err_set(err, KS_ELIMIT, "worker: %llu bytes of code are loaded",
			(unsigned long long)total);
	}
	w->copy = ks_alloc(total);
	w->scratch = ks_alloc(w->largest);
	for (size_t i = 0; i < w->kept.count; i++) {
		const struct region *r = &w->kept.items[i];
		if (!read_mem(w, r->start, r->end - r->start, w->copy + r->copy_at)) {
			return ks_err_sys(err, errno, "cannot read the worker's %s", r->name);
		}
	}
	return 0;
}

int ks_watch_new(struct ks_watch **out, pid_t pid, const char *seed, const char *candidate,
	bool gpu, struct ks_err *err)
{
	char path[64];
	struct list all = {0};
	struct ks_watch *w = ks_zalloc(1, sizeof(*w));
	w->pid = pid;
	w->gpu = gpu;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	w->mem = open(path, O_RDONLY | O_CLOEXEC);
	int code = w->mem < 0 ? ks_err_sys(err, errno, "cannot open %s", path) : 0;
	code = code != 0 ? code : read_maps(&all, pid, err);
	if (code == 0) {
		keep_fixed(w, &all);
		find_variables(&w->libs[0], &all, seed);
		find_variables(&w->libs[1], &all, candidate);
		w->kernels[0] = inode_of(seed);
		w->kernels[1] = inode_of(candidate);
		code = copy_fixed(w, err);
	}
	w->known = all; /* given */
	if (code != 0) {
		ks_watch_free(w);
		return code;
	}
	*out = w;
	return 0;
}

void ks_watch_free(struct ks_watch *w)
{
	if (w == NULL) {
		return;
	}
	if (w->mem >= 0) {
		close(w->mem);
	}
	if (w->settled.maps > 0) {
		close(w->settled.maps);
	}
	ks_buf_fini(&w->settled.lines);
	free(w->settled.tables.items);
	free(w->settled.copy);
	free(w->kept.items);
	free(w->known.items);
	free(w->copy);
	free(w->scratch);
	for (int i = 0; i < 2; i++) {
		free(w->libs[i].before);
		free(w->libs[i].after);
	}
	free(w);
}

static int check_text(struct ks_watch *w, struct ks_err *err)
{
	for (size_t i = 0; i < w->kept.count; i++) {
		const struct region *r = &w->kept.items[i];
		uint64_t len = r->end - r->start;
		if (!read_mem(w, r->start, len, w->scratch)) {
			return ks_err_set(err, KS_EIO, "made code unreadable (%s)", r->name);
		}
		if (memcmp(w->scratch, w->copy + r->copy_at, len) != 0) {
			return ks_err_set(err, KS_EDENIED,
				"changed code or constants in the process (%s)", r->name);
		}
	}
	return 0;
}

static bool was_there(const struct ks_watch *w, const struct region *r)
{
	const struct list *list = w->gpu ? &w->known : &w->kept;
	for (size_t i = 0; i < list->count; i++) {
		const struct region *k = &list->items[i];
		if (w->gpu && k->prot[2] != 'x') {
			continue;
		}
		if (k->inode == r->inode && k->dev == r->dev && k->start <= r->start &&
			k->end >= r->end) {
			return true;
		}
	}
	return false;
}

/* New: something executable, or a file that was not mapped at the start. */
static bool is_new(const struct ks_watch *w, const struct region *r)
{
	if (r->prot[2] == 'x') {
		return strcmp(r->name, "[vsyscall]") != 0 && !was_there(w, r);
	}
	if (r->inode == 0 || is_shared_memory(r) || is_driver(w, r)) {
		return false;
	}
	for (size_t i = 0; i < w->known.count; i++) {
		if (w->known.items[i].inode == r->inode && w->known.items[i].dev == r->dev) {
			return false;
		}
	}
	return true;
}

static int check_maps(struct ks_watch *w, struct ks_err *err)
{
	struct list now = {0};
	int code = read_maps(&now, w->pid, err);
	for (size_t i = 0; code == 0 && i < now.count; i++) {
		if (is_new(w, &now.items[i])) {
			code = ks_err_set(err, KS_EDENIED, "mapped something new: %s %s",
				now.items[i].prot,
				now.items[i].name[0] ? now.items[i].name : "(memory)");
		}
	}
	if (code == 0 && now.count == REGIONS_MAX) {
		code = ks_err_set(err, KS_EDENIED, "mapped more than %d places", REGIONS_MAX);
	}
	free(now.items);
	return code;
}

int ks_watch_check(struct ks_watch *w, unsigned what, struct ks_err *err)
{
	int code = 0;
	if ((what & KS_WATCH_MAPS) != 0) {
		code = check_maps(w, err);
	}
	if (code == 0 && (what & KS_WATCH_TEXT) != 0) {
		code = check_text(w, err);
	}
	return code;
}

/* The last two numbers of /proc/PID/syscall: stack pointer and program counter. */
static int read_place(const struct ks_watch *w, uint64_t *sp, uint64_t *pc)
{
	char path[64], text[256] = {0};
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)w->pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return KS_EUNSUPPORTED;
	}
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0) {
		return KS_EUNSUPPORTED;
	}
	unsigned long long s, p;
	if (sscanf(text, "-1 %llx %llx", &s, &p) != 2 && /* stopped outside of any call */
		sscanf(text, "%*s %*s %*s %*s %*s %*s %*s %llx %llx", &s, &p) != 2) {
		return KS_EBUSY; /* "running" */
	}
	*sp = s;
	*pc = p;
	return 0;
}

/* Once a second a waiting worker looks whether we still live: so three looks. */
int ks_watch_control(struct ks_watch *w, struct ks_err *err)
{
	uint64_t sp = 0, pc = 0;
	int code = KS_EBUSY, looks = 0;
	for (int i = 0; i < REST_TRIES; i++) {
		code = read_place(w, &sp, &pc);
		if (code == 0 && w->rest_pc == 0) {
			w->rest_sp = sp;
			w->rest_pc = pc;
		}
		bool home = code == 0 && sp == w->rest_sp && pc == w->rest_pc;
		if (code == KS_EUNSUPPORTED || home) {
			return code;
		}
		looks += code == 0;
		if (looks >= 3) {
			break;
		}
		usleep(REST_US);
	}
	return ks_err_set(err, looks > 0 ? KS_EDENIED : KS_EBUSY, looks > 0 ?
		"kept control of the process after its call" :
		"left the process busy after its call");
}

/* ---- between two calls ---- */

/* Has its place: what comes from a file, and what can only be read. Not the heap,
 * stacks, and what a kernel takes for itself. */
static bool has_place(struct ks_str line)
{
	const char *at = line.ptr, *end = line.ptr + line.len, *rights = NULL;
	for (int field = 0; field < 4 && at != NULL; field++) {
		at = memchr(at, ' ', (size_t)(end - at));
		at = at != NULL && at + 5 < end ? at + 1 : NULL;
		rights = field == 0 ? at : rights;
	}
	return at != NULL && (at[0] != '0' || (rights[0] == 'r' && rights[1] == '-'));
}

/* Outputs are closed and opened by the worker itself. */
static void add_place(struct ks_buf *out, struct ks_str line)
{
	size_t from = out->len;
	ks_buf_addstr(out, line);
	char *rights = memchr(out->ptr + from, ' ', line.len);
	if (rights != NULL && rights[4] == 's') {
		rights[2] = '?';
	}
}

static void read_places(struct ks_buf *out, const struct ks_watch *w)
{
	struct ks_buf text = {0};
	read_open(&text, w->settled.maps);
	struct ks_str rest = ks_buf_str(&text), line;
	while (ks_str_next(&rest, '\n', &line)) {
		if (has_place(line)) {
			add_place(out, line);
			ks_buf_addc(out, '\n');
		}
	}
	ks_buf_fini(&text);
}

/* The worker's own table of the scenario; with threads all that is constant. */
static bool is_table(const struct region *r, bool threads)
{
	bool constant = r->prot[0] == 'r' && r->prot[1] != 'w' && r->prot[2] != 'x';
	return constant && !is_shared_memory(r) &&
		(r->inode == 0 ? r->name[0] == '\0' : threads);
}

static bool copy_tables(struct ks_watch *w)
{
	struct settled *s = &w->settled;
	uint64_t total = 0;
	for (size_t i = 0; i < s->tables.count; i++) {
		struct region *r = &s->tables.items[i];
		uint64_t len = r->end - r->start;
		r->copy_at = total;
		total += len;
		w->largest = len > w->largest ? len : w->largest;
	}
	w->scratch = ks_realloc(w->scratch, w->largest, 1);
	free(s->copy);
	s->copy = ks_alloc(total + 1);
	for (size_t i = 0; i < s->tables.count; i++) {
		const struct region *r = &s->tables.items[i];
		if (!read_mem(w, r->start, r->end - r->start, s->copy + r->copy_at)) {
			return false;
		}
	}
	return true;
}

int ks_watch_settle(struct ks_watch *w, bool threads, struct ks_err *err)
{
	char path[64];
	struct list all = {0};
	struct settled *s = &w->settled;
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)w->pid);
	s->maps = s->maps > 0 ? s->maps : open(path, O_RDONLY | O_CLOEXEC);
	int code = s->maps < 0 ? ks_err_sys(err, errno, "cannot open %s", path) :
		read_maps(&all, w->pid, err);
	s->tables.count = 0;
	for (size_t i = 0; code == 0 && i < all.count; i++) {
		if (is_table(&all.items[i], threads)) {
			ks_grow(&s->tables.items, &s->tables.cap, s->tables.count + 1,
				sizeof(s->tables.items[0]));
			s->tables.items[s->tables.count++] = all.items[i];
		}
	}
	free(all.items);
	ks_buf_clear(&s->lines);
	if (code == 0 && !copy_tables(w)) {
		code = ks_err_sys(err, errno, "cannot read the worker's tables");
	}
	if (code == 0) {
		read_places(&s->lines, w);
	}
	return code;
}

static int look_at_lines(const struct ks_watch *w, struct ks_err *err)
{
	struct ks_buf now = {0};
	read_places(&now, w);
	/* none: the process has ended, which others say */
	bool same = now.len == 0 || ks_str_eq(ks_buf_str(&now), ks_buf_str(&w->settled.lines));
	ks_buf_fini(&now);
	return same ? 0 : ks_err_set(err, KS_EDENIED, "moved what was mapped in the process");
}

static int look_at_tables(const struct ks_watch *w, struct ks_err *err)
{
	const struct settled *s = &w->settled;
	for (size_t i = 0; i < s->tables.count; i++) {
		const struct region *r = &s->tables.items[i];
		uint64_t len = r->end - r->start;
		if (read_mem(w, r->start, len, w->scratch) &&
			memcmp(w->scratch, s->copy + r->copy_at, len) != 0) {
			return ks_err_set(err, KS_EDENIED,
				"changed constants in the process (%s)",
				r->name[0] != '\0' ? r->name : "the worker's table");
		}
	}
	return 0;
}

int ks_watch_settled(struct ks_watch *w, unsigned what, struct ks_err *err)
{
	bool known = w->settled.lines.len > 0;
	int code = known && (what & KS_WATCH_MAPS) != 0 ? look_at_lines(w, err) : 0;
	return code != 0 || !known || (what & KS_WATCH_TEXT) == 0 ? code :
		look_at_tables(w, err);
}

/* Whose code an address lies in, by inode; 0: nobody's that was there at the start. */
static ino_t owner_of(const struct ks_watch *w, uint64_t at)
{
	for (size_t i = 0; i < w->kept.count; i++) {
		const struct region *r = &w->kept.items[i];
		if (r->prot[2] == 'x' && at >= r->start && at < r->end) {
			return r->inode != 0 ? (ino_t)r->inode : OF_KERNEL;
		}
	}
	return 0;
}

int ks_watch_home(struct ks_watch *w, uint64_t home, struct ks_err *err)
{
	uint64_t sp = 0, pc = 0, back = 0;
	if (home == 0 || read_place(w, &sp, &pc) != 0 ||
		!read_mem(w, home, sizeof(back), (unsigned char *)&back)) {
		return 0;
	}
	ino_t runs = owner_of(w, pc), returns = owner_of(w, back);
	w->program = w->program != 0 ? w->program : returns;
	bool foreign = runs == 0 || runs == w->kernels[0] || runs == w->kernels[1];
	bool astray = sp + HOME_BELOW < home || sp > home + HOME_ABOVE;
	return !foreign && !astray && returns != 0 && returns == w->program ? 0 :
		ks_err_set(err, KS_EDENIED, "kept control of the process between two calls");
}

/* A candidate that is the seed itself may do to its variables what the seed
 * does to them: there is nothing to tell apart. */
void ks_watch_mark(struct ks_watch *w)
{
	bool apart = w->libs[0].start != w->libs[1].start;
	for (int i = 0; i < 2; i++) {
		struct variables *v = &w->libs[i];
		v->marked = apart && v->len > 0 && read_mem(w, v->start, v->len, v->before);
	}
}

int ks_watch_seed_check(struct ks_watch *w, struct ks_err *err)
{
	bool same[2] = {true, true};
	for (int i = 0; i < 2; i++) {
		struct variables *v = &w->libs[i];
		/* cannot be read: the process has ended, or the seed will not live on */
		same[i] = !v->marked || !read_mem(w, v->start, v->len, v->after) ||
			memcmp(v->before, v->after, v->len) == 0;
		v->marked = false;
	}
	return same[0] ? 0 : ks_err_set(err, KS_EDENIED, "changed the seed's own variables");
}

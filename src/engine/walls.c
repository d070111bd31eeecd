/*
 * What a build cannot read: homes, and the campaign's folder but for the sources
 * that were copied from it. A compiler shows the lines of whatever a source
 * includes, also to an agent whose own commands are shut in; and what is included
 * from elsewhere is no part of the candidate that is recorded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "engine/internal.h"

static void add_joined(struct ks_strings *list, const char *dir, const char *name)
{
	if (dir != NULL && dir[0] == '/') {
		char *path = ks_path_join(dir, name);
		ks_strings_add(list, path);
		free(path);
	}
}

/* The compiler may live in a home: what lies beside its folder "bin" is its own. */
static void add_compiler(struct ks_strings *list, const char *program)
{
	char *real = realpath(program, NULL);
	char *bin = real != NULL ? ks_path_dir(real) : NULL;
	char *prefix = bin != NULL ? ks_path_dir(bin) : NULL;
	const char *home = getenv("HOME");

	if (prefix != NULL && prefix[1] != '\0') {
		ks_strings_add(list, home != NULL && strcmp(prefix, home) == 0 ? bin : prefix);
	}
	free(real);
	free(bin);
	free(prefix);
}

/* Folders that the campaign's flags name, such as -I/home/me/include. */
static void add_flags(struct ks_strings *list, const char *flags)
{
	struct ks_str rest = ks_str_of(flags), word;

	while (ks_str_next(&rest, ' ', &word)) {
		const char *slash = memchr(word.ptr, '/', word.len);

		if (slash != NULL && list->count < KS_WALLS_MAX) {
			char *path = ks_strndup(slash, (size_t)(word.ptr + word.len - slash));
			ks_strings_add(list, path);
			free(path);
		}
	}
}

void ks_walls_init(struct ks_walls *walls, const struct ks_engine *e,
	const struct ks_build_spec *build, const char *compiler, const char *scratch)
{
	const char *home = getenv("HOME"), *tmp = getenv("TMPDIR");
	const char *config = getenv("XDG_CONFIG_HOME"), *cache = getenv("XDG_CACHE_HOME");

	*walls = (struct ks_walls){.hide = {0}};
	ks_strings_add(&walls->hide, "/home");
	ks_strings_add(&walls->hide, "/root");
	ks_strings_add(&walls->hide, e->opt.dir);
	if (home != NULL && home[0] == '/') {
		ks_strings_add(&walls->hide, home);
	}
	ks_strings_add(&walls->show, scratch);
	ks_strings_add(&walls->show, e->paths.cache);
	if (tmp != NULL && tmp[0] == '/') {
		ks_strings_add(&walls->show, tmp);
	}
	for (size_t i = 0; i < build->nincludes; i++) {
		ks_strings_add(&walls->show, build->includes[i]);
	}
	add_compiler(&walls->show, compiler);
	/* where that is a compiler cache, its own */
	add_joined(&walls->show, home, ".ccache");
	add_joined(&walls->show, home, ".cache/ccache");
	add_joined(&walls->show, home, ".config/ccache");
	add_joined(&walls->show, cache, "ccache");
	add_joined(&walls->show, config, "ccache");
	add_flags(&walls->show, build->flags != NULL ? build->flags : "");
}

void ks_walls_fini(struct ks_walls *walls)
{
	ks_strings_fini(&walls->hide);
	ks_strings_fini(&walls->show);
}

/*
 * How a model's command is shut in: bubblewrap with the machine read-only, the
 * campaign's folder writable but for kseek's own parts, an empty home and
 * temporary folder, no sockets of services, processes of its own, and no network
 * unless it is allowed.
 */
#include <unistd.h>

#include "agent/api.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

#define SOCKET_PATH_MAX 4096

struct list {
	char **items;
	size_t count, cap;
};

static void add(struct list *list, const char *text)
{
	ks_grow(&list->items, &list->cap, list->count + 2, sizeof(*list->items));
	list->items[list->count++] = ks_strdup(text);
	list->items[list->count] = NULL;
}

static void add3(struct list *list, const char *option, const char *from, const char *to)
{
	add(list, option);
	add(list, from);
	if (to != NULL) {
		add(list, to);
	}
}

static void add_below(struct list *list, const char *option, const char *folder,
	const char *name)
{
	char *path = ks_path_join(folder, name);

	add3(list, option, path, path);
	free(path);
}

static const char *env_value(const char *const *env, const char *key)
{
	size_t len = strlen(key);

	for (; env != NULL && *env != NULL; env++) {
		if (strncmp(*env, key, len) == 0 && (*env)[len] == '=') {
			return *env + len + 1;
		}
	}
	return NULL;
}

/* A folder that is empty inside, unless everything lies below it. */
static void add_empty(struct list *list, const char *path)
{
	if (path != NULL && path[0] == '/' && path[1] != '\0' && ks_file_is_dir(path)) {
		add3(list, "--tmpfs", path, NULL);
	}
}

static void add_devices(struct list *list)
{
	static const char *const devices[] = {
		"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-caps",
	};
	char card[24];

	add3(list, "--dev", "/dev", NULL);
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		add3(list, "--dev-bind-try", devices[i], devices[i]);
	}
	for (int i = 0; i < 16; i++) {
		snprintf(card, sizeof(card), "/dev/nvidia%d", i);
		if (ks_file_exists(card)) {
			add3(list, "--dev-bind-try", card, card);
		}
	}
}

/* Sockets of the machine's services lie there (a session bus starts programs outside
 * of any box), and those of the user's other campaigns. Some systems have more. */
static void add_run(struct list *list)
{
	static const char *const needed[] = {
		"/run/systemd/resolve", "/run/NetworkManager/resolv.conf",
		"/run/current-system", "/run/opengl-driver",
	};

	add_empty(list, "/run");
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		add3(list, "--ro-bind-try", needed[i], needed[i]);
	}
}

/* What our own program needs of what was hidden: itself, and its engine's socket. */
static void add_ours(struct list *list, const struct ks_api_sandbox *box)
{
	char *dir, *name = ks_path_join(box->folder, ".kseek/engine");
	struct ks_buf socket = {0};

	if (box->kseek != NULL && box->kseek[0] == '/') {
		dir = ks_path_dir(box->kseek);
		add3(list, "--ro-bind-try", dir, dir);
		free(dir);
	}
	if (ks_file_read(&socket, name, SOCKET_PATH_MAX, NULL) == 0 && socket.len > 0 &&
		socket.ptr[0] == '/') {
		add3(list, "--ro-bind-try", socket.ptr, socket.ptr);
	}
	ks_buf_fini(&socket);
	free(name);
}

/* Where programs tell what they ran (KSEEK_SHIM...), writable. */
static void add_shim(struct list *list, const char *const *env)
{
	for (; env != NULL && *env != NULL; env++) {
		const char *value = strchr(*env, '=');

		if (strncmp(*env, "KSEEK_SHIM", 10) == 0 && value != NULL && value[1] == '/') {
			add3(list, "--bind-try", value + 1, value + 1);
		}
	}
}

char **ks_api_sandbox_argv(const struct ks_api_sandbox *box, const char *command)
{
	struct list list = {0};

	add(&list, box->bwrap);
	add3(&list, "--ro-bind", "/", "/");
	add_devices(&list);
	add3(&list, "--proc", "/proc", NULL);
	add_run(&list);
	add_empty(&list, "/tmp");
	add_empty(&list, "/root");
	add_empty(&list, "/home");
	add_empty(&list, env_value(box->env, "HOME"));
	add_ours(&list, box);
	add3(&list, "--bind", box->folder, box->folder);
	add_below(&list, "--ro-bind-try", box->folder, ".kseek");
	add_below(&list, "--ro-bind-try", box->folder, ".git");
	add_shim(&list, box->env);
	if (box->hidden != NULL && ks_file_exists(box->hidden)) {
		add3(&list, "--ro-bind", "/dev/null", box->hidden);
	}
	add(&list, "--unshare-pid");
	add(&list, "--unshare-ipc");
	if (!box->network) {
		add(&list, "--unshare-net");
	}
	add(&list, "--die-with-parent");
	add3(&list, "--chdir", box->folder, NULL);
	add(&list, "--");
	add(&list, "sh");
	add(&list, "-c");
	add(&list, command);
	return list.items;
}

void ks_api_argv_free(char **argv)
{
	for (char **at = argv; at != NULL && *at != NULL; at++) {
		free(*at);
	}
	free(argv);
}

char *ks_api_find_program(const char *name)
{
	const char *path = getenv("PATH");
	struct ks_str rest = ks_str_of(path != NULL ? path : "/usr/bin:/bin"), dir;

	while (ks_str_next(&rest, ':', &dir)) {
		char *full = ks_asprintf("%.*s/%s", KS_FMT(dir), name);

		if (dir.len > 0 && dir.ptr[0] == '/' && access(full, X_OK) == 0) {
			return full;
		}
		free(full);
	}
	return NULL;
}

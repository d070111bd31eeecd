/*
 * What the model may call: shell, read, write, edit, evaluate. Calls of a reply
 * run in their order, one after the other; each gets a result, also "interrupted".
 * Commands ask a person (or the campaign's rules) first and run shut in where
 * bubblewrap works; files are reached inside the campaign's folder only.
 */
#include <stdio.h>

#include "agent/api.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/utf8.h"

#define OUT_HEAD (8u * 1024)  /* what the model sees of an output */
#define OUT_TAIL (16u * 1024)
#define READ_MAX (48u * 1024)
#define EVAL_LIMIT_MS 3600000
#define COMMAND_MAX (64u * 1024)
#define FILE_MB 2048
#define PROCS 2048

struct ks_str ks_api_tools(void)
{
	return KS_STR("["
		"{\"name\":\"shell\",\"description\":\"Runs a command with sh -c in the campaign's "
		"folder and gives its output (standard and error output together) and exit status. "
		"Only that folder can be written; there is no network unless the campaign allows "
		"it.\","
		"\"schema\":{\"type\":\"object\",\"properties\":{\"command\":{\"type\":\"string\"},"
		"\"timeout_s\":{\"type\":\"integer\","
		"\"description\":\"seconds until it is stopped\"}},"
		"\"required\":[\"command\"]}},"
		"{\"name\":\"read\",\"description\":\"Reads a text file of the campaign's folder, "
		"or lists a folder.\",\"schema\":{\"type\":\"object\","
		"\"properties\":{\"path\":{\"type\":\"string\"},\"from\":{\"type\":\"integer\","
		"\"description\":\"first line, from 1\"},"
		"\"lines\":{\"type\":\"integer\",\"description\":\"how many\"}},"
		"\"required\":[\"path\"]}},"
		"{\"name\":\"write\",\"description\":\"Writes a whole file of the campaign's "
		"folder.\",\"schema\":{\"type\":\"object\","
		"\"properties\":{\"path\":{\"type\":\"string\"},"
		"\"content\":{\"type\":\"string\"}},\"required\":[\"path\",\"content\"]}},"
		"{\"name\":\"edit\",\"description\":\"Replaces a piece of a file by another. The "
		"old piece must stand in the file exactly once, unless all is true.\","
		"\"schema\":{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},"
		"\"old\":{\"type\":\"string\"},"
		"\"new\":{\"type\":\"string\"},\"all\":{\"type\":\"boolean\"}},"
		"\"required\":[\"path\",\"old\",\"new\"]}},"
		"{\"name\":\"evaluate\",\"description\":\"Runs kseek eval: builds the kernel, "
		"checks it on every scenario, times it against the seed, commits it and gives the "
		"table. The only measurement that counts.\",\"schema\":{\"type\":\"object\","
		"\"properties\":{\"only\":{\"type\":\"string\","
		"\"description\":\"name of one scenario\"},\"perf\":{\"type\":\"boolean\","
		"\"description\":\"false: check only, do not time\"},"
		"\"source\":{\"type\":\"string\","
		"\"description\":\"a variant: file or folder, instead of the working copy\"}}}}"
		"]");
}

/* ---- results ---- */

static void call_clear(struct ks_api *a)
{
	free(a->call_id);
	free(a->call_name);
	free(a->ask);
	ks_json_free(a->args);
	a->call_id = a->call_name = a->ask = NULL;
	a->args = NULL;
}

/* What the model gets: bounded, and without the key. */
static void answer(struct ks_api *a, bool ok, struct ks_str text)
{
	struct ks_buf clean = {0}, shorter = {0};

	text = ks_api_clean(a, text, &clean);
	if (text.len > READ_MAX + 1024) {
		size_t head = ks_utf8_cut(text.ptr, text.len, OUT_HEAD);
		size_t tail = text.len - OUT_TAIL;

		while (tail < text.len && ((unsigned char)text.ptr[tail] & 0xc0) == 0x80) {
			tail++;
		}
		ks_buf_add(&shorter, text.ptr, head);
		ks_buf_addf(&shorter, "\n[... %zu bytes left out ...]\n", tail - head);
		ks_buf_add(&shorter, text.ptr + tail, text.len - tail);
		text = ks_buf_str(&shorter);
	}
	ks_chat_result(&a->chat, a->call_id, ok, text);
	ks_buf_fini(&clean);
	ks_buf_fini(&shorter);
	call_clear(a);
	a->phase = KS_API_CALLS;
	ks_api_schedule(a);
}

/* tool.ended, then the answer. */
static void ended(struct ks_api *a, struct ks_sight *sight, struct ks_str for_model)
{
	struct ks_buf clean = {0};

	sight->call = a->call_id;
	sight->ended = true;
	sight->has_output = true;
	sight->output = ks_api_clean(a, sight->output, &clean);
	ks_talk_sight(&a->talk, sight);
	ks_buf_fini(&clean);
	answer(a, sight->ok, for_model);
}

/* text is short and may be cut, so pieces of the key count too. */
static void failed(struct ks_api *a, const char *text)
{
	struct ks_sight sight = {.status = -1};
	struct ks_buf clean = {0};

	ks_http_redact(&clean, ks_str_of(text), a->config.key);
	sight.output = ks_buf_str(&clean);
	ended(a, &sight, ks_buf_str(&clean));
	ks_buf_fini(&clean);
}

/* tool.started. text: command line or path. */
static void begun(struct ks_api *a, const char *kind, struct ks_str text, const char *path)
{
	struct ks_buf clean = {0}, clean_path = {0};
	const struct ks_sight sight = {
		.call = a->call_id, .name = a->call_name, .kind = kind,
		.path = path != NULL ? ks_api_clean(a, ks_str_of(path), &clean_path).ptr : NULL,
		.text = ks_api_clean(a, text, &clean), .begun = true, .status = -1,
	};

	ks_talk_sight(&a->talk, &sight);
	ks_buf_fini(&clean);
	ks_buf_fini(&clean_path);
}

/* ---- files ---- */

/* The lines that were asked for, with where they stand. */
static void cut_lines(struct ks_buf *out, struct ks_str text, int64_t from, int64_t lines)
{
	struct ks_str line;
	int64_t n = 0, shown = 0;

	while (ks_str_next(&text, '\n', &line)) {
		n++;
		if (n < from || shown >= lines) {
			continue;
		}
		if (out->len + line.len > READ_MAX) {
			ks_buf_addf(out, "[the rest, from line %lld, was left out; read it with "
				"\"from\"]\n", (long long)n);
			return;
		}
		ks_buf_addstr(out, line);
		ks_buf_addc(out, '\n');
		shown++;
	}
	if (shown == 0 && n > 0) {
		ks_buf_addf(out, "[the file has %lld line%s]\n", (long long)n,
			ks_s((long long)n));
	} else if (n > from + shown - 1) {
		ks_buf_addf(out, "[lines %lld to %lld of %lld]\n", (long long)from,
			(long long)(from + shown - 1), (long long)n);
	}
}

static int do_read(struct ks_api *a, const char *path, struct ks_err *err)
{
	int64_t from = ks_json_get_int(a->args, "from", 1);
	int64_t lines = ks_json_get_int(a->args, "lines", INT64_C(1) << 40);
	struct ks_buf text = {0}, part = {0};
	int rc = ks_api_file_read(&text, a->folder, path, err);

	if (rc == 0) {
		struct ks_sight sight = {.ok = true, .status = 0};

		cut_lines(&part, ks_buf_str(&text), from > 0 ? from : 1, lines);
		sight.output = ks_buf_str(&part);
		ended(a, &sight, part.len > 0 ? ks_buf_str(&part) : KS_STR("(empty)"));
	}
	ks_buf_fini(&text);
	ks_buf_fini(&part);
	return rc;
}

/* The path is known since the call began. */
static void changed(struct ks_api *a, const char *before, const char *after)
{
	struct ks_buf clean_before = {0}, clean_after = {0};
	struct ks_sight sight = {
		.ok = true, .status = 0, .has_diff = true,
		.before = ks_api_clean(a, ks_str_of(before), &clean_before).ptr,
		.after = ks_api_clean(a, ks_str_of(after), &clean_after).ptr,
	};

	ended(a, &sight, KS_STR("done"));
	ks_buf_fini(&clean_before);
	ks_buf_fini(&clean_after);
}

static int do_write(struct ks_api *a, const char *path, struct ks_err *err)
{
	const char *content = ks_json_get_str(a->args, "content", NULL);
	struct ks_buf before = {0};
	int rc;

	if (content == NULL) {
		return ks_err_set(err, KS_EINVAL, "\"content\" is missing");
	}
	if (ks_api_file_read(&before, a->folder, path, NULL) < 0) {
		ks_buf_clear(&before);
	}
	rc = ks_api_file_write(a->folder, path, ks_str_of(content), err);
	if (rc == 0) {
		changed(a, ks_buf_str(&before).ptr, content);
	}
	ks_buf_fini(&before);
	return rc;
}

static int do_edit(struct ks_api *a, const char *path, struct ks_err *err)
{
	const char *old = ks_json_get_str(a->args, "old", "");
	const char *new = ks_json_get_str(a->args, "new", NULL);
	struct ks_buf before = {0}, after = {0};
	size_t count;
	int rc;

	if (*old == '\0' || new == NULL) {
		return ks_err_set(err, KS_EINVAL, "\"old\" or \"new\" is missing");
	}
	rc = ks_api_file_read(&before, a->folder, path, err);
	if (rc == 0) {
		count = ks_buf_add_replaced(&after, ks_buf_str(&before), ks_str_of(old),
			ks_str_of(new));
		if (count == 0) {
			rc = ks_err_set(err, KS_ENOTFOUND, "%.200s: the old piece is not in it; "
				"read the file again", path);
		} else if (count > 1 && !ks_json_get_bool(a->args, "all", false)) {
			rc = ks_err_set(err, KS_EINVAL, "%.200s: the old piece stands %zu times in "
				"it; give more of what is around it, or \"all\"", path, count);
		}
	}
	if (rc == 0) {
		rc = ks_api_file_write(a->folder, path, ks_buf_str(&after), err);
	}
	if (rc == 0) {
		changed(a, ks_buf_str(&before).ptr, ks_buf_str(&after).ptr);
	}
	ks_buf_fini(&before);
	ks_buf_fini(&after);
	return rc;
}

static void run_file(struct ks_api *a, const char *kind,
	int (*run)(struct ks_api *a, const char *path, struct ks_err *err))
{
	const char *given = ks_json_get_str(a->args, "path", "");
	struct ks_err err = KS_ERR_INIT;
	char *path = NULL;

	if (ks_api_path(&path, a->folder, given, &err) < 0) {
		begun(a, kind, ks_str_of(given), NULL);
		failed(a, err.msg);
		return;
	}
	begun(a, kind, ks_str_of(path), path);
	if (run(a, path, &err) < 0) {
		failed(a, err.msg);
	}
	free(path);
}

/* ---- commands ---- */

static void heard(void *ctx)
{
	ks_talk_heard(&((struct ks_api *)ctx)->talk);
}

static void command_ended(void *ctx, const struct ks_command_end *end)
{
	struct ks_api *a = ctx;
	struct ks_sight sight = {.ok = end->ok, .status = end->status, .output = end->output};
	struct ks_buf full = {0};

	if (a->talk.cancelling) {
		/* The turn's end marks the call; its result says so to the model. */
		a->phase = KS_API_CALLS;
		ks_api_schedule(a);
		return;
	}
	if (end->status != 0) {
		ks_buf_addf(&full, "(exit status %d)\n", end->status);
	}
	ks_buf_addstr(&full, end->output);
	ended(a, &sight, full.len > 0 ? ks_buf_str(&full) : KS_STR("(no output)"));
	ks_buf_fini(&full);
}

/* Runs it; `over` is called at its end. */
static int run_child(struct ks_api *a, struct ks_child_spec spec,
	void (*over)(void *ctx, const struct ks_command_end *end), struct ks_err *err)
{
	spec.env = ks_env_list(a->env);
	spec.cwd = a->folder;
	spec.exec = a->exec;
	spec.mark = a->mark;
	a->command.heard = heard;
	a->command.ended = over;
	a->command.ctx = a;
	a->phase = KS_API_RUNNING;
	return ks_command_start(&a->command, a->agent.loop, spec, err);
}

static void start(struct ks_api *a, const char *const *argv, int64_t limit_ms, bool bounded)
{
	struct ks_child_spec spec = {.argv = argv, .timeout_ms = limit_ms};
	struct ks_err err = KS_ERR_INIT;

	if (bounded) {
		spec.limits.file_mb = FILE_MB;
		spec.limits.procs = PROCS;
		/* Where bubblewrap does not work this may, or not: "network" says. */
		spec.limits.no_net = a->box == KS_API_BOX_OFF && !a->config.network;
	}
	if (run_child(a, spec, command_ended, &err) < 0) {
		failed(a, err.msg);
	}
}

static void run_shell(struct ks_api *a)
{
	const char *command = ks_json_get_str(a->args, "command", "");
	int64_t limit = ks_json_get_int(a->args, "timeout_s", a->config.shell_s);
	const char *argv[] = {"sh", "-c", command, NULL};
	const struct ks_api_sandbox box = {
		.bwrap = a->bwrap, .folder = a->folder, .kseek = a->kseek,
		.env = ks_env_list(a->env), .hidden = a->config.key_file,
		.network = a->config.network,
	};

	if (limit < 1 || limit > a->config.shell_s) {
		limit = a->config.shell_s;
	}
	if (a->box == KS_API_BOX_ON) {
		char **boxed = ks_api_sandbox_argv(&box, command);

		start(a, (const char *const *)boxed, limit * 1000, true);
		ks_api_argv_free(boxed);
	} else {
		start(a, argv, limit * 1000, true);
	}
}

static void run_evaluate(struct ks_api *a)
{
	const char *argv[8] = {a->kseek, "eval"};
	const char *only = ks_json_get_str(a->args, "only", NULL);
	const char *source = ks_json_get_str(a->args, "source", NULL);
	struct ks_buf line = {0};
	struct ks_err err = KS_ERR_INIT;
	char *path = NULL;
	size_t n = 2;

	ks_buf_adds(&line, "kseek eval");
	if (only != NULL && *only != '\0') {
		argv[n++] = "--only";
		argv[n++] = only;
		ks_buf_addf(&line, " --only %s", only);
	}
	if (!ks_json_get_bool(a->args, "perf", true)) {
		argv[n++] = "--no-perf";
		ks_buf_adds(&line, " --no-perf");
	}
	if (source != NULL && *source != '\0' && ks_api_path(&path, a->folder, source, &err) == 0) {
		argv[n++] = "--source";
		argv[n++] = path;
		ks_buf_addf(&line, " --source %s", path);
	}
	begun(a, "execute", ks_buf_str(&line), NULL);
	ks_buf_fini(&line);
	if (err.code != 0) {
		failed(a, err.msg);
	} else {
		start(a, argv, EVAL_LIMIT_MS, false);
	}
	free(path);
}

/* ---- leave to run a command ---- */

static uint64_t hash_of(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *text != '\0'; text++) {
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	}
	return hash;
}

static bool is_allowed(const struct ks_api *a, const char *command)
{
	uint64_t hash = hash_of(command);

	for (size_t i = 0; i < a->n_allowed; i++) {
		if (a->allowed[i] == hash) {
			return true;
		}
	}
	return false;
}

static void put_option(struct ks_jw *w, const char *kind, const char *name)
{
	ks_jw_open(w, NULL);
	ks_jw_str(w, "id", kind);
	ks_jw_str(w, "name", name);
	ks_jw_str(w, "kind", kind);
	ks_jw_close(w);
}

static void ask_leave(struct ks_api *a)
{
	struct ks_report r;

	free(a->ask);
	a->ask = ks_strdup(ks_talk_permission(&a->talk, &r, a->call_id, a->call_id, NULL));
	ks_jw_open_array(&r.w, "options");
	put_option(&r.w, "allow_once", "run it");
	put_option(&r.w, "allow_always", "run it, and exactly this again without asking");
	put_option(&r.w, "reject_once", "do not run it");
	ks_jw_close_array(&r.w);
	a->phase = KS_API_RUNNING;
	ks_report_send(&r, &a->agent, KS_EV_PERMISSION_ASKED, KS_BY_AGENT);
}

static void go(struct ks_api *a);

static void box_tried(void *ctx, const struct ks_command_end *end)
{
	struct ks_api *a = ctx;
	bool works = end->ok;

	if (end->stopped) {
		a->box = KS_API_BOX_UNTRIED;
		a->phase = KS_API_CALLS;
		ks_api_schedule(a);
		return;
	}
	a->box = works ? KS_API_BOX_ON : KS_API_BOX_OFF;
	ks_talk_notice(&a->talk, works ? "quiet" : "warn", works
		? "the agent's commands run in bubblewrap: only the campaign's folder is writable, "
		  "network %s" : "bubblewrap is installed but does not work here: the agent's "
		  "commands run with your own rights, network %s",
		works && !a->config.network ? "off" : "on unless the system keeps it off");
	go(a);
}

/* One command that does nothing shows whether a box can be made here. */
static void try_box(struct ks_api *a)
{
	const struct ks_api_sandbox box = {
		.bwrap = a->bwrap, .folder = a->folder, .kseek = a->kseek,
		.env = ks_env_list(a->env), .hidden = a->config.key_file,
		.network = a->config.network,
	};
	char **argv = ks_api_sandbox_argv(&box, "true");
	const struct ks_child_spec spec = {
		.argv = (const char *const *)argv, .timeout_ms = 20000,
	};

	a->box = KS_API_BOX_TRYING;
	if (run_child(a, spec, box_tried, NULL) < 0) {
		a->box = KS_API_BOX_OFF;
		go(a);
	}
	ks_api_argv_free(argv);
}

/* The command of the call, once it may run. */
static void go(struct ks_api *a)
{
	if (a->box == KS_API_BOX_UNTRIED) {
		a->bwrap = ks_api_find_program("bwrap");
		if (a->bwrap != NULL) {
			try_box(a);
			return;
		}
		a->box = KS_API_BOX_OFF;
		ks_talk_notice(&a->talk, "warn", "the agent's commands run with your own rights; "
			"install bubblewrap to shut them in");
	}
	run_shell(a);
}

static void shell(struct ks_api *a)
{
	const char *command = ks_json_get_str(a->args, "command", "");

	begun(a, "execute", ks_str_of(command), NULL);
	if (ks_str_trim(ks_str_of(command)).len == 0) {
		failed(a, "\"command\" is missing");
	} else if (strlen(command) > COMMAND_MAX) {
		failed(a, "the command is too long; write a script and run it");
	} else if (is_allowed(a, command)) {
		go(a);
	} else {
		ask_leave(a);
	}
}

static void allowed(void *ctx)
{
	struct ks_api *a = ctx;

	if (a->answer_given && a->phase == KS_API_RUNNING && a->command.child == NULL) {
		a->answer_given = false;
		if (a->answer_ok) {
			go(a);
		} else {
			struct ks_buf text = {0};

			ks_buf_adds(&text, "not run: this was not allowed.");
			if (a->answer_text.len > 0) {
				ks_buf_addf(&text, " %.*s", KS_FMT(ks_buf_str(&a->answer_text)));
			}
			failed(a, text.ptr);
			ks_buf_fini(&text);
		}
	}
}

int ks_api_tool_answer(struct ks_api *a, const struct ks_answer *given, struct ks_err *err)
{
	struct ks_ask *ask = ks_talk_ask(&a->talk, given->ask);
	const char *kind = given->option != NULL ? given->option : given->kind;

	if (ask == NULL || a->ask == NULL || strcmp(a->ask, given->ask) != 0) {
		return ks_err_set(err, KS_ENOTFOUND, "this question is not open");
	}
	if (kind != NULL && strncmp(kind, "allow_", 6) != 0 && strncmp(kind, "reject_", 7) != 0) {
		return ks_err_set(err, KS_EINVAL, "%.40s: not one of the answers", kind);
	}
	a->answer_given = true;
	a->answer_ok = kind != NULL && strncmp(kind, "allow_", 6) == 0;
	ks_buf_clear(&a->answer_text);
	ks_buf_adds(&a->answer_text, given->text != NULL ? given->text : "");
	if (kind != NULL && strcmp(kind, "allow_always") == 0) {
		ks_grow(&a->allowed, &a->cap_allowed, a->n_allowed + 1, sizeof(*a->allowed));
		a->allowed[a->n_allowed++] = hash_of(ks_json_get_str(a->args, "command", ""));
	}
	ks_talk_answered(&a->talk, ask);
	free(a->ask);
	a->ask = NULL;
	ks_loop_defer(a->agent.loop, allowed, a);
	return 0;
}

/* ---- calls ---- */

static void unknown(struct ks_api *a)
{
	struct ks_buf text = {0};

	begun(a, "", KS_STR("(no such tool)"), NULL);
	ks_buf_addf(&text,
		"there is no tool \"%s\"; there are shell, read, write, edit and evaluate",
		a->call_name);
	failed(a, text.ptr);
	ks_buf_fini(&text);
}

/* Arguments that were no JSON object left {} in the conversation; the reply
 * itself still has them. */
static bool args_bad(const struct ks_api *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->stream.reply.count; i++) {
		const struct ks_model_block *b = &a->stream.reply.blocks[i];

		if (b->what == KS_MODEL_CALL && n++ == a->next_call) {
			return !ks_model_call_whole(b);
		}
	}
	return false;
}

static void run_call(struct ks_api *a, const struct ks_chat_piece *call)
{
	const struct {
		const char *name, *kind;
		int (*run)(struct ks_api *a, const char *path, struct ks_err *err);
	} files[] = {
		{"read", "read", do_read}, {"write", "edit", do_write}, {"edit", "edit", do_edit}
	};
	bool bad = args_bad(a);

	call_clear(a);
	a->call_id = ks_strdup(call->id);
	a->call_name = ks_strdup(call->name);
	if (ks_json_parse(&a->args, call->text, strlen(call->text), NULL) < 0) {
		a->args = NULL;
		bad = true;
	}
	a->next_call++;
	if (bad) {
		begun(a, "", KS_STR("(arguments that are no JSON)"), NULL);
		failed(a, "the arguments of this call were no JSON object; nothing was done");
		return;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(a->call_name, files[i].name) == 0) {
			run_file(a, files[i].kind, files[i].run);
			return;
		}
	}
	if (strcmp(a->call_name, "shell") == 0) {
		shell(a);
	} else if (strcmp(a->call_name, "evaluate") == 0) {
		run_evaluate(a);
	} else {
		unknown(a);
	}
}

/* Words that came during the turn go behind the results. */
static bool say_words(struct ks_api *a)
{
	bool any = a->n_words > 0 || a->after_calls != NULL;

	if (a->after_calls != NULL) {
		ks_chat_say(&a->chat, ks_str_of(a->after_calls));
		a->after_calls = NULL;
	}
	for (size_t i = 0; i < a->n_words; i++) {
		ks_chat_say(&a->chat, ks_buf_str(&a->words[i]));
		ks_buf_fini(&a->words[i]);
	}
	a->n_words = 0;
	return any;
}

void ks_api_tool_next(struct ks_api *a)
{
	bool last_is_model = a->chat.count > 0 && a->chat.messages[a->chat.count - 1].model;
	const struct ks_chat_piece *call = last_is_model || a->next_call > 0
		? ks_chat_call(&a->chat, a->next_call) : NULL;

	if (call != NULL) {
		run_call(a, call);
		return;
	}
	if (say_words(a) || a->next_call > 0) {
		a->phase = KS_API_READY;
		ks_api_schedule(a);
	} else {
		ks_api_finish(a, "ended", KS_STR(""), a->stream.reply.stop_word);
	}
}

void ks_api_tool_stop(struct ks_api *a)
{
	ks_command_stop(&a->command);
	if (a->ask != NULL) {
		struct ks_ask *ask = ks_talk_ask(&a->talk, a->ask);

		if (ask != NULL) {
			ks_talk_void(&a->talk, ask, "cancelled");
		}
	}
	a->answer_given = false;
}

void ks_api_tool_fini(struct ks_api *a)
{
	ks_command_fini(&a->command);
	call_clear(a);
	for (size_t i = 0; i < a->n_words; i++) {
		ks_buf_fini(&a->words[i]);
	}
	free(a->words);
	free(a->allowed);
	ks_buf_fini(&a->answer_text);
	free(a->bwrap);
}

/*
 * The child of a driver that talks in lines.
 */
#include "agent/program.h"

#include "agent/driver.h"
#include "agent/internal.h"
#include "base/file.h"
#include "base/mem.h"
#include "wire/linebuf.h"

#define TURN_MS 2000
#define INPUT_MS 3000
#define INT_MS 500
#define ERRORS_KEPT (64u * 1024)
#define TAIL_MAX 2000
#define TAIL_LINES 12

struct ks_program {
	struct ks_program_ops ops;
	struct ks_child *child;
	struct ks_linebuf lines;
	struct ks_buf errors, noise;
	struct ks_timer *timer; /* for the turn to end, before the program does */
	bool ending;
};

/* ---- what it says ---- */

static void keep(struct ks_buf *buf, struct ks_str bytes)
{
	if (bytes.len > ERRORS_KEPT) {
		bytes.ptr += bytes.len - ERRORS_KEPT;
		bytes.len = ERRORS_KEPT;
	}
	ks_buf_addstr(buf, bytes);
	if (buf->len > 2 * ERRORS_KEPT) {
		ks_buf_drop(buf, buf->len - ERRORS_KEPT);
	}
}

void ks_program_noise(struct ks_program *program, struct ks_str line)
{
	keep(&program->noise, line);
	ks_buf_addc(&program->noise, '\n');
}

static void give_lines(struct ks_program *program)
{
	struct ks_str line;
	enum ks_linebuf_got got;

	while ((got = ks_linebuf_next(&program->lines, &line)) != KS_LINEBUF_NONE) {
		if (got == KS_LINEBUF_LINE) {
			program->ops.line(program->ops.ctx, line);
		} else {
			program->ops.lost(program->ops.ctx, line.len);
		}
	}
}

static void child_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct ks_program *program = ctx;

	if (fd == 2) {
		keep(&program->errors, bytes);
		return;
	}
	ks_linebuf_add(&program->lines, bytes);
	give_lines(program);
}

static void child_exited(void *ctx, const struct ks_child_exit *how)
{
	struct ks_program *program = ctx;
	struct ks_str line;

	ks_timer_cancel(program->timer);
	if (ks_linebuf_last(&program->lines, &line)) {
		program->ops.line(program->ops.ctx, line);
	}
	program->ops.exited(program->ops.ctx, how);
}

static bool is_blank(struct ks_str line)
{
	return ks_str_trim(line).len == 0;
}

void ks_program_tail(const struct ks_program *program, struct ks_buf *out)
{
	struct ks_str all = ks_str_trim(ks_buf_str(&program->errors));
	size_t from, lines = 0;

	if (is_blank(all)) {
		all = ks_str_trim(ks_buf_str(&program->noise));
	}
	for (from = all.len; from > 0 && all.len - from < TAIL_MAX; from--) {
		if (all.ptr[from - 1] == '\n' && ++lines == TAIL_LINES) {
			break;
		}
	}
	/* Not from inside a character. */
	while (from < all.len && ((unsigned char)all.ptr[from] & 0xc0) == 0x80) {
		from++;
	}
	ks_buf_add(out, all.ptr + from, all.len - from);
}

/* ---- its life ---- */

struct ks_env *ks_program_env(const struct ks_agent_setup *setup)
{
	struct ks_env *env = ks_env_full();

	ks_env_set(env, "NO_COLOR", "1");
	ks_env_set(env, "KSEEK_AGENT", NULL);
	ks_agent_env_add(env, setup);
	return env;
}

static void turn_over(void *ctx)
{
	ks_child_stop(((struct ks_program *)ctx)->child);
}

void ks_program_end(struct ks_program *program, bool turn)
{
	if (!program->ending) {
		program->ending = true;
		ks_timer_arm(program->timer, turn ? TURN_MS : 0);
	}
}

void ks_program_idle(struct ks_program *program)
{
	if (ks_timer_armed(program->timer)) {
		ks_timer_arm(program->timer, 0);
	}
}

bool ks_program_ending(const struct ks_program *program)
{
	return program->ending;
}

int ks_program_start(struct ks_program **out, const struct ks_agent_setup *setup,
	const char *const *argv, const char *const *env, const struct ks_program_ops *ops,
	struct ks_err *err)
{
	struct ks_program *program = ks_zalloc(1, sizeof(*program));
	struct ks_child_spec spec = {
		.argv = argv, .env = env, .cwd = setup->folder, .exec = setup->exec,
		.limits = {.pdeathsig = true}, .mark = setup->mark, .in = KS_CHILD_IN_PIPE,
		.input_ms = INPUT_MS, .int_ms = INT_MS,
		.output = child_output, .exited = child_exited, .ctx = program,
	};
	int rc;

	program->ops = *ops;
	program->timer = ks_timer_new(setup->loop, turn_over, program);
	rc = ks_child_start(&program->child, setup->loop, &spec, err);
	if (rc < 0) {
		ks_program_free(program);
		return rc;
	}
	*out = program;
	return 0;
}

int ks_program_send(struct ks_program *program, struct ks_str bytes, struct ks_err *err)
{
	return ks_child_write(program->child, bytes, err);
}

pid_t ks_program_pid(const struct ks_program *program)
{
	return ks_child_pid(program->child);
}

bool ks_program_owns(const struct ks_program *program, pid_t pid)
{
	return ks_child_owns(program->child, pid);
}

void ks_program_free(struct ks_program *program)
{
	if (program == NULL) {
		return;
	}
	ks_timer_free(program->timer);
	ks_child_free(program->child);
	ks_linebuf_fini(&program->lines);
	ks_buf_fini(&program->errors);
	ks_buf_fini(&program->noise);
	free(program);
}

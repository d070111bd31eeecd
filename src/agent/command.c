/*
 * Commands of the agents script and api.
 */
#include "agent/command.h"

static void on_output(void *ctx, int fd, struct ks_str bytes, bool cut)
{
	struct ks_command *command = ctx;

	ks_clip_add(&command->clip, bytes);
	if (command->heard != NULL) {
		command->heard(command->ctx);
	}
}

static void on_exited(void *ctx, const struct ks_child_exit *how)
{
	struct ks_command *command = ctx;
	struct ks_command_end end = {.stopped = how->stopped};
	struct ks_buf text = {0};

	end.status = how->signal != 0 ? 128 + how->signal : how->status;
	end.ok = end.status == 0 && !how->timed_out;
	ks_clip_text(&command->clip, &text);
	if (how->timed_out) {
		ks_buf_addf(&text, "%s(stopped after %lld s)\n",
			text.len > 0 && text.ptr[text.len - 1] != '\n' ? "\n" : "",
			(long long)(command->limit_ms / 1000));
	}
	end.output = ks_buf_str(&text);
	ks_command_fini(command);
	command->ended(command->ctx, &end);
	ks_buf_fini(&text);
}

int ks_command_start(struct ks_command *command, struct ks_loop *loop,
	struct ks_child_spec spec, struct ks_err *err)
{
	spec.limits.pdeathsig = true;
	spec.merge = true;
	spec.output = on_output;
	spec.exited = on_exited;
	spec.ctx = command;
	command->limit_ms = spec.timeout_ms;
	return ks_child_start(&command->child, loop, &spec, err);
}

bool ks_command_stop(struct ks_command *command)
{
	if (command->child != NULL) {
		ks_child_stop(command->child);
	}
	return command->child != NULL;
}

bool ks_command_owns(const struct ks_command *command, pid_t pid)
{
	return command->child != NULL && ks_child_owns(command->child, pid);
}

void ks_command_fini(struct ks_command *command)
{
	ks_child_free(command->child);
	command->child = NULL;
	ks_clip_fini(&command->clip);
}

/* The brief: goal, files, the one command, the rules. */
#include "engine/brief.h"

#include <stdlib.h>

static void put_files(struct ks_buf *out, const struct ks_campaign *c)
{
	ks_buf_adds(out, "\n## Files\n\n");
	for (size_t i = 0; i < c->files.count; i++) {
		ks_buf_addf(out, "- `%s`%s\n", c->files.items[i],
			i == 0 ? ": the kernel. Edit this." : "");
	}
	ks_buf_adds(out,
		"- `problem/`: the problem to read: definition, seed, reference and scenarios. "
		"The evaluator uses a sealed copy, so edits there change nothing.\n");
}

void ks_brief(struct ks_buf *out, const struct ks_campaign *campaign,
	const struct ks_problem *problem, const char *flags)
{
	char *prototype = ks_problem_prototype(problem);

	ks_buf_addf(out, "# Make this kernel faster\n\n%s\n\nThe entry is\n\n```c\n%s\n```\n",
		ks_problem_description(problem), prototype);
	free(prototype);
	ks_buf_adds(out, "\n## Goal\n\nEvery line must hold. It is computed from measurements, "
		"never judged.\n\n");
	for (size_t i = 0; i < campaign->goal.count; i++) {
		ks_buf_addf(out, "- %s\n", campaign->goal.items[i]);
	}
	put_files(out, campaign);
	ks_buf_addf(out, "\n## The one command\n\n```\nkseek eval\n```\n\n"
		"It builds the kernel (`%s`), checks every scenario against the seed and a "
		"reference, times it against the seed in interleaved pairs, commits it and prints "
		"a table. `kseek eval --only NAME` measures one scenario, `--no-perf` only checks, "
		"`--source FILE` measures a variant without touching the working copy. "
		"`kseek goal` shows the clauses, `kseek candidates` what was tried, "
		"`kseek diff A B` the difference of two. "
		"If your shell limits the time of a command, call `kseek eval` again: "
		"it waits for the same evaluation.\n", flags);
	ks_buf_adds(out, "\n## Rules\n\n"
		"- A speedup counts only where the result is correct; one incorrect scenario makes "
		"the mean 0.\n"
		"- Inputs are new in every call: nothing may be remembered from an earlier one but "
		"a workspace.\n"
		"- No other process, file, network, or time may be used by the kernel.\n"
		"- Report what was measured. A limit is a measurement against a bound, not an "
		"opinion.\n"
		"- When the turn ends and a line of the goal does not hold, work goes on.\n");
}

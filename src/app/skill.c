/* The skill's text: see skill.h. */
#include "app/skill.h"

#include <string.h>

#include "base/mem.h"
#include "base/plural.h"
#include "core/layer.h"

static const char description[] =
	"Short questions that find where a kernel's time goes when an optimisation is stuck. Use "
	"it at a plateau, when several evaluations brought no gain; before saying that a hardware "
	"limit, a memory-bound or compute-bound ceiling or a roofline is reached; before saying "
	"that the work is complete; after a suspicious speedup or a large win; and when a "
	"correctness check breaks. Each question is settled by one measurement.";

char *ks_skill_group_file(int group)
{
	char *path = ks_asprintf("references/%c-%s.md", ks_layer_letter(group),
		ks_layer_name(group));
	char *to = path;

	for (const char *at = path; *at != 0; at++) {
		char c = *at == ' ' || *at == ',' ? '-' : *at;
		if (c != '-' || to == path || to[-1] != '-') {
			*to++ = c;
		}
	}
	*to = 0;
	return path;
}

static size_t count_of(const struct ks_bank *bank, int group, unsigned target)
{
	size_t n = 0;

	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);
		n += e->group == group && (e->targets & target) != 0 &&
			e->status != KS_BANK_RETIRED;
	}
	return n;
}

static void put_groups(struct ks_buf *out, const struct ks_bank *bank, unsigned target)
{
	ks_buf_adds(out, "\n## The groups, from the outside of a call inwards\n\n");
	for (int g = 0; g < KS_LAYERS; g++) {
		size_t n = count_of(bank, g, target);
		char *file = ks_skill_group_file(g);
		if (n > 0) {
			ks_buf_addf(out, "- [%c, %s](%s): %zu question%s\n", ks_layer_letter(g),
				ks_layer_name(g), file, n, ks_s((long long)n));
		}
		free(file);
	}
}

void ks_skill_main(struct ks_buf *out, const struct ks_bank *bank, unsigned target)
{
	ks_buf_addf(out, "---\nname: %s\ndescription: %s\n---\n\n# Ask before you go on\n\n",
		KS_SKILL_NAME, description);
	ks_buf_adds(out,
		"You are making a kernel faster and have come to a point where a decision is due.\n"
		"Do not decide from what you believe. Ask one of these questions, answer it by a "
		"measurement, and decide then.\n\n"
		"## When\n\n"
		"| what just happened | questions marked |\n|---|---|\n"
		"| you begin, and nothing is measured | start |\n"
		"| several evaluations without a gain | plateau |\n"
		"| you are about to say that a limit is reached | limit |\n"
		"| you are about to say that the work is done | completion |\n"
		"| one step brought far more than expected | win |\n"
		"| a check fails, or you are explaining why a failure does not matter | break |\n\n"
		"## How\n\n"
		"1. Name the moment. Name the layer that you measured last.\n"
		"2. Choose two or three questions of *other* layers that are marked for this "
		"moment. Prefer the layer that was never measured, and what costs less.\n"
		"3. Start one subagent for each, where you can; else take them one after the "
		"other. Give it the question, the folder, and these rules, and nothing of what you "
		"expect.\n"
		"4. A subagent returns a measurement, never a patch: the value with its unit, the "
		"bound that it is held against, the command that measured it, and the scenario. It "
		"does not edit the kernel. A variant that it needs goes to a file of its own and "
		"is measured by `kseek eval --source FILE`.\n"
		"5. An answer without a number is no answer: ask again, or ask another question.\n"
		"6. Compare the answers with their bounds. The largest gap says where to work "
		"next. If every answer lies at its bound, say so with the numbers.\n\n"
		"## Rules for a subagent\n\n"
		"- One question. One measurement that settles it. Then stop.\n"
		"- Report `value`, `unit`, `bound`, `command`, `scenario`, and how often it was "
		"repeated.\n"
		"- No other process uses the machine's cores or its GPU while it measures: one at "
		"a time.\n"
		"- Do not change `kernel.*`, `problem/` or anything in `.kseek/`.\n");
	put_groups(out, bank, target);
}

static void put_list(struct ks_buf *out, const char *name, const struct ks_bank_list *list)
{
	if (list->count == 0) {
		return;
	}
	ks_buf_addf(out, "; %s ", name);
	for (size_t i = 0; i < list->count; i++) {
		ks_buf_addf(out, "%s%s", i > 0 ? ", " : "", list->item[i]);
	}
}

static void put_entry(struct ks_buf *out, const struct ks_bank_entry *e, unsigned target)
{
	bool first = true;

	ks_buf_addf(out, "## %s\n\n%s\n\n", e->id, ks_bank_text(e, target));
	ks_buf_adds(out, "*Ask at:* ");
	for (int p = 0; p < KS_POINTS; p++) {
		if (e->points & (1u << p)) {
			ks_buf_addf(out, "%s%s", first ? "" : ", ",
				ks_point_name((enum ks_point)p));
			first = false;
		}
	}
	ks_buf_addf(out, ". *An answer is:* %s; against %s; cost %s",
		e->quantity != NULL ? e->quantity : "a number with a unit",
		target == KS_BANK_CPU && e->bound_cpu != NULL ? e->bound_cpu : e->bound,
		ks_bank_cost_name(e->cost));
	put_list(out, "measured with", ks_bank_tools(e, target));
	put_list(out, "needs", ks_bank_needs(e, target));
	ks_buf_adds(out, ".\n\n");
}

void ks_skill_group(struct ks_buf *out, const struct ks_bank *bank, int group, unsigned target)
{
	if (count_of(bank, group, target) == 0) {
		return;
	}
	ks_buf_addf(out, "# %c: %s\n\n", ks_layer_letter(group), ks_layer_name(group));
	for (size_t i = 0; i < ks_bank_count(bank); i++) {
		const struct ks_bank_entry *e = ks_bank_at(bank, i);
		if (e->group == group && (e->targets & target) != 0 &&
				e->status != KS_BANK_RETIRED) {
			put_entry(out, e, target);
		}
	}
}

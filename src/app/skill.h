#ifndef KSEEK_APP_SKILL_H
#define KSEEK_APP_SKILL_H
/*
 * The question bank as an Agent Skill: a folder with SKILL.md (front matter and
 * what to do), and the questions in references/, one file a group. Only name and
 * description are in an agent's context until it uses the skill, so the words by
 * which it finds it are in the description.
 */
#include "core/bank.h"

#define KS_SKILL_NAME "kseek-questions"

void ks_skill_main(struct ks_buf *out, const struct ks_bank *bank, unsigned target);
/* One group (enum ks_layer); nothing is appended for a group without entries. */
void ks_skill_group(struct ks_buf *out, const struct ks_bank *bank, int group, unsigned target);
/* "references/H-host-launch-path.md"; gives. */
char *ks_skill_group_file(int group);

#endif

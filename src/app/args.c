/* Option tables: see args.h. GNU style, options and words in any order. */
#include "app/args.h"

#include <errno.h>
#include <stdio.h>

#include "app/common.h"
#include "base/buf.h"
#include "base/sane.h"

#define HELP_COLUMNS 80
#define HELP_LEFT 27  /* where what an option does begins */

/* Lines are broken in front of a bracket or a bar. */
static void print_usage(const struct ks_sub *sub)
{
	size_t left = strlen("usage: kseek ") + strlen(sub->name) + 1;
	const char *rest = sub->args;

	printf("usage: kseek %s%s", sub->name, rest[0] != '\0' ? " " : "");
	while (left + strlen(rest) > HELP_COLUMNS) {
		size_t cut = HELP_COLUMNS - left;
		while (cut > 0 && (rest[cut] != ' ' || strchr("[|", rest[cut + 1]) == NULL)) {
			cut--;
		}
		if (cut == 0) {
			break;
		}
		printf("%.*s\n%*s", (int)cut, rest, (int)left, "");
		rest += cut + 1;
	}
	puts(rest);
}

static void print_help(const struct ks_sub *sub, const struct ks_opt *opts)
{
	print_usage(sub);
	printf("%s\n", sub->summary);
	if (sub->details != NULL) {
		printf("\n%s\n", sub->details);
	}
	printf("\noptions:\n");
	for (const struct ks_opt *o = opts; o->name != NULL; o++) {
		char left[48];
		snprintf(left, sizeof(left), "--%s%s%s", o->name,
			o->arg != NULL ? " " : "", o->arg != NULL ? o->arg : "");
		printf("  %-24s ", left);
		ks_put_wrapped(stdout, o->help, HELP_LEFT, HELP_COLUMNS);
	}
	printf("  %-24s %s\n", "--help", "this text");
}

static int usage_error(const struct ks_sub *sub, const char *what, const char *word)
{
	char shown[256] = ""; /* it may come out of somebody's script */

	if (word != NULL) {
		ks_sane_into(shown, sizeof(shown), ks_str_of(word), KS_SANE_ONE_LINE);
	}
	fprintf(stderr, "kseek %s: %s%s%s; see 'kseek %s --help'\n", sub->name,
		what, word != NULL ? " " : "", shown, sub->name);
	return -2;
}

static const struct ks_opt *find(const struct ks_opt *opts, const char *word,
	const char **out_value)
{
	for (const struct ks_opt *o = opts; o->name != NULL; o++) {
		size_t n = strlen(o->name);
		if (strncmp(word, o->name, n) != 0) {
			continue;
		}
		if (word[n] == 0 || word[n] == '=') {
			*out_value = word[n] == '=' ? word + n + 1 : NULL;
			return o;
		}
	}
	return NULL;
}

static bool store(const struct ks_opt *o, const char *value)
{
	struct ks_list *list = o->to;
	char *end = NULL;
	long number;

	switch (o->type) {
	case KS_OPT_FLAG:
		*(bool *)o->to = true;
		return true;
	case KS_OPT_TEXT:
		*(const char **)o->to = value;
		return true;
	case KS_OPT_INT:
		errno = 0;
		number = strtol(value, &end, 10);
		if (errno != 0 || end == value || *end != 0) {
			return false;
		}
		*(long *)o->to = number;
		return true;
	case KS_OPT_LIST:
		if (list->count == sizeof(list->item) / sizeof(list->item[0])) {
			return false;
		}
		list->item[list->count++] = value;
		return true;
	}
	return false;
}

/* Handles the option at argv[*i]; moves *i past its value. */
static int option(const struct ks_sub *sub, const struct ks_opt *opts, int argc, char **argv,
	int *i)
{
	const char *value = NULL;
	const struct ks_opt *o = find(opts, argv[*i] + 2, &value);

	if (o == NULL) {
		return usage_error(sub, "unknown option", argv[*i]);
	}
	if (o->type == KS_OPT_FLAG && value != NULL) {
		return usage_error(sub, "takes no value:", argv[*i]);
	}
	if (o->type != KS_OPT_FLAG && value == NULL) {
		if (*i + 1 >= argc) {
			return usage_error(sub, "needs a value:", argv[*i]);
		}
		value = argv[++*i];
	}
	if (!store(o, value)) {
		return usage_error(sub, "not a whole number, or too many values:", value);
	}
	return 0;
}

int ks_args(const struct ks_sub *sub, const struct ks_opt *opts, int argc,
	char **argv, const char **rest, int min, int max)
{
	int count = 0;
	bool words_only = false;

	for (int i = 1; i < argc; i++) {
		if (!words_only && strcmp(argv[i], "--") == 0) {
			words_only = true;
		} else if (!words_only && (strcmp(argv[i], "--help") == 0 ||
				strcmp(argv[i], "-h") == 0)) {
			print_help(sub, opts);
			return -1;
		} else if (!words_only && strncmp(argv[i], "--", 2) == 0) {
			int rc = option(sub, opts, argc, argv, &i);
			if (rc < 0) {
				return rc;
			}
		} else if (count == max) {
			return usage_error(sub, "one word too many:", argv[i]);
		} else {
			rest[count++] = argv[i];
		}
	}
	if (count < min) {
		fprintf(stderr,
			"kseek %s: missing argument; usage: kseek %s %s; see 'kseek %s --help'\n",
			sub->name, sub->name, sub->args, sub->name);
		return -2;
	}
	return count;
}

/*
 * Human messages by their primary act. Rules in order of force: a message that
 * states what must hold is a goal; one that says something was wrong is a
 * correction; one that only agrees is an approval; a request in the form of a
 * question is a directive; what asks for a finding is a question; the rest
 * tells the agent to do something.
 *
 * Words are compared in lower case, one at a time: no pattern, no allocation,
 * bounded by the first and last kilobyte of the message.
 */
#include "core/act.h"

#include <ctype.h>
#include <string.h>

#define TEXT_MAX 1024

static const char *const names[KS_ACTS] = {
	"question", "directive", "approval", "correction", "goal",
};

const char *ks_act_name(enum ks_act act)
{
	return (unsigned)act < KS_ACTS ? names[act] : names[KS_ACT_DIRECTIVE];
}

int ks_act_of(struct ks_str name)
{
	for (int i = 0; i < KS_ACTS; i++) {
		if (ks_str_is(name, names[i])) {
			return i;
		}
	}
	return -1;
}

/* " lower case words , ? ": marks stand apart, so phrases are found whole. */
struct plain {
	char text[2 * TEXT_MAX + 8];
	size_t len;
	size_t words;
};

static void put(struct plain *p, char c)
{
	if (p->len + 2 < sizeof(p->text) && !(c == ' ' && p->text[p->len - 1] == ' ')) {
		p->text[p->len++] = c;
	}
}

static void flatten(struct plain *p, struct ks_str s)
{
	*p = (struct plain){.text = " ", .len = 1};
	for (size_t i = 0; i < s.len && i < TEXT_MAX; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		bool curly = c == 0xe2 && i + 2 < s.len &&
			(unsigned char)s.ptr[i + 1] == 0x80 &&
			(unsigned char)s.ptr[i + 2] == 0x99;

		if (curly) {
			put(p, '\'');
			i += 2;
		} else if (isalnum(c) || c == '\'' || c == '-' || c == '_' || c == '%') {
			put(p, (char)tolower(c));
		} else if (c == '?' || c == '!' || c == '.' || c == ',' || c == ':' ||
				c == ';' || c == '>' || c == '=' || c == '<') {
			bool inside = c == '.' && i + 1 < s.len &&
				isalnum((unsigned char)s.ptr[i + 1]);

			if (inside) {
				put(p, '.');
				continue;
			}
			put(p, ' ');
			put(p, (char)c);
			put(p, ' ');
		} else {
			put(p, ' ');
		}
	}
	put(p, ' ');
	p->text[p->len] = '\0';
	for (size_t i = 1; i < p->len; i++) {
		p->words += p->text[i] == ' ' && isalnum((unsigned char)p->text[i - 1]);
	}
}

/* Whether one of a NULL-terminated list of phrases is in the text. */
static bool any(const struct plain *p, const char *const *list)
{
	for (; *list; list++) {
		if (strstr(p->text, *list)) {
			return true;
		}
	}
	return false;
}

static bool begins(const struct plain *p, const char *const *list)
{
	for (; *list; list++) {
		if (strncmp(p->text, *list, strlen(*list)) == 0) {
			return true;
		}
	}
	return false;
}

static const char *const goals[] = {
	" the goal is ", " the goal : ", " new goal ", " our goal ", " your goal ",
	" the target is ", " new target ", " we need at least ", " must be at least ",
	" must reach ", " has to reach ", " should reach ", " at least 1.", " every speedup ",
	" every scenario must ", " every scenario correct ", " all scenarios must ",
	" geomean speedup ", " worst speedup ", " > = ", " is met only when ",
	" is done when ", " done means ", " success means ", " success is ",
	" no scenario may be ", " must not be slower ", " acceptance ", NULL
};

static const char *const corrections[] = {
	" no , ", " no . ", " no ! ", " nope ", " that's wrong ", " that is wrong ",
	" this is wrong ",
	" that's not ", " that is not ", " this is not what ", " not what i ", " you are wrong ",
	" you're wrong ", " incorrect ", " you misunderstood ", " you misread ", " i said ",
	" i meant ", " i asked for ", " i did not ask ", " i didn't ask ", " you forgot ",
	" you skipped ", " you missed ", " you broke ", " you should not have ",
	" you shouldn't have ", " undo that ", " undo this ", " revert that ", " revert this ",
	" revert your ", " stop doing ", " stop changing ", " don't do that ",
	" do not do that ", " instead of what you ", " wrong file ", " wrong kernel ",
	" wrong scenario ", " wrong one ", " actually , ", " again you ", " that did not ",
	" that didn't ", " you keep ", " not true ", " mistaken ", NULL
};

static const char *const approvals[] = {
	" yes ", " yep ", " yeah ", " ok ", " okay ", " good ", " great ", " nice ", " perfect ",
	" excellent ", " thanks ", " thank you ", " well done ", " fine ", " agreed ",
	" approved ", " lgtm ", " looks good ", " sounds good ", " go ahead ", " go for it ",
	" sure ", " correct ", " exactly ", " right ", " please do ", " proceed ",
	" continue ", " carry on ", " keep going ", " keep it up ", " go on ", " do it ",
	" accepted ", " awesome ", " cool ", " i agree ", " makes sense ", " y ", NULL
};

/* Requests dressed as questions. */
static const char *const requests[] = {
	" can you ", " could you ", " would you ", " will you ", " can we ", " could we ",
	" shall we ", " why don't you ", " why don't we ", " why not ", " how about ",
	" what about ", " would you mind ", " do you mind ", " may i ask you to ", NULL
};

/* ... unless what is requested is a finding. */
static const char *const findings[] = {
	" tell me ", " explain ", " say ", " show me ", " say why ", " tell us ", " estimate ",
	" can you see ", " could it ", " can you tell ", " do you know ", " could you tell ",
	" be sure ", " confirm whether ", NULL
};

static const char *const asks[] = {
	" what ", " what's ", " which ", " how ", " where ", " why ", " when ", " who ", " is ",
	" are ", " was ", " were ", " does ", " do ", " did ", " has ", " have ", " had ",
	" could ", " can ", " would ", " will ", " should ", " shall ", " may ", " isn't ",
	" aren't ", " doesn't ", " don't ", " didn't ", " won't ", " of ", " for ", " in ",
	" while ", " if ", " with ", " under ", " at ", " as ", NULL
};

static const char *const starts_asking[] = {
	" what ", " what's ", " which ", " how ", " where ", " why ", " who ", " whose ", NULL
};

/* Whether the message ends in a question mark, or any sentence does. */
static bool interrogative(const struct plain *p)
{
	if (strchr(p->text, '?')) {
		return true;
	}
	/* "what is the peak of this device", without its mark */
	return begins(p, starts_asking) && p->words >= 3 && p->words <= 20 &&
		!strstr(p->text, " : ");
}

/* An agreement and nothing else, or with the order to go on. */
static bool is_approval(const struct plain *p)
{
	static const char *const go_on[] = {
		" continue ", " go ahead ", " proceed ", " carry on ", " keep going ",
		" go on ", " please do ", " go for it ", NULL
	};

	if (!begins(p, approvals) || strchr(p->text, '?')) {
		return false;
	}
	return p->words <= 6 || (p->words <= 14 && any(p, go_on)) ||
		(p->words <= 12 && begins(p, (const char *const[]){" good ", " great ",
			" nice ", " perfect ", " excellent ", " thanks ", " thank you ",
			" well done ", " looks good ", " lgtm ", NULL}));
}

static bool is_goal(const struct plain *p)
{
	return any(p, goals) && !strchr(p->text, '?');
}

/* A request for an action: "could you run it again?". */
static bool is_request(const struct plain *p)
{
	return any(p, requests) && !any(p, findings);
}

void ks_act_classify(struct ks_act_class *out, struct ks_str message)
{
	struct plain p;

	flatten(&p, ks_str_trim(message));
	*out = (struct ks_act_class){.act = KS_ACT_DIRECTIVE,
		.interrogative = interrogative(&p)};
	if (is_goal(&p)) {
		out->act = KS_ACT_GOAL;
	} else if (is_approval(&p)) {
		out->act = KS_ACT_APPROVAL;
	} else if (any(&p, corrections) && !begins(&p, starts_asking)) {
		out->act = KS_ACT_CORRECTION;
	} else if (out->interrogative && !is_request(&p) && any(&p, asks)) {
		out->act = KS_ACT_QUESTION;
	} else if (out->interrogative && any(&p, findings)) {
		out->act = KS_ACT_QUESTION;
	}
}

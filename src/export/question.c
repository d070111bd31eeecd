/* Whether a message that carries a question of the bank was edited before it
 * was sent: see record.h. */
#include "core/bank.h"
#include "export/record.h"

/* Whether a wording could have become what was sent: {placeholders} stand for
 * anything, all else is alike. */
static bool fits(struct ks_str wording, struct ks_str sent)
{
	bool first = true;

	for (;;) {
		ptrdiff_t open = ks_str_find(wording, KS_STR("{"));
		struct ks_str piece = {wording.ptr, open < 0 ? wording.len : (size_t)open};
		ptrdiff_t at = ks_str_find(sent, piece);
		if (at < 0 || (first && at != 0)) {
			return false;
		}
		size_t skip = (size_t)at + piece.len;
		if (open < 0) { /* the last piece ends it */
			return piece.len <= sent.len && (!first || piece.len == sent.len) &&
				(piece.len == 0 || memcmp(sent.ptr + sent.len - piece.len,
					piece.ptr, piece.len) == 0);
		}
		sent = (struct ks_str){sent.ptr + skip, sent.len - skip};
		wording = (struct ks_str){wording.ptr + open, wording.len - (size_t)open};
		ptrdiff_t close = ks_str_find(wording, KS_STR("}"));
		if (close < 0) {
			return true;
		}
		wording.ptr += close + 1;
		wording.len -= (size_t)close + 1;
		first = false;
	}
}

static const struct ks_offer *offer_of(const struct ks_state *state, const struct ks_message *m)
{
	if (m->moment < 0 || (size_t)m->moment >= state->n_moments) {
		return NULL;
	}
	const struct ks_moment *moment = &state->moments[m->moment];
	for (int i = 0; i < moment->n_offers; i++) {
		if (strcmp(moment->offers[i].question, m->question) == 0) {
			return &moment->offers[i];
		}
	}
	return NULL;
}

const char *ks_export_edited(const struct ks_export_source *source,
	const struct ks_message *message, struct ks_str sent)
{
	if (message == NULL || message->question[0] == 0) {
		return NULL;
	}
	sent = ks_str_trim(sent);
	const struct ks_offer *offer = offer_of(source->final, message);
	if (offer != NULL) {
		return ks_str_is(sent, offer->text) ? NULL : offer->text;
	}
	const struct ks_bank *bank = source->data->bank;
	const struct ks_bank_entry *entry = bank == NULL ? NULL :
		ks_bank_find(bank, ks_str_of(message->question));
	if (entry == NULL || fits(ks_str_of(entry->question), sent) ||
			(entry->question_cpu != NULL &&
			fits(ks_str_of(entry->question_cpu), sent))) {
		return NULL;
	}
	return ks_bank_text(entry, strcmp(source->final->target, "cpu") == 0 ? KS_BANK_CPU :
		KS_BANK_CUDA);
}

/*
 * A request to the model: sent, streamed, tried again, and what comes of it.
 *
 * Callbacks of src/http only collect and show; what follows is done by the step
 * function (ks_api_request_done), so that nothing is freed under a callback.
 */
#include <stdio.h>
#include <sys/random.h>

#include "agent/api.h"
#include "base/mem.h"
#include "base/sane.h"

#define TRIES_MAX 8
#define WAIT_MAX_MS (60 * 1000)
#define NAMED_WAIT_MAX_MS (10 * 60 * 1000) /* a longer Retry-After ends the turn */
#define SHORTEN_MAX 3
#define EMPTY_MAX 2
#define CUT_MAX 3
#define REFUSAL_MAX (64u * 1024)
#define IDLE_MS (5 * 60 * 1000)

/* ---- what is shown while it comes ---- */

/* How much of the text's end could be the beginning of the key. */
static size_t key_begins(const char *key, struct ks_str text)
{
	size_t len = key != NULL ? strlen(key) : 0;
	size_t n = len > text.len ? text.len : len > 0 ? len - 1 : 0;

	while (n > 0 && memcmp(text.ptr + text.len - n, key, n) != 0) {
		n--;
	}
	return n;
}

/* Text comes in pieces, and so may the key: what could be its beginning waits
 * for what follows. */
static void show(struct ks_api *a, struct ks_api_shown *shown, enum ks_ev kind,
	struct ks_str text)
{
	struct ks_buf clean = {0};
	struct ks_str all;
	size_t held;

	ks_buf_addstr(&shown->held, text);
	all = ks_api_clean(a, ks_buf_str(&shown->held), &clean);
	held = key_begins(a->config.key, all);
	ks_talk_text(&a->talk, kind, "", (struct ks_str){all.ptr, all.len - held});
	if (all.ptr != shown->held.ptr) {
		ks_buf_clear(&shown->held);
		ks_buf_add(&shown->held, all.ptr + all.len - held, held);
	} else {
		ks_buf_drop(&shown->held, all.len - held);
	}
	ks_buf_fini(&clean);
}

/* Nothing follows. */
static void show_held(struct ks_api *a, struct ks_api_shown *shown, enum ks_ev kind)
{
	struct ks_buf clean = {0};

	ks_http_redact(&clean, ks_buf_str(&shown->held), a->config.key);
	ks_talk_text(&a->talk, kind, "", ks_buf_str(&clean));
	ks_buf_clear(&shown->held);
	ks_buf_fini(&clean);
}

/* A try after one that broke begins anew: what is the same is not shown twice. */
static void show_new(struct ks_api *a, struct ks_api_shown *shown, enum ks_ev kind,
	struct ks_str text)
{
	size_t before = shown->now.len;
	struct ks_str whole;

	ks_buf_addstr(&shown->now, text);
	whole = ks_buf_str(&shown->now);
	if (shown->differs || shown->before.len == 0) {
		show(a, shown, kind, text);
		return;
	}
	if (whole.len <= shown->before.len) {
		shown->differs = memcmp(whole.ptr, shown->before.ptr, whole.len) != 0;
	} else {
		shown->differs = memcmp(whole.ptr, shown->before.ptr, shown->before.len) != 0;
		if (!shown->differs && before < shown->before.len) {
			before = shown->before.len;
		}
		if (!shown->differs) {
			show(a, shown, kind,
				(struct ks_str){whole.ptr + before, whole.len - before});
		}
	}
	if (shown->differs) {
		ks_talk_flush(&a->talk);
		show(a, shown, kind, whole);
	}
}

void ks_api_shown_fini(struct ks_api_shown *shown)
{
	ks_buf_fini(&shown->before);
	ks_buf_fini(&shown->now);
	ks_buf_fini(&shown->held);
	*shown = (struct ks_api_shown){0};
}

/* The try is over: what was shown of it, or of the one before where that was
 * longer, is what the next is compared with. */
static void show_again(struct ks_api_shown *shown)
{
	if (shown->differs || shown->now.len > shown->before.len) {
		struct ks_buf old = shown->before;

		shown->before = shown->now;
		shown->now = old;
	}
	ks_buf_clear(&shown->now);
	shown->differs = false;
}

static void show_stream(struct ks_api *a)
{
	const struct ks_model_reply *reply = &a->stream.reply;

	while (a->block < reply->count) {
		const struct ks_model_block *b = &reply->blocks[a->block];
		struct ks_str all = ks_buf_str(&b->text);

		if (a->block_at < all.len) {
			struct ks_str text = {all.ptr + a->block_at, all.len - a->block_at};

			a->block_at = all.len;
			if (b->what == KS_MODEL_TEXT) {
				show_new(a, &a->said, KS_EV_AGENT_SAID, text);
			} else if (b->what == KS_MODEL_THOUGHT) {
				show_new(a, &a->thought, KS_EV_AGENT_THOUGHT, text);
			}
		}
		if (a->block + 1 == reply->count) {
			return;
		}
		show_held(a, b->what == KS_MODEL_TEXT ? &a->said : &a->thought,
			b->what == KS_MODEL_TEXT ? KS_EV_AGENT_SAID : KS_EV_AGENT_THOUGHT);
		a->block++;
		a->block_at = 0;
	}
}

/* ---- callbacks ---- */

static void on_head(void *ctx, const struct ks_http_head *head)
{
	((struct ks_api *)ctx)->head = *head;
}

static bool is_stream(const struct ks_api *a)
{
	return a->head.status == 200 && strcmp(a->head.type, "application/json") != 0;
}

static void on_take(void *ctx, struct ks_str bytes)
{
	struct ks_api *a = ctx;

	ks_talk_heard(&a->talk);
	if (!is_stream(a)) {
		if (a->refusal.len < REFUSAL_MAX) {
			ks_buf_addstr(&a->refusal, bytes);
		}
		return;
	}
	if (ks_model_add(&a->stream, bytes, &a->stream_err) < 0) {
		a->stream_failed = a->request_ended = true;
		ks_http_cancel(a->call);
		a->call = NULL;
		ks_api_schedule(a);
		return;
	}
	show_stream(a);
}

static void on_done(void *ctx, const struct ks_http_end *end)
{
	struct ks_api *a = ctx;

	a->call = NULL;
	a->request_ended = true;
	a->end = *end;
	snprintf(a->end_text, sizeof(a->end_text), "%s", end->text);
	ks_api_schedule(a);
}

/* ---- sending ---- */

/* A conversation that would not fit is made shorter before it is sent. */
static void shorten_early(struct ks_api *a)
{
	double limit, tokens, fixed = (double)a->fixed_bytes * a->tokens_per_byte;

	if (a->config.context <= 0 || a->tokens_per_byte <= 0) {
		return;
	}
	limit = (double)a->config.context - (double)a->config.max_tokens;
	limit = limit > (double)a->config.context / 2 ? limit : (double)a->config.context / 2;
	tokens = (double)ks_chat_bytes(&a->chat) * a->tokens_per_byte + fixed;
	if (tokens > limit * 0.9 && fixed < limit * 0.5 && ks_chat_compact(&a->chat,
			(size_t)((limit * 0.5 - fixed) / a->tokens_per_byte))) {
		ks_talk_notice(&a->talk, "quiet", "the conversation comes near the model's context "
			"(about %.0f of %lld tokens): old outputs were left out", tokens,
			(long long)a->config.context);
	}
}

static void begin(struct ks_api *a)
{
	ks_model_fini(&a->stream);
	ks_model_begin(&a->stream, a->config.api);
	ks_buf_clear(&a->refusal);
	a->head = (struct ks_http_head){.retry_after_ms = -1};
	a->end = (struct ks_http_end){0};
	a->end_text[0] = '\0';
	a->stream_failed = a->request_ended = false;
	a->stream_err = (struct ks_err)KS_ERR_INIT;
	a->block = a->block_at = 0;
	a->phase = KS_API_ASKING;
}

void ks_api_request(struct ks_api *a)
{
	static const char *const anthropic[] = {
		"Content-Type: application/json", "Accept: text/event-stream",
		"anthropic-version: 2023-06-01", NULL
	};
	static const char *const openai[] = {
		"Content-Type: application/json", "Accept: text/event-stream", NULL
	};
	bool is_anthropic = a->config.api == KS_MODEL_ANTHROPIC;
	const struct ks_chat_request request = {
		.api = a->config.api, .model = a->config.model, .rules = a->rules,
		.tools = ks_api_tools(), .max_tokens = a->config.max_tokens,
		.max_field = a->config.max_field,
	};
	struct ks_http_request http = {
		.url = a->config.url, .headers = is_anthropic ? anthropic : openai,
		.secret_header = is_anthropic ? "x-api-key" : "Authorization",
		.secret_prefix = is_anthropic ? "" : "Bearer ", .secret = a->config.key,
		.idle_ms = IDLE_MS, .head = on_head, .take = on_take, .done = on_done, .ctx = a,
	};
	struct ks_buf body = {0};
	struct ks_err err = KS_ERR_INIT;

	shorten_early(a);
	begin(a);
	ks_chat_write(&body, &a->chat, &request);
	a->asked_bytes = body.len;
	a->fixed_bytes = body.len > ks_chat_bytes(&a->chat) ?
		body.len - ks_chat_bytes(&a->chat) : 0;
	http.body = ks_buf_str(&body);
	if (ks_http_start(&a->call, ks_net_http(a->net), &http, &err) < 0) {
		ks_api_finish(a, "error", ks_str_of(err.msg), "");
	}
	ks_buf_fini(&body);
}

void ks_api_request_stop(struct ks_api *a)
{
	ks_http_cancel(a->call);
	a->call = NULL;
	a->request_ended = false;
	if (a->again != NULL) {
		ks_timer_cancel(a->again);
	}
}

/* ---- failures ---- */

int64_t ks_api_backoff(int n, int64_t first_ms, double chance)
{
	double ms = (double)first_ms;

	for (int i = 1; i < n && ms < WAIT_MAX_MS; i++) {
		ms *= 2;
	}
	ms = ms < WAIT_MAX_MS ? ms : WAIT_MAX_MS;
	return (int64_t)(ms * (0.75 + 0.5 * chance));
}

static double chance(void)
{
	unsigned x = 0;

	return getrandom(&x, sizeof(x), GRND_NONBLOCK) == (ssize_t)sizeof(x)
		? (double)x / 4294967296.0 : 0.5;
}

/* One clean line about what went wrong. */
static void say_fault(struct ks_api *a, struct ks_buf *out, struct ks_str text)
{
	struct ks_buf line = {0}, sane = {0};

	if (a->head.status > 0 && a->head.status != 200) {
		ks_buf_addf(&line, "status %d", a->head.status);
	}
	if (text.len > 0) {
		ks_buf_addf(&line, "%s%.*s", line.len > 0 ? ": " : "", KS_FMT(text));
	}
	ks_http_redact(&sane, ks_buf_str(&line), a->config.key);
	ks_sane(out, ks_buf_str(&sane), KS_SANE_ONE_LINE);
	ks_buf_fini(&line);
	ks_buf_fini(&sane);
}

static void give_up(struct ks_api *a, struct ks_str text)
{
	struct ks_buf line = {0};

	ks_buf_addf(&line, "%s: %.*s", a->config.label, KS_FMT(text));
	if (a->head.status == 401 || a->head.status == 403) {
		ks_buf_adds(&line, a->config.key != NULL ? " (check the key)"
			: " (no key was sent: name \"key_env\" or \"key_file\" for the agent)");
	}
	ks_api_finish(a, "error", ks_buf_str(&line), "");
	ks_buf_fini(&line);
}

static void try_again(struct ks_api *a, struct ks_str text)
{
	int64_t ms = a->head.retry_after_ms;
	struct ks_buf line = {0};

	if (++a->tries >= TRIES_MAX || ms > NAMED_WAIT_MAX_MS) {
		ks_buf_addf(&line, "%.*s; gave up after %d tries", KS_FMT(text), a->tries);
		if (ms > NAMED_WAIT_MAX_MS) {
			ks_buf_addf(&line, ", the server asks to wait %lld s",
				(long long)(ms / 1000));
		}
		give_up(a, ks_buf_str(&line));
		ks_buf_fini(&line);
		return;
	}
	if (ms < 0) {
		ms = ks_api_backoff(a->tries, a->config.retry_ms, chance());
	}
	show_again(&a->said);
	show_again(&a->thought);
	ks_talk_notice(&a->talk, "quiet", "model server: %.*s; trying again in %.1f s (%d of %d)",
		KS_FMT(text), (double)ms / 1000, a->tries, TRIES_MAX - 1);
	a->phase = KS_API_WAITING;
	ks_timer_arm(a->again, ms);
}

static void shorten(struct ks_api *a, struct ks_str text)
{
	size_t bytes = ks_chat_bytes(&a->chat);

	if (a->shortened++ >= SHORTEN_MAX || !ks_chat_compact(&a->chat, bytes / 2)) {
		give_up(a, text);
		return;
	}
	ks_talk_notice(&a->talk, "quiet", "the conversation was too long for the model (%.*s): "
		"shortened from %zu to %zu KiB", KS_FMT(text), bytes / 1024,
		ks_chat_bytes(&a->chat) / 1024);
	a->phase = KS_API_READY;
	ks_api_schedule(a);
}

static void failed(struct ks_api *a, enum ks_model_fault fault, struct ks_str text)
{
	struct ks_buf line = {0};
	struct ks_str clean;

	say_fault(a, &line, text);
	clean = ks_buf_str(&line);
	if (fault == KS_MODEL_TOO_LONG) {
		shorten(a, clean);
	} else if (fault == KS_MODEL_RETRY) {
		try_again(a, clean);
	} else {
		give_up(a, clean);
	}
	ks_buf_fini(&line);
}

/* ---- a whole reply ---- */

static double price_of(const struct ks_api_config *c, const struct ks_model_usage *u)
{
	const int64_t tokens[] = {u->input, u->output, u->cache_read, u->cache_write};
	double cost = 0;

	for (size_t i = 0; i < 4; i++) {
		if (tokens[i] > 0) {
			if (c->price[i] < 0) {
				return -1;
			}
			cost += (double)tokens[i] * c->price[i] / 1e6;
		}
	}
	return cost;
}

static void put_count(struct ks_jw *w, const char *key, int64_t n)
{
	if (n >= 0) {
		ks_jw_int(w, key, n);
	}
}

static void take_usage(struct ks_api *a)
{
	const struct ks_model_usage *u = &a->stream.reply.usage;
	double cost = u->cost >= 0 ? u->cost : price_of(&a->config, u);
	int64_t used = 0;
	struct ks_buf members = {0};
	struct ks_jw w;

	used += u->input > 0 ? u->input : 0;
	used += u->cache_read > 0 ? u->cache_read : 0;
	used += u->cache_write > 0 ? u->cache_write : 0;
	if (used > 0 && a->asked_bytes > 0) {
		a->tokens_per_byte = (double)used / (double)a->asked_bytes;
	}
	if (u->input < 0 && u->output < 0) {
		return;
	}
	ks_jw_members(&w, &members);
	ks_jw_str(&w, "scope", "request");
	put_count(&w, "input", used);
	put_count(&w, "output", u->output);
	put_count(&w, "cached", u->cache_read);
	if (cost >= 0) {
		a->cost += cost;
		a->cost_known = true;
	}
	if (a->cost_known) {
		ks_jw_num(&w, "cost", a->cost);
		ks_jw_str(&w, "currency", "USD");
		ks_jw_str(&w, "cost_scope", "session");
	}
	ks_jw_int(&w, "used", used + (u->output > 0 ? u->output : 0));
	if (a->config.context > 0) {
		ks_jw_int(&w, "size", a->config.context);
	}
	ks_talk_usage(&a->talk, ks_buf_str(&members));
	ks_buf_fini(&members);
}

/* A reply that hit its limit may end within a call: such a call is dropped.
 * True when one was. */
static bool drop_half_call(struct ks_model_reply *reply)
{
	struct ks_model_block *last = reply->count > 0 ? &reply->blocks[reply->count - 1] : NULL;

	if (reply->stop != KS_MODEL_LENGTH || last == NULL || last->what != KS_MODEL_CALL ||
		(last->text.len > 0 && ks_model_call_whole(last))) {
		return false;
	}
	ks_buf_fini(&last->text);
	ks_buf_fini(&last->proof);
	free(last->id);
	free(last->name);
	reply->count--;
	return true;
}

/* The reply was cut: the model is told behind the results of its whole calls. */
static void go_on(struct ks_api *a, bool half)
{
	if (++a->cuts > CUT_MAX) {
		ks_chat_answer_all(&a->chat, "not run: the turn ended");
		ks_api_finish(a, "limit", KS_STR("replies hit their limit of tokens again and "
			"again; raise \"max_tokens\" of the agent"), a->stream.reply.stop_word);
		return;
	}
	ks_talk_notice(&a->talk, "quiet", "the reply hit its limit of tokens%s",
		half ? "; a call in it was incomplete and is dropped" : "");
	a->after_calls = half
		? "[Your reply hit its limit of tokens in the middle of a tool call, which was "
		  "dropped. Make smaller calls: edit parts of a file instead of writing the whole.]"
		: "[Your reply hit its limit of tokens. Go on where it stopped.]";
	a->phase = KS_API_CALLS;
	ks_api_schedule(a);
}

static bool holds_key(const struct ks_api *a, const char *text)
{
	return text != NULL && a->config.key != NULL && strstr(text, a->config.key) != NULL;
}

/* A server may put the key anywhere. Ids and names of calls are shortened on
 * their way, so they go as a whole: the conversation makes up others. */
static void hide_names(const struct ks_api *a, struct ks_model_reply *reply)
{
	struct ks_buf word = {0};

	for (size_t i = 0; i < reply->count; i++) {
		struct ks_model_block *b = &reply->blocks[i];

		if (holds_key(a, b->id)) {
			free(b->id);
			b->id = NULL;
		}
		if (holds_key(a, b->name)) {
			free(b->name);
			b->name = NULL;
		}
	}
	ks_http_redact(&word, ks_str_of(reply->stop_word), a->config.key);
	snprintf(reply->stop_word, sizeof(reply->stop_word), "%s",
		word.ptr != NULL ? word.ptr : "");
	ks_buf_fini(&word);
}

static void take_reply(struct ks_api *a)
{
	struct ks_model_reply *reply = &a->stream.reply;
	bool half = drop_half_call(reply);

	hide_names(a, reply);
	ks_chat_reply(&a->chat, reply);
	ks_api_shown_fini(&a->said);
	ks_api_shown_fini(&a->thought);
	a->tries = a->shortened = 0;
	a->next_call = 0;
	a->empties = 0;
	if (reply->stop == KS_MODEL_LENGTH) {
		go_on(a, half);
		return;
	}
	a->cuts = 0;
	a->after_calls = NULL;
	if (reply->stop == KS_MODEL_REFUSED) {
		ks_chat_answer_all(&a->chat, "not run: the reply was refused");
		ks_api_finish(a, "error", KS_STR("the model refuses to answer"), reply->stop_word);
		return;
	}
	a->phase = KS_API_CALLS; /* without calls that ends the turn */
	ks_api_schedule(a);
}

/* Status 200, and yet no stream: some servers report their errors so. */
static void no_stream(struct ks_api *a)
{
	enum ks_model_fault fault = KS_MODEL_GIVE_UP;
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;

	if (ks_json_parse(&doc, a->refusal.ptr, a->refusal.len, NULL) == 0 &&
		ks_json_get(doc, "error") != NULL) {
		fault = ks_model_error(ks_json_get(doc, "error"), 0, &text);
	} else {
		ks_buf_adds(&text, "the server does not stream its replies");
	}
	failed(a, fault, ks_buf_str(&text));
	ks_json_free(doc);
	ks_buf_fini(&text);
}

void ks_api_request_done(struct ks_api *a)
{
	struct ks_buf text = {0};
	struct ks_err err = KS_ERR_INIT;

	a->request_ended = false;
	show_held(a, &a->thought, KS_EV_AGENT_THOUGHT);
	show_held(a, &a->said, KS_EV_AGENT_SAID);
	if (a->stream_failed) {
		failed(a, a->stream.reply.fault != KS_MODEL_FINE ? a->stream.reply.fault
			: KS_MODEL_RETRY, ks_str_of(a->stream_err.msg));
	} else if (a->end.code != 0) {
		failed(a, a->end.code == KS_EINVAL ? KS_MODEL_GIVE_UP : KS_MODEL_RETRY,
			ks_str_of(a->end_text));
	} else if (a->head.status != 200) {
		enum ks_model_fault fault = ks_model_fault(a->head.status,
			ks_buf_str(&a->refusal), &text);

		failed(a, fault, ks_buf_str(&text));
	} else if (!is_stream(a)) {
		no_stream(a);
	} else if (ks_model_end(&a->stream, &err) < 0) {
		failed(a, KS_MODEL_RETRY, ks_str_of(err.msg));
	} else if (ks_chat_reply_empty(&a->stream.reply) &&
		a->stream.reply.stop != KS_MODEL_LENGTH && ++a->empties <= EMPTY_MAX) {
		take_usage(a);
		failed(a, KS_MODEL_RETRY, KS_STR("the model's reply was empty"));
	} else if (a->empties > EMPTY_MAX) {
		take_usage(a);
		failed(a, KS_MODEL_GIVE_UP, KS_STR("the model's replies are empty"));
	} else {
		take_usage(a);
		take_reply(a);
	}
	ks_buf_fini(&text);
}

/* Outcomes of questions over campaigns: see outcomes.h. */
#include "app/outcomes.h"

#include "app/paths.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

#define FILE_MAX_BYTES (4u * 1024 * 1024)

static int outcomes_path(char **out, struct ks_err *err)
{
	char *dir = NULL;
	int rc = ks_paths_state(&dir, err);

	if (rc == 0) {
		*out = ks_path_join(dir, "outcomes.json");
	}
	free(dir);
	return rc;
}

static unsigned count_of(const struct ks_json *doc, const char *key)
{
	int64_t n = ks_json_get_int(doc, key, 0);

	return n < 0 ? 0 : n > 1000000 ? 1000000 : (unsigned)n;
}

static struct ks_payoff *add(struct ks_outcomes *o, const char *campaign, const char *question)
{
	struct ks_payoff *p;

	ks_grow(&o->item, &o->cap, o->count + 1, sizeof(o->item[0]));
	p = &o->item[o->count++];
	*p = (struct ks_payoff){0};
	snprintf(p->campaign, sizeof(p->campaign), "%s", campaign);
	snprintf(p->question, sizeof(p->question), "%s", question);
	return p;
}

static void take_campaign(struct ks_outcomes *o, const struct ks_json *campaign)
{
	for (const struct ks_json *q = ks_json_first(campaign); q != NULL; q = ks_json_next(q)) {
		if (ks_json_key(q) != NULL && ks_json_key(campaign) != NULL) {
			struct ks_payoff *p = add(o, ks_json_key(campaign), ks_json_key(q));
			p->asked = count_of(q, "asked");
			p->numbers = count_of(q, "numbers");
			p->wins = count_of(q, "wins");
		}
	}
}

int ks_outcomes_read(struct ks_outcomes *out, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_json *doc = NULL;
	char *path = NULL;
	int rc = outcomes_path(&path, err);

	*out = (struct ks_outcomes){0};
	if (rc == 0 && ks_file_exists(path)) {
		rc = ks_file_read(&text, path, FILE_MAX_BYTES, err);
		if (rc == 0) {
			rc = ks_json_parse(&doc, text.ptr, text.len, err);
		}
		if (rc < 0) {
			ks_err_prefix(err, "%s: mend or remove it", path);
		}
	}
	const struct ks_json *all = ks_json_get(doc, "campaigns");
	for (const struct ks_json *c = ks_json_first(all); rc == 0 && c != NULL;
		c = ks_json_next(c)) {
		take_campaign(out, c);
	}
	ks_json_free(doc);
	ks_buf_fini(&text);
	free(path);
	return rc;
}

void ks_outcomes_fini(struct ks_outcomes *o)
{
	if (o != NULL) {
		free(o->item);
		*o = (struct ks_outcomes){0};
	}
}

void ks_outcomes_set(struct ks_outcomes *o, const char *campaign,
	const struct ks_stats_asked *asked)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->count; i++) {
		if (strcmp(o->item[i].campaign, campaign) != 0) {
			o->item[kept++] = o->item[i];
		}
	}
	o->count = kept;
	for (size_t i = 0; i < asked->count; i++) {
		struct ks_payoff *p = add(o, campaign, asked->item[i].id);
		p->asked = (unsigned)asked->item[i].asked;
		p->numbers = (unsigned)asked->item[i].numbers;
		p->wins = (unsigned)asked->item[i].gained;
	}
}

/* Records of one campaign stand together: it was read, or set, as a whole. */
int ks_outcomes_write(const struct ks_outcomes *o, struct ks_err *err)
{
	struct ks_buf text = {0};
	struct ks_jw w;
	char *path = NULL;
	int rc = outcomes_path(&path, err);

	ks_jw_init(&w, &text);
	ks_jw_open(&w, NULL);
	ks_jw_int(&w, "format", 1);
	ks_jw_open(&w, "campaigns");
	for (size_t i = 0; i < o->count; i++) {
		const struct ks_payoff *p = &o->item[i];
		if (i == 0 || strcmp(p->campaign, o->item[i - 1].campaign) != 0) {
			ks_jw_open(&w, p->campaign);
		}
		ks_jw_open(&w, p->question);
		ks_jw_int(&w, "asked", p->asked);
		ks_jw_int(&w, "numbers", p->numbers);
		ks_jw_int(&w, "wins", p->wins);
		ks_jw_close(&w);
		if (i + 1 == o->count || strcmp(p->campaign, o->item[i + 1].campaign) != 0) {
			ks_jw_close(&w);
		}
	}
	ks_jw_close(&w);
	ks_jw_close(&w);
	ks_buf_addc(&text, '\n');
	if (rc == 0) {
		rc = ks_file_write(path, ks_buf_str(&text), 0600, err);
	}
	ks_buf_fini(&text);
	free(path);
	return rc;
}

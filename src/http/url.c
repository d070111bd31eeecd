/*
 * Texts around a request: URLs, secrets, times.
 */
#include <curl/curl.h>

#include "base/mem.h"
#include "http/http.h"

#define SECRET_MAX 512
#define PIECE_MIN 8
#define RETRY_MAX_S (24 * 3600)

bool ks_http_secret_ok(const char *secret)
{
	size_t len = secret != NULL ? strlen(secret) : 0;

	if (len == 0 || len > SECRET_MAX) {
		return false;
	}
	for (size_t i = 0; i < len; i++) {
		if (secret[i] <= ' ' || secret[i] > '~' || secret[i] == '"' || secret[i] == '\\') {
			return false;
		}
	}
	return true;
}

/* Longest beginning of text that stands somewhere in the secret. */
static size_t piece_len(struct ks_str text, const char *secret, size_t len)
{
	size_t best = 0;

	for (size_t at = 0; at < len; at++) {
		size_t n = 0;

		while (at + n < len && n < text.len && secret[at + n] == text.ptr[n]) {
			n++;
		}
		best = n > best ? n : best;
	}
	return best;
}

void ks_http_redact(struct ks_buf *out, struct ks_str text, const char *secret)
{
	size_t len = secret != NULL ? strlen(secret) : 0;
	size_t least = len < PIECE_MIN ? len : PIECE_MIN;

	for (size_t i = 0; i < text.len;) {
		struct ks_str rest = {text.ptr + i, text.len - i};
		size_t n = len > 0 ? piece_len(rest, secret, len) : 0;

		if (n > 0 && n >= least) {
			ks_buf_adds(out, "[key]");
			i += n;
		} else {
			ks_buf_addc(out, text.ptr[i++]);
		}
	}
}

static int origin_parts(struct ks_buf *out, CURLU *u, const char *url, struct ks_err *err)
{
	char *scheme = NULL, *host = NULL, *port = NULL, *user = NULL, *password = NULL;
	int rc = 0;

	if (curl_url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK ||
		curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
		curl_url_get(u, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
		curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK ||
		(strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)) {
		rc = ks_err_set(err, KS_EINVAL,
			"not a URL that begins with http:// or https:// and names a host");
	} else if (curl_url_get(u, CURLUPART_USER, &user, 0) == CURLUE_OK ||
		curl_url_get(u, CURLUPART_PASSWORD, &password, 0) == CURLUE_OK) {
		rc = ks_err_set(err, KS_EINVAL, "a user or password has no place in a URL");
	} else {
		for (char *p = host; *p != '\0'; p++) {
			*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
		}
		ks_buf_addf(out, "%s://%s:%s", scheme, host, port);
	}
	curl_free(scheme);
	curl_free(host);
	curl_free(port);
	curl_free(user);
	curl_free(password);
	return rc;
}

int ks_http_origin(struct ks_buf *out, const char *url, struct ks_err *err)
{
	CURLU *u = curl_url();
	int rc = u == NULL ? ks_err_set(err, KS_EIO, "libcurl does not read URLs")
			   : origin_parts(out, u, url, err);

	curl_url_cleanup(u);
	return rc;
}

/* Of "scheme://host:port". */
static bool origin_is_local(const char *origin)
{
	const char *host = strstr(origin, "://") + 3;
	size_t len = (size_t)(strrchr(origin, ':') - host);
	struct ks_str name = {host, len};

	if (ks_str_is(name, "localhost") || ks_str_is(name, "[::1]")) {
		return true;
	}
	return ks_str_starts(name, "127.") && strspn(host, "0123456789.") == len;
}

bool ks_http_is_local(const char *url)
{
	struct ks_buf origin = {0};
	bool local = ks_http_origin(&origin, url, NULL) == 0 && origin_is_local(origin.ptr);

	ks_buf_fini(&origin);
	return local;
}

int64_t ks_http_retry_after(struct ks_str value, int64_t now_s)
{
	char text[64], *end;
	long long seconds;
	time_t date;

	value = ks_str_trim(value);
	if (value.len == 0 || value.len >= sizeof(text)) {
		return -1;
	}
	memcpy(text, value.ptr, value.len);
	text[value.len] = '\0';
	if (text[0] >= '0' && text[0] <= '9') {
		seconds = strtoll(text, &end, 10);
		if (*end == '.') { /* some servers send fractions: rounded up */
			seconds++;
		} else if (*end != '\0') {
			return -1;
		}
	} else {
		date = curl_getdate(text, NULL);
		if (date < 0) {
			return -1;
		}
		seconds = (long long)date > now_s ? (long long)date - now_s : 0;
	}
	return (seconds < RETRY_MAX_S ? seconds : RETRY_MAX_S) * 1000;
}

/*
 * Requests in the event loop. Each descriptor of src/http has one watch while
 * it is wanted; a watch that is dropped inside its own callback is freed at
 * once, which the loop allows.
 */
#include "agent/net.h"

#include "base/mem.h"

struct watched {
	struct ks_net *net;
	struct watched *next;
	struct ks_fdwatch *watch;
	int fd;
};

struct ks_net {
	struct ks_loop *loop;
	struct ks_http *http;
	struct ks_timer *timer;
	struct watched *watched;
};

static void ready(void *ctx, unsigned events)
{
	const struct watched *w = ctx;

	ks_http_ready(w->net->http, w->fd, ((events & KS_FD_READ) != 0 ? KS_HTTP_READ : 0) |
		((events & KS_FD_WRITE) != 0 ? KS_HTTP_WRITE : 0));
}

static void timer_fired(void *ctx)
{
	ks_http_timeout(((struct ks_net *)ctx)->http);
}

static void drop(struct watched **at)
{
	struct watched *w = *at;

	*at = w->next;
	ks_fdwatch_free(w->watch);
	free(w);
}

static void watch(void *ctx, int fd, unsigned events)
{
	struct ks_net *net = ctx;
	unsigned wanted = ((events & KS_HTTP_READ) != 0 ? KS_FD_READ : 0) |
		((events & KS_HTTP_WRITE) != 0 ? KS_FD_WRITE : 0);
	struct watched **at = &net->watched, *w;

	while (*at != NULL && (*at)->fd != fd) {
		at = &(*at)->next;
	}
	if (*at != NULL) {
		if (wanted == 0) {
			drop(at);
		} else {
			ks_fdwatch_set((*at)->watch, wanted);
		}
		return;
	}
	if (wanted == 0) {
		return;
	}
	w = ks_zalloc(1, sizeof(*w));
	w->net = net;
	w->fd = fd;
	/* Without a watch the request runs into its time limit and says so. */
	if (ks_fdwatch_new(&w->watch, net->loop, fd, wanted, ready, w, NULL) < 0) {
		free(w);
		return;
	}
	w->next = net->watched;
	net->watched = w;
}

static void timer(void *ctx, int64_t ms)
{
	struct ks_net *net = ctx;

	if (ms < 0) {
		ks_timer_cancel(net->timer);
	} else {
		ks_timer_arm(net->timer, ms);
	}
}

int ks_net_new(struct ks_net **out, struct ks_loop *loop, struct ks_err *err)
{
	struct ks_net *net = ks_zalloc(1, sizeof(*net));
	const struct ks_http_host host = {.ctx = net, .watch = watch, .timer = timer};
	int rc = ks_http_new(&net->http, &host, err);

	if (rc < 0) {
		free(net);
		return rc;
	}
	net->loop = loop;
	net->timer = ks_timer_new(loop, timer_fired, net);
	*out = net;
	return 0;
}

struct ks_http *ks_net_http(struct ks_net *net)
{
	return net->http;
}

void ks_net_free(struct ks_net *net)
{
	if (net == NULL) {
		return;
	}
	ks_http_free(net->http);
	while (net->watched != NULL) {
		drop(&net->watched);
	}
	ks_timer_free(net->timer);
	free(net);
}

#ifndef KSEEK_AGENT_NET_H
#define KSEEK_AGENT_NET_H
/* Requests (src/http) in the event loop: descriptors and the timer. */
#include "http/http.h"
#include "loop/loop.h"

struct ks_net;

int ks_net_new(struct ks_net **out, struct ks_loop *loop, struct ks_err *err);
struct ks_http *ks_net_http(struct ks_net *net); /* lends */
/* Running requests end without a word. */
void ks_net_free(struct ks_net *net);

#endif

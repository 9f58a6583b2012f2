/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary's part on ARP and neighbour discovery: who was asked, and who never answered. */
#include <arpa/inet.h>

#include "results_internal.h"

/* One line a peer, whoever asked for it. */
static void
warn_of_peer(struct results *r, uint32_t peer)
{
	const struct fabric *f = r->fabric;
	const struct scenario_host *h = &f->scenario->hosts[peer];
	const struct roce_address *a = &h->address;
	char ip[INET6_ADDRSTRLEN] = "?";
	uint32_t hosts = 0, last = 0;
	uint64_t times = 0;

	for (uint32_t i = 0; i < f->host_count; i++) {
		uint32_t asked = host_asked_in_vain(f->hosts[i], peer);

		if (asked == 0)
			continue;
		times += asked;
		hosts++;
		last = i;
	}
	if (hosts == 0)
		return;
	(void)inet_ntop(a->is_ipv6 ? AF_INET6 : AF_INET, a->ip, ip, sizeof(ip));
	results_warn(r,
		     "%s (%s) has not told %s%s its MAC address: %llu %s without an answer, and "
		     "nothing was sent to it; give its `mac`, or see that it is up and on the same "
		     "link",
		     h->cfg.name, ip, f->scenario->hosts[last].cfg.name,
		     hosts > 1 ? " and others" : "", (unsigned long long)times,
		     a->is_ipv6 ? "neighbour solicitations" : "ARP requests");
}

json_t *
results_neighbours_json(struct results *r, const struct host_results *h)
{
	const struct scenario *s = r->fabric->scenario;

	for (uint32_t i = 0; i < s->host_count; i++)
		if (s->hosts[i].mac_unknown)
			warn_of_peer(r, i);
	return json_pack("{s:I, s:I, s:I, s:I}", "answered", (json_int_t)h->neighbours_answered,
			 "echoes_answered", (json_int_t)h->echoes_answered, "asked",
			 (json_int_t)h->neighbours_asked, "lost", (json_int_t)h->neighbours_lost);
}

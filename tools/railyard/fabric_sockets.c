/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames that packet sockets lose: counted by the interface, never given to the port. */
#include "fabric.h"
#include "kernel_interface.h"

void
fabric_sockets_begin(struct fabric *f)
{
	for (uint32_t i = 0; i < f->ethdev_count; i++) {
		struct fabric_socket *s = &f->sockets[i];

		s->begun = fabric_ethdev_is_socket(&f->ethdevs[i]) &&
			   kernel_interface_received(f->ethdevs[i].interface, &s->first);
	}
}

void
fabric_sockets_end(struct fabric *f)
{
	for (uint32_t i = 0; i < f->ethdev_count; i++) {
		struct fabric_socket *s = &f->sockets[i];

		s->ended = s->begun && kernel_interface_received(f->ethdevs[i].interface, &s->last);
	}
}

uint32_t
fabric_sockets_lost(const struct fabric *f, uint32_t ethdev)
{
	const struct fabric_socket *s = &f->sockets[ethdev];
	const struct ethdev_counters *c = &f->ethdevs[ethdev].counters;
	uint32_t seen = (uint32_t)(c->rx_packets + c->rx_refused);
	uint32_t lost = s->last - s->first - seen;

	/* A socket also sees what others send on its interface, which is not received. */
	return s->ended && lost <= INT32_MAX ? lost : 0;
}

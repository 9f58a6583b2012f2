/* SPDX-License-Identifier: BSD-3-Clause */
#include "barrier.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rte_pause.h>

/*
 * Twenty times as long as it takes to be woken: who has less to do in a window waits for the rest
 * of it awake. Where lcores share CPUs, who spins keeps off the CPU whom he waits for.
 */
#define SPINS 4000
#define SPINS_SHARED 100

void
barrier_init(struct barrier *b, uint32_t parties, bool shared)
{
	*b = (struct barrier){.parties = parties, .spins = shared ? SPINS_SHARED : SPINS};
}

/* Sleep until *word is no longer `value`; it may also wake for no reason. */
static void
futex_wait(uint32_t *word, uint32_t value)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void
futex_wake_all(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void
barrier_wait(struct barrier *b)
{
	uint32_t turn;

	if (b->parties == 1)
		return;
	turn = __atomic_load_n(&b->turn, __ATOMIC_RELAXED);
	if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL) == b->parties) {
		__atomic_store_n(&b->arrived, 0, __ATOMIC_RELAXED);
		/* Either this sees who goes to sleep, or who does sees the new turn. */
		__atomic_store_n(&b->turn, turn + 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&b->asleep, __ATOMIC_SEQ_CST) != 0)
			futex_wake_all(&b->turn);
		return;
	}
	for (uint32_t i = 0; i < b->spins; i++) {
		if (__atomic_load_n(&b->turn, __ATOMIC_ACQUIRE) != turn)
			return;
		rte_pause();
	}
	__atomic_add_fetch(&b->asleep, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&b->turn, __ATOMIC_SEQ_CST) == turn)
		futex_wait(&b->turn, turn);
	__atomic_sub_fetch(&b->asleep, 1, __ATOMIC_SEQ_CST);
}

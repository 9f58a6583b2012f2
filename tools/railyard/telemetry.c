/* SPDX-License-Identifier: BSD-3-Clause */
#include "telemetry.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rte_telemetry.h>

/* The poll loop answers within a turn; a process that is stopped, or at its end, never. */
#define WAIT_S 2
/* DPDK cuts an answer off at 16 KiB, in the middle of a value. */
#define MOST_BYTES 14000
/* Names of nodes, as long as they may be, within that. */
#define MOST_STRINGS 256

enum phase {
	PHASE_IDLE,
	PHASE_ASKED,
	PHASE_ANSWERED,
};

/* DPDK's commands have no context: the one mutable object of the process. */
static struct {
	pthread_mutex_t turn; /* of the threads that ask, one at a time */
	pthread_mutex_t lock; /* of all below but `asked` */
	pthread_cond_t done;
	telemetry_answer answer; /* NULL: nobody answers */
	void *context;
	enum phase phase;
	enum telemetry_command command;
	char parameters[TELEMETRY_PARAMETERS_BYTES];
	json_t *result;
	atomic_bool asked; /* phase is PHASE_ASKED: what the poll loop looks at */
	bool registered;
} board = {
	.turn = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.done = PTHREAD_COND_INITIALIZER,
};

static int fill(struct rte_tel_data *d, const json_t *from);

static int
add_container(struct rte_tel_data *d, const char *key, const json_t *value)
{
	struct rte_tel_data *inner = rte_tel_data_alloc();
	int rc;

	if (inner == NULL)
		return -ENOMEM;
	rc = fill(inner, value);
	if (rc == 0)
		rc = rte_tel_data_add_dict_container(d, key, inner, 0);
	if (rc != 0)
		rte_tel_data_free(inner);
	return rc;
}

static int
add_value(struct rte_tel_data *d, const char *key, const json_t *value)
{
	if (json_is_string(value))
		return rte_tel_data_add_dict_string(d, key, json_string_value(value));
	if (json_is_integer(value))
		return rte_tel_data_add_dict_u64(d, key, (uint64_t)json_integer_value(value));
	return add_container(d, key, value);
}

/* As many rows as an answer has room for: who wants others asks for one node or port. */
static int
fill(struct rte_tel_data *d, const json_t *from)
{
	size_t bytes = 0, count = 0;
	const char *key;
	json_t *value;
	int rc;

	if (json_is_array(from)) {
		rc = rte_tel_data_start_array(d, RTE_TEL_STRING_VAL);
		json_array_foreach(from, count, value)
		{
			if (rc == 0 && count < MOST_STRINGS)
				rc = rte_tel_data_add_array_string(d, json_string_value(value));
		}
		return rc;
	}
	rc = rte_tel_data_start_dict(d);
	json_object_foreach((json_t *)(uintptr_t)from, key, value)
	{
		bytes += json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY) + strlen(key);
		if (rc == 0 && bytes < MOST_BYTES && count++ < RTE_TEL_MAX_DICT_ENTRIES)
			rc = add_value(d, key, value);
	}
	return rc;
}

/* Ask and wait; with board.turn and board.lock held. NULL: no answer. */
static json_t *
wait_for_answer(void)
{
	struct timespec until;
	json_t *result;
	int rc = 0;

	if (board.answer == NULL)
		return NULL;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += WAIT_S;
	board.phase = PHASE_ASKED;
	atomic_store(&board.asked, true);
	while (board.phase == PHASE_ASKED && rc == 0)
		rc = pthread_cond_timedwait(&board.done, &board.lock, &until);
	atomic_store(&board.asked, false);
	board.phase = PHASE_IDLE;
	result = board.result;
	board.result = NULL;
	return result;
}

static int
ask(enum telemetry_command command, const char *parameters, struct rte_tel_data *d)
{
	json_t *result;
	int rc;

	if (parameters != NULL && strlen(parameters) >= sizeof(board.parameters))
		return -EINVAL;
	pthread_mutex_lock(&board.turn);
	pthread_mutex_lock(&board.lock);
	board.command = command;
	snprintf(board.parameters, sizeof(board.parameters), "%s",
		 parameters == NULL ? "" : parameters);
	result = wait_for_answer();
	pthread_mutex_unlock(&board.lock);
	pthread_mutex_unlock(&board.turn);
	if (result == NULL)
		return -EINVAL;
	rc = fill(d, result);
	json_decref(result);
	return rc;
}

void
telemetry_poll(void)
{
	if (!atomic_load_explicit(&board.asked, memory_order_relaxed))
		return;
	pthread_mutex_lock(&board.lock);
	if (board.phase == PHASE_ASKED && board.answer != NULL) {
		board.result = board.answer(board.context, board.command, board.parameters);
		board.phase = PHASE_ANSWERED;
		atomic_store(&board.asked, false);
		pthread_cond_signal(&board.done);
	}
	pthread_mutex_unlock(&board.lock);
}

/* One function a command: all that DPDK tells it apart by is its name. */
#define COMMANDS(X)                                                                              \
	X(config, CONFIG, "The scenario. No parameters")                                         \
	X(ports, PORTS, "Counters of ports. Parameters: none, NODE, or NODE,PORT")               \
	X(queues, QUEUES, "Queues of switches. Parameters: none, NODE, or NODE,PORT")            \
	X(pgs, PGS, "Priority groups of switches. Parameters: none, NODE, or NODE,PORT")         \
	X(flows, FLOWS, "Messages, of all and of each workload. No parameters")                  \
	X(drops, DROPS, "Drops by port, reason and class. Parameters: none, NODE, or NODE,PORT") \
	X(snapshot, SNAPSHOT, "Write the summary so far to a file. No parameters")

#define X(name, id, help)                                                     \
	static int answer_##name(const char *command, const char *parameters, \
				 struct rte_tel_data *d)                      \
	{                                                                     \
		return ask(TELEMETRY_##id, parameters, d);                    \
	}
COMMANDS(X)
#undef X

static int
register_all(void)
{
	static const struct {
		const char *name;
		telemetry_cb callback;
		const char *help;
	} commands[] = {
#define X(name, id, help) {"/railyard/" #name, answer_##name, help},
		COMMANDS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		int rc = rte_telemetry_register_cmd(commands[i].name, commands[i].callback,
						    commands[i].help);

		if (rc != 0)
			return rc;
	}
	return 0;
}

int
telemetry_start(telemetry_answer answer, void *context)
{
	int rc = 0;

	pthread_mutex_lock(&board.lock);
	board.answer = answer;
	board.context = context;
	if (!board.registered)
		rc = register_all();
	board.registered = rc == 0;
	pthread_mutex_unlock(&board.lock);
	return rc;
}

void
telemetry_stop(void)
{
	pthread_mutex_lock(&board.lock);
	board.answer = NULL;
	if (board.phase == PHASE_ASKED) {
		board.phase = PHASE_ANSWERED;
		pthread_cond_signal(&board.done);
	}
	pthread_mutex_unlock(&board.lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "wred.h"

#define ALWAYS_Q32 (1ULL << 32)

uint64_t
wred_probability_q32(const struct wred_curve *curve, uint64_t q_bytes)
{
	unsigned __int128 scaled;

	if (!curve->enable || q_bytes < curve->min_bytes)
		return 0;
	if (q_bytes >= curve->max_bytes)
		return ALWAYS_Q32;
	scaled = (unsigned __int128)curve->probability_q32 * (q_bytes - curve->min_bytes);
	return (uint64_t)(scaled / (curve->max_bytes - curve->min_bytes));
}

uint32_t
wred_bin(const struct wred_curve *curve, uint64_t q_bytes)
{
	if (q_bytes >= curve->max_bytes)
		return WRED_BINS - 1;
	return (uint32_t)((WRED_BINS - 1) * (q_bytes - curve->min_bytes) /
			  (curve->max_bytes - curve->min_bytes));
}

uint64_t
wred_bin_from_bytes(const struct wred_curve *curve, uint32_t bin)
{
	uint64_t span = curve->max_bytes - curve->min_bytes;

	return curve->min_bytes + (bin * span + WRED_BINS - 2) / (WRED_BINS - 1);
}

enum wred_verdict
wred_decide(const struct wred_cfg *cfg, struct wred_state *state, struct prng *prng,
	    uint64_t q_bytes, uint8_t ecn)
{
	const struct wred_curve *curve = ecn == PACKET_NOT_ECT ? &cfg->drop : &cfg->mark;
	uint64_t p_q32;
	bool taken;

	if (cfg->weight != 0) {
		/* Arithmetic shift of the signed difference: the average may fall as well. */
		int64_t gap_q8 = (int64_t)(q_bytes << 8) - (int64_t)state->average_q8;

		state->average_q8 =
			(uint64_t)((int64_t)state->average_q8 + (gap_q8 >> cfg->weight));
		q_bytes = state->average_q8 >> 8;
	}
	if (!curve->enable || ecn == PACKET_CE || q_bytes < curve->min_bytes)
		return WRED_PASS;
	p_q32 = wred_probability_q32(curve, q_bytes);
	taken = p_q32 >= ALWAYS_Q32 || prng_chance(prng, p_q32);
	if (state->bins != NULL && ecn != PACKET_NOT_ECT) {
		uint32_t bin = wred_bin(curve, q_bytes);

		state->bins->packets[bin]++;
		state->bins->marked[bin] += taken;
	}
	if (!taken)
		return WRED_PASS;
	return ecn == PACKET_NOT_ECT ? WRED_DROP : WRED_MARK;
}

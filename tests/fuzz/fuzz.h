/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fuzz target is one function of bytes. libFuzzer drives it (tools/fuzz), and so does
 * fuzz_main.c, which replays files without libFuzzer, so that the corpus is part of every test
 * run with every compiler.
 */
#ifndef RAILYARD_TEST_FUZZ_H
#define RAILYARD_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* 0, or -1 when the input is of no use as a start for others. A finding ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#endif

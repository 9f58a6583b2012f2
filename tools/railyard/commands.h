/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands: each takes its own argc and argv (argv[0] is its name), returns the exit code.
 */
#ifndef RAILYARD_COMMANDS_H
#define RAILYARD_COMMANDS_H

int command_run(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_accept(int argc, char **argv);
int command_check(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_headroom(int argc, char **argv);
int command_import(int argc, char **argv);
int command_import_sonic(int argc, char **argv);
int command_import_topology(int argc, char **argv);
int command_reference(int argc, char **argv);
int command_topo(int argc, char **argv);

#endif

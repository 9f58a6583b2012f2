#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# rxe_switch.sh RAILYARD CONFIG MODE PORT_A PORT_B: the switch `tor` of a configuration between two
# devices until SIGINT, for a rig of two machines that talk RDMA. The rig adds the last three
# arguments: a mode of its own, and two vdev strings. Prints "ready" when the ports are polled;
# results go to railyard/ in the directory it is started in.
set -euo pipefail
railyard=$1 config=$2 port_a=$4 port_b=$5
# exec: the SIGINT is for the program. Its first line of log says that it polls.
exec "$railyard" run "$config" --out railyard \
	--set "ethdevs=[{port: \"tor[0]\", vdev: \"$port_a\"}, {port: \"tor[1]\", vdev: \"$port_b\"}]" \
	2> >(exec sed -u '1i ready')

/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of what only real time has: devices and DPDK's environment. */
#include "scenario.h"

#include "config_table.h"

static const struct config_field ethdev_fields[] = {
	TEXTS(struct raw_ethdev, port, "port", "`tor[0]`: a port of a switch, or `h[0]`: a host",
	      .flags = CONFIG_REQUIRED),
	TEXT(struct raw_ethdev, vdev, "vdev", NULL,
	     "a virtual device and its arguments, such as `net_tap0,iface=ry0` or "
	     "`net_af_packet0,iface=eth1,framesz=16384,blocksz=16384`",
	     .max = SCENARIO_DEVICE_BYTES),
	TEXT(struct raw_ethdev, pci, "pci", NULL,
	     "or a NIC, such as `0000:03:00.0`, with its arguments", .max = SCENARIO_DEVICE_BYTES),
	NUMBER(struct raw_ethdev, mtu_bytes, "mtu", SIZE, "auto",
	       "of the device; auto: what the port's largest frame needs, if the device can",
	       .flags = CONFIG_MAY_BE_AUTO, .min = 68, .max = 16000),
	NUMBER(struct raw_ethdev, delay_ps, "delay", TIME, "0",
	       "emulated propagation delay of what it receives"),
	FLAG(struct raw_ethdev, promiscuous, "promiscuous", "yes",
	     "take frames to any address, as a switch must"),
	END,
};

const struct config_object config_ethdev_object = {
	.name = "ethdev",
	.help = "A port that is a DPDK device. The port's emulated rate must be one that the "
		"device "
		"holds.",
	.size = sizeof(struct raw_ethdev),
	.fields = ethdev_fields,
};

static const struct config_field eal_fields[] = {
	TEXT(struct raw_eal, cores, "cores", NULL,
	     "cores to pin poll loops to, such as `3` or `2-5`; left out: they are not pinned",
	     .max = SCENARIO_TEXT_BYTES),
	NUMBER(struct raw_eal, memory_bytes, "memory", SIZE, "auto",
	       "auto: what the packets need (see `mbufs`)", .flags = CONFIG_MAY_BE_AUTO),
	FLAG(struct raw_eal, hugepages, "hugepages", "no",
	     "use hugepages, which must be there; without, about 60 % of the speed"),
	FLAG(struct raw_eal, telemetry, "telemetry", "yes",
	     "answer DPDK's telemetry (dpdk-telemetry.py), on a socket in DPDK's runtime "
	     "directory"),
	TEXT(struct raw_eal, file_prefix, "file_prefix", NULL,
	     "name that tells DPDK processes of a machine apart; left out: one of its own",
	     .max = SCENARIO_TEXT_BYTES),
	END,
};

const struct config_object config_eal_object = {
	.name = "eal",
	.help = "DPDK's environment, for real time. More arguments: `railyard run --eal`.",
	.size = sizeof(struct raw_eal),
	.fields = eal_fields,
};

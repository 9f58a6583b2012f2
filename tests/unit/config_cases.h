/* SPDX-License-Identifier: BSD-3-Clause */
/* Configurations that are wrong, or doubtful, with what must be said of them and where. */
#ifndef RAILYARD_TEST_CONFIG_CASES_H
#define RAILYARD_TEST_CONFIG_CASES_H

#include <stddef.h>

/* What most cases need, so that each shows only what is wrong. Three lines. */
#define TOR                                                    \
	"switches: {tor: {profile: generic-32mb, ports: 4}}\n" \
	"hosts: {h: {count: 3}}\n"                             \
	"links: [{from: h, to: \"tor[0-2]\", delay: 1us}]\n"
/* Two switches in a loop: two links between them. */
#define PAIR(a, b)                                                                                 \
	"switches: {a: {profile: generic-32mb, ports: 4" a "}, b: {profile: generic-32mb" b "}}\n" \
	"links:\n  - {from: \"a[0]\", to: \"b[0]\", delay: 1us}\n"                                 \
	"  - {from: \"b[1]\", to: \"a[1]\", delay: 1us}\n"
/* One host, whose keys are from column 31 of line 2, at one switch. */
#define SLOW(sw, keys)                                             \
	"switches: {s: {profile: generic-32mb, ports: 1" sw "}}\n" \
	"hosts: {h: {pfc_enable: [3], " keys "}}\n"                \
	"links: [{from: h, to: s, delay: 1us}]\n"
/* Receivers that pause priorities 3 and 4 of a switch that does not. */
#define DRAINED(dscp)                                                                       \
	"switches: {s: {profile: generic-32mb, ports: 2, pfc_enable: [], pgs: [{pgs: 0-7, " \
	"profile: lossy}]}}\nhosts: {h: {count: 2, drain_rate: 10Gbps, dscp: " dscp "}}\n"  \
	"links: [{from: h, to: s, delay: 1us}]\n"                                           \
	"workload: [{incast: {from: h1, to: h0, size: 1MB}}]\n"
/* Hosts in VLANs 5 and 6. */
#define VLANS(sw)                                                  \
	"switches: {s: {profile: generic-32mb, ports: 2" sw "}}\n" \
	"hosts: {a: {vlan: 5}, b: {vlan: 6}}\n"                    \
	"links: [{from: [a, b], to: s, delay: 1us}]\n"             \
	"workload: [{incast: {from: a, to: b, size: 1MB}}]\n"
/* A switch's keys, from column 49 of line 1. */
#define SW(keys) "switches: {s: {profile: generic-32mb, ports: 4, " keys "}}\n"
#define OWN                                                                                  \
	"switches: {s: {ports: 2, pools: {i: {type: ingress, size: 1MB}, e: {type: egress, " \
	"size: 1MB, mode: static}},\n"                                                       \
	" pgs: [{pgs: 0-7, profile: pi}], queues: [{queues: 0-7, profile: pe}],\n"           \
	" buffer_profiles: {pi: {pool: i, dynamic_th: 0}, pe: {pool: e, static_th: 1MB}},\n"

static const struct {
	const char *text;
	const char *place;
	const char *what;
} bad[] = {
	/* impairments */
	{TOR "impairments: [{port: 'tor[3]', loss: 1%}]\n",
	 "t.yaml:4:22: ", "port: nothing is linked to tor port 3"},
	{TOR "impairments: [{port: 'h[0]', from: 2us, until: 1us}]\n",
	 "t.yaml:4:48: ", "until: is not after from"},
	{TOR "impairments: [{port: 'h[0]', loss_burst: 4}]\n",
	 "t.yaml:4:42: ", "loss_burst: needs loss, the share of frames lost"},
	{TOR "impairments: [{port: 'h[0]', loss: 60%, loss_burst: 1}]\n",
	 "t.yaml:4:53: ", "loss_burst: runs of 1 can lose at most 1 of 2 frames"},
	{TOR "impairments: [{port: 'h[0]', pause: {}}]\n", "t.yaml:4:15: ",
	 "with pause or stall and without until, the run needs a duration to end at"},
	{TOR "impairments: [{port: 'tor[0]', direction: rx, until: 1us, stall: yes}]\n",
	 "t.yaml:4:66: ", "stall: is of what a port sends, not rx"},
	{TOR "impairments: [{port: ['tor[0]', 'tor[0]'], until: 1us, stall: yes}]\n",
	 "t.yaml:4:63: ", "stall: tor port 0 is held already, and has one interval for it"},
	{TOR "impairments: [{port: 'h[0]', until: 1us, pause: {source_mac: zero}}]\n",
	 "t.yaml:4:62: ", "source_mac: \"zero\" is no MAC address such as 02:00:00:00:00:01"},
	{TOR "impairments: [{port: 'h[0]', delay: 11s}]\n",
	 "t.yaml:4:37: ", "delay: is more than 10s"},
	/* failures */
	{TOR "failures: [{link: 'tor[3]', down: yes}]\n",
	 "t.yaml:4:19: ", "link: nothing is linked to tor[3]"},
	{TOR "failures: [{link: 'h[0]'}]\n",
	 "t.yaml:4:12: ", "says nothing of what happens; give down: yes, or rate, delay or loss"},
	{TOR "failures: [{link: 'h[0]', down: yes, rate: 1Gbps}]\n",
	 "t.yaml:4:12: ", "a link that is down has no rate, delay or loss"},
	{TOR "failures: [{link: 'h[0]', at: 2us, until: 2us, down: yes}]\n",
	 "t.yaml:4:43: ", "until: is not after at"},
	{TOR "failures: [{link: 'h[0]', rate: 101Gbps}]\n",
	 "t.yaml:4:33: ", "rate: is more than the link's own 100Gbps"},
	{TOR "failures: [{link: 'h[0]', delay: 11s}]\n",
	 "t.yaml:4:34: ", "delay: is more than 10s"},
	{TOR "failures: [{link: 'h[0]', down: yes},\n {link: 'tor[0]', at: 1us, down: yes}]\n",
	 "t.yaml:5:2: ", "another one of the link at h0 overlaps with it"},
	/* not YAML, not a configuration */
	{"", "t.yaml: ", "is empty"},
	{"a: [1, 2\n", "t.yaml:2:1: ", "not YAML: did not find expected ',' or ']'"},
	{"\xff\xfe\xfd", "t.yaml: ", "not YAML"},
	{"a: \"\\0\"\n", "t.yaml:1:4: ", "NUL character"},
	{"- 1\n", "t.yaml:1:1: ", "must be a map"},
	{"seed: 1\n---\nseed: 2\n", "t.yaml:2:1: ", "a second document"},
	{"? [a]\n: 1\n", "t.yaml:1:3: ", "a list or map as a key"},
	{"seed: *x\n", "t.yaml:1:7: ", "*x: no &x before it"},
	{"a: &x [*x]\n", "t.yaml:1:8: ", "*x is inside what it stands for"},
	{"a: &a [[[[[[[[[[1]]]]]]]]]]\nb: &b [[[[[[[[[[*a]]]]]]]]]]\nc: [[[[[[[[[[*b]]]]]]]]]]\n"
	 "d: &d [[[[[[[[[[*b]]]]]]]]]]\ne: [*d]\n",
	 "t.yaml:5:5: ", "nested deeper than 32"},
	{"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n", "t.yaml:1:33: ", "nested deeper than 32"},
	/* keys */
	{"sead: 1\n", "t.yaml:1:1: ", "sead: unknown key; did you mean seed?"},
	{"seed: 1\nfoo_bar_baz: 1\n", "t.yaml:2:1: ", "unknown key; known are time, duration"},
	{"seed: 1\nseed: 2\n", "t.yaml:2:1: ", "seed: a second time; the first is at line 1"},
	{"time: real\nhosts: {a: {}}\n", "t.yaml:1:1: ", "payload: must be full in real time"},
	{"ethdevs: [{port: a, vdev: net_null0}]\nhosts: {a: {}}\n",
	 "t.yaml:1:", "only `time: real`"},
	{"time: real\npayload: full\nhosts: {a: {}}\nethdevs: [{port: a}]\n",
	 "t.yaml:4:", "either vdev or pci"},
	{"time: real\npayload: full\nhosts: {a: {}}\nethdevs: [{port: a, vdev: net_null0, pci: "
	 "\"03:00.0\"}]\n",
	 "t.yaml:4:", "has both vdev and pci"},
	{"time: real\npayload: full\nhosts: {a: {}}\nethdevs: [{port: a, pci: \"zz:03\"}]\n",
	 "t.yaml:4:", "such as 0000:03:00.0 or 03:00.0"},
	{"time: real\npayload: full\nhosts: {a: {}}\nethdevs: [{port: a, pci: \"03:00.9\"}]\n",
	 "t.yaml:4:", "is no address of a NIC"},
	{"time: real\npayload: full\nhosts: {a: {}, b: {}}\nethdevs:\n"
	 "- {port: a, pci: \"03:00.0\"}\n- {port: b, pci: \"0000:03:00.0,x=1\"}\n",
	 "t.yaml:6:", "device of another port already, at t.yaml:5:"},
	{"time: real\npayload: full\nhosts: {a: {}, b: {}}\nethdevs:\n"
	 "- {port: a, vdev: net_null0}\n- {port: b, vdev: \"net_null0,copy=1\"}\n",
	 "t.yaml:6:", "net_null0 is the device of another port"},
	{"time: real\npayload: full\nhosts: {a: {}, b: {}}\nethdevs:\n"
	 "- {port: a, vdev: \"net_tap0,iface=e\"}\n"
	 "- {port: b, vdev: \"net_af_packet0,iface=e,x=1\"}\n",
	 "t.yaml:6:", "vdev: e is the device of another port"},
	{"time: real\npayload: full\nhosts: {a: {count: 2}}\nethdevs: [{port: a, vdev: "
	 "net_null0}]\n",
	 "t.yaml:4:", "a device is one port"},
	{"time: real\npayload: full\nhosts: {a: {remote: yes}}\nethdevs: [{port: a, vdev: "
	 "net_null0}]\n",
	 "t.yaml:4:", "a is remote"},
	{"hosts: {a: {mac: \"01:00:00:00:00:01\"}}\n", "t.yaml:1:", "no station's address"},
	{"hosts: {a: {address: \"fd00::1\"}}\n", "t.yaml:1:", "no IPv4 address"},
	{"time: sometimes\n", "t.yaml:1:7: ", "it takes one of virtual, real"},
	/* units and numbers */
	{"duration: 5\n", "t.yaml:1:11: ", "duration: 5 needs a unit (ps, ns, us, ms or s)"},
	{"duration: 5Gbps\n", "t.yaml:1:11: ", "\"5Gbps\" is not a time such as 5ms"},
	{"duration: -5ms\n", "t.yaml:1:11: ", "-5ms is negative"},
	{"duration: 0.5ps\n", "t.yaml:1:11: ", "not a whole number of picoseconds"},
	{"duration: 99999999999999999999s\n", "t.yaml:1:11: ", "too large"},
	{"duration: 20000000s\n", "t.yaml:1:11: ", "too large"},
	{"duration: 100000s\n", "t.yaml:1:11: ", "out of range, 0 to 86400s"},
	{"duration:\n", "t.yaml:1:10: ", "no value, but it takes a time"},
	{"duration: [1us]\n", "t.yaml:1:11: ", "a list, but it takes a time"},
	{"seed: 1.5\n", "t.yaml:1:7: ", "not a whole number"},
	{"seed: 99999999999999999999999\n", "t.yaml:1:7: ", "too large"},
	{"mbufs: 99999999\n", "t.yaml:1:8: ", "out of range, 0 to 16777216"},
	{SW("rate: 100"), "t.yaml:1:55: ", "rate: 100 needs a unit (bps, kbps, Mbps"},
	{SW("rate: 100us"), "t.yaml:1:55: ", "\"100us\" is not a rate such as 100Gbps"},
	{SW("cable: 5"), "t.yaml:1:56: ", "cable: 5 needs a unit (m or km)"},
	{SW("wred: {lossless: {probability: 20}}"), "t.yaml:1:80: ", "20 needs a unit (%)"},
	{SW("wred: {lossless: {probability: 120%}}"), "t.yaml:1:80: ", "out of range, 0% to 100%"},
	{SW("cut_through: maybe"), "t.yaml:1:62: ", "it takes yes or no"},
	{SW("ports: 4"), "t.yaml:1:49: ", "ports: a second time"},
	{"switches: {s: {ports: 513}}\n", "t.yaml:1:23: ", "513 is out of range, 1 to 512"},
	{"switches: {s: {ports: 0}}\n", "t.yaml:1:23: ", "0 is out of range"},
	{"switches: {s x: {}}\n", "t.yaml:1:12: ", "\"s x\" is no name"},
	{"switches: [1]\n", "t.yaml:1:11: ", "a list, but it takes a map of names"},
	{"links: {from: a}\n", "t.yaml:1:8: ", "a map, but it takes a list"},
	/* the switch */
	{"switches: {s: {profile: tomahawk}}\n", "t.yaml:1:25: ",
	 "there is no profiles/tomahawk.yaml next to the file or among those that "
	 "come with railyard; there are generic-32mb, tomahawk-7060cx"},
	{"switches: {s: {profile: a/b.yaml}}\n", "t.yaml:1:25: ", "No such file"},
	{"switches: {s: {ports: 2}}\n", "t.yaml:1:12: ", "s has no buffer: name a profile"},
	{SW("pipeline: deep"), "t.yaml:1:59: ", "there is no \"deep\"; there are"},
	{SW("pfc_enable: [8]"), "t.yaml:1:62: ", "it takes numbers 0 to 7"},
	{SW("pfc_enable: [3, 4]"), "t.yaml:1:61: ", "priority 4 of s port 0 has no headroom"},
	{SW("wred: {lossless: {min: 500KB}}"), "t.yaml:1:72: ", "Kmin 500KB is above Kmax 400KB"},
	{SW("wred: {x: {min: 1KB, max: 2KB}}"), "t.yaml:1:56: ", "wred: needs ecn"},
	{SW("wred: {lossless: {drop: {min: 2KB, max: 1KB}}}"),
	 "t.yaml:1:79: ", "Kmin 2000B is above"},
	{SW("pools: {ingress: {size: 1KB}}"),
	 "t.yaml:1:73: ", "size: pool ingress has 1000 bytes, but 16384 are guaranteed"},
	{SW("pools: {egress: {xoff: 1MB}}"), "t.yaml:1:72: ", "belongs to an ingress pool"},
	{SW("queues: [{queues: 0-8, profile: egress}]"), "t.yaml:1:67: ", "numbers 0 to 7"},
	{SW("queues: [{queues: 0, profile: egres}]"), "t.yaml:1:79: ", "did you mean egress?"},
	{SW("queues: [{queues: 0, profile: lossy}]"), "t.yaml:1:79: ", "lossy is of ingress pool"},
	{SW("pgs: [{pgs: 0, profile: egress}]"), "t.yaml:1:73: ", "egress is of egress pool"},
	{SW("queues: [{queues: 0, wred: x}]"), "t.yaml:1:76: ", "there is no WRED profile \"x\""},
	{SW("queues: [{queues: 0, scheduler: abcdef}]"), "t.yaml:1:81: ", "there are strict"},
	{SW("queues: [{ports: 4, queues: 0}]"),
	 "t.yaml:1:66: ", "there is no port 4; s has ports 0"},
	{SW("queues: [{queues: 0, profile: egress}]"),
	 "t.yaml:1:12: ", "traffic class 1 goes to queue 1, which has no buffer profile"},
	{SW("pgs: [{pgs: 3, profile: lossless}]"),
	 "t.yaml:1:12: ", "traffic class 0 goes to PG 0, which has no buffer profile"},
	{SW("buffer_profiles: {lossy: {pool: nowhere}}"),
	 "t.yaml:1:81: ", "there is no buffer pool \"nowhere\""},
	{SW("buffer_profiles: {lossy: {static_th: 1KB}}"), "t.yaml:1:86: ",
	 "static_th: dynamic_th is given too, which is right for pool ingress; give one"},
	{SW("buffer_profiles: {x: {pool: egress}}"), "t.yaml:1:67: ", "x: needs static_th"},
	{SW("buffer_profiles: {lossy: {dynamic_th: 8}}"), "t.yaml:1:87: ", "out of range, -8 to 7"},
	{SW("buffer_profiles: {egress: {xoff: 1KB}}"), "t.yaml:1:82: ", "pool egress is egress"},
	{SW("maps: {dscp_to_tc: {64: 1}}"), "t.yaml:1:69: ", "neither a number 0 to 63 nor"},
	{SW("maps: {dscp_to_tc: {1: 16}}"), "t.yaml:1:72: ", "numbers 0 to 15"},
	{SW("maps: {tc_to_pg: {8: 8}}"), "t.yaml:1:70: ", "numbers 0 to 7"},
	{SW("maps: {dscp_to_tc: {0-3: 1, 2-5: 2}}"),
	 "t.yaml:1:77: ", "2 is in two ranges, 0-3 and 2-5"},
	{SW("port_names: [a, b]"), "t.yaml:1:", "port_names: 2 names for"},
	{SW("maps: {pg_to_pfc: {3: 5}}"),
	 "generic-32mb.yaml:8:13: ", "no priority group pauses priority 3"},
	{SW("port_settings: [{ports: 1, hold: {from: 2us, until: 1us}}]"),
	 "t.yaml:1:101: ", "until is before from"},
	{SW("forwarding: {static: [{mac: 02:00, port: 1}]}"), "t.yaml:1:77: ", "not an address"},
	{SW("forwarding: {static: [{mac: \"02:00:00:00:00:01\", port: 9}]}"),
	 "t.yaml:1:104: ", "there is no port 9"},
	{SW("forwarding: {routes: [{prefix: 10.0.0.0/33, ports: 1}]}"),
	 "t.yaml:1:80: ", "not a prefix"},
	{"switches: {s: {profile: tomahawk-7060cx, cable: 7m}}\n", "t.yaml:1:49: ",
	 "s has no headroom row for 100Gbps and 7m; there are rows for 5m, 40m, 300m"},
	{"switches: {s: {profile: tomahawk-7060cx, rate: 400Gbps}}\n", "tomahawk-7060cx.yaml:",
	 "no headroom row for 400Gbps and 5m; there are rows only for 10Gbps, 25Gbps"},
	{SW("headroom: auto"), "t.yaml:1:59: ", "\"auto\", but it takes a list, or computed"},
	{SW("headroom: [{speed: 1Gbps, cable: 5m, size: 1KB}]"),
	 "t.yaml:1:60: ", "give size and xoff; or none of size, xoff and xon"},
	{SW("headroom: [{speed: 1Gbps, cable: 5m, xon: 1KB}]"), "t.yaml:1:60: ", "or none of"},
	{SW("headroom_model: {small_packets: 33.3%}"), "t.yaml:1:81: ", "takes whole percents"},
	{SW("headroom_model: {lossless_mtu: 60}"), "t.yaml:1:80: ", "out of range, 64B to 16KiB"},
	{SW("cable: 5m, headroom: computed, pgs: [{pgs: 0-7, profile: lossy}]"),
	 "t.yaml:1:70: ", "there is no buffer pool \"ingress_lossless_pool\"; there are ingress"},
	{SW("pfc: {quanta: 10, refresh: 1us}"), "t.yaml:1:76: ",
	 "refresh: 1us is too late for s port 0, whose pauses of 10 quanta last "
	 "51.2ns"},
	{SW("port_settings: [{ports: 1-2, rate: 400Gbps, pfc: {refresh: 100us}}]"),
	 "t.yaml:1:108: ",
	 "refresh: 100us is too late for s port 1, whose pauses of 65535 quanta "
	 "last 83.8848us"},
	{SW("rate: 999kbps"), "t.yaml:1:55: ", "999kbps is out of range, 1Mbps to 10Tbps"},
	{SW("schedulers: {x: {pir: 10bps}}"),
	 "t.yaml:1:71: ", "pir: 10bps is out of range, 0 or 1kbps to 10Tbps"},
	{SW("port_settings: [{ports: 1, shaper: {rate: 999bps}}]"), "t.yaml:1:91: ", "0 or 1kbps"},
	{SW("headroom: [{speed: 999kbps, cable: 5m}]"), "t.yaml:1:68: ", "out of range, 1Mbps"},
	{SW("schedulers: {x: {pbs: 0}}"), "t.yaml:1:71: ", "pbs: must be more than 0"},
	{SW("forwarding: {static: [{mac: \"02:00:00:00:00:01\", port: 1, vlan: 5},\n"
	    "{port: 1, mac: \"02:00:00:00:00:01\"}, {vlan: 5, port: 2, mac: \"02:0:0:0:0:1\"}]}"),
	 "t.yaml:2:38: ", "static: 02:0:0:0:0:1 of VLAN 5 is behind port 1 already"},
	{SW("forwarding: {static: [{mac: \"01:00:5e:00:00:01\", port: 1}]}"),
	 "t.yaml:1:77: ", "mac: 01:00:5e:00:00:01 is a group's address"},
	{SW("forwarding: {routes: [{prefix: 10.0.0.0/8, ports: 1, macs: \"ff:ff:ff:ff:ff:ff\"}]}"),
	 "t.yaml:1:108: ", "macs: ff:ff:ff:ff:ff:ff is a group's address"},
	{SW("balancer: spray"), "t.yaml:1:59: ", "s forwards by MAC address, over one path"},
	{SW("balancer: {kind: spry}"), "t.yaml:1:66: ", "it takes one of ecmp, weighted, "},
	{SW("balancer: {max_flows: 500}"), "t.yaml:1:71: ", "500 is not a power of 2"},
	{SW("balancer: {past_weight: 0, future_weight: 0}"), "t.yaml:1:73: ", "more than 0"},
	{SW("balancer: {hash: {fields: [src_ip, qp]}}"),
	 "t.yaml:1:84: ", "fields: \"qp\" is no field; there are src_ip, "},
	{SW("balancer: {hash: {fields: [src_ip, dst_ip, src_ip]}}"),
	 "t.yaml:1:92: ", "fields: src_ip is given twice"},
	/* hosts and links */
	{PAIR("", ", forwarding: {learn: yes}"), "t.yaml:4:5: ",
	 "closes a loop of layer 2 switches (b, a) with that at t.yaml:3:5: b learns, "
	 "so a flooded frame would circle for ever; set forwarding: {mode: l3}"},
	{"switches: {a: {profile: generic-32mb, forwarding: {learn: yes}}}\n"
	 "links: [{from: \"a[0]\", to: \"a[1]\", delay: 1us}]\n",
	 "t.yaml:2:9: ", "link: a port 0 and port 1 of the same switch; a link joins two nodes"},
	{SLOW("", "receiver: {window: 64}"),
	 "t.yaml:2:49: ", "window: a go-back-n receiver has none"},
	{SLOW("", "receiver: {nak_distance: 2}"),
	 "t.yaml:2:55: ", "nak_distance: a go-back-n receiver NAKs at once"},
	{SLOW("", "receiver: {ordering: out-of-order, on_reorder: cnp, nak_distance: 2}"),
	 "t.yaml:2:", "nak_distance: there are no NAKs with on_reorder: cnp"},
	{SLOW("", "receiver: {ordering: out-of-order, window: 64, nak_distance: 64}"),
	 "t.yaml:2:", "nak_distance: must be less than the window of 64 packets"},
	{SLOW("", "receiver: {ordering: in-order}"), "t.yaml:2:", "go-back-n"},
	{SLOW("", "receiver: {ordering: out-of-order, window: 7}"), "t.yaml:2:", "window: "},
	{SLOW("", "receiver: out-of-order, remote: yes"),
	 "t.yaml:2:", "a remote host has go-back-n"},
	{SLOW("", "pfc: {refresh: 1ms}"), "t.yaml:2:45: ", "refresh: 1ms is too late for h"},
	{"hosts: {h: {nic: 10kbps}}\n", "t.yaml:1:18: ", "10kbps is out of range, 1Mbps"},
	{"hosts: {h: {drain_rate: 10bps}}\n", "t.yaml:1:25: ", "0 or 1kbps to 10Tbps"},
	{"hosts: {h: {congestion_control: {preset: none, rate: 1bps}}}\n",
	 "t.yaml:1:54: ", "rate: 1bps is out of range, 0 or 1kbps to 10Tbps"},
	{"hosts: {h: {congestion_control: {min_rate: 1bps}}}\n",
	 "t.yaml:1:44: ", "min_rate: 1bps is out of range, 1kbps to 10Tbps"},
	{"hosts: {h: {mtu: 1500}}\n", "t.yaml:1:18: ", "1500 is no path MTU; there are 256, 512"},
	{"hosts: {h: {timeout: 32}}\n", "t.yaml:1:22: ", "out of range, 0 to 31"},
	{"hosts: {h: {congestion_control: bbr}}\n",
	 "t.yaml:1:33: ", "one of dcqcn, connectx, paper"},
	{"hosts: {h: {congestion_control: {rate: 1Gbps}}}\n",
	 "t.yaml:1:40: ", "only the preset none"},
	{"hosts: {h: {congestion_control: {min_decrease: 0.5%}}}\n",
	 "t.yaml:1:48: ", "whole percents"},
	{"hosts: {h: {rx_xoff: 2MiB}}\n", "t.yaml:1:22: ", "above rx_buffer"},
	{"hosts: {h: {rx_xon: 600KiB}}\n", "t.yaml:1:21: ", "above rx_xoff"},
	{"hosts: {h: {count: 2}}\n", "t.yaml:1:9: ", "h0 has no link"},
	{"hosts: {h1: {count: 2}}\n", "t.yaml:1:9: ", "must not end in a digit"},
	{"hosts: {h0: {}, h: {count: 2}}\n", "t.yaml:1:9: ", "there is a second host h0"},
	{"switches: {a: {pipeline: ideal}}\nhosts: {a: {}}\n",
	 "t.yaml:2:9: ", "a is a switch already"},
	{TOR "links: []\n", "t.yaml:4:1: ", "links: a second time"},
	{"hosts: {h: {count: 2}}\nlinks: [{from: \"h[0]\", to: \"h[1]\", delay: 0}]\n",
	 "t.yaml:2:43: ", "delay: a link takes time"},
	{"hosts: {h: {count: 2}}\nlinks: [{from: \"h[0]\", to: \"h[1]\"}]\n",
	 "t.yaml:2:9: ", "needs delay or length"},
	{"hosts: {h: {count: 2}}\nlinks: [{from: \"h[0]\", to: \"h[1]\", delay: 1us, length: "
	 "1m}]\n",
	 "t.yaml:2:56: ", "delay is given too"},
	{"hosts: {h: {count: 2}}\nlinks: [{from: h, to: \"h[0]\", delay: 1us}]\n",
	 "t.yaml:2:9: ", "from selects 2 and to 1"},
	{"hosts: {h: {count: 2}}\nlinks: [{from: \"h[2]\", to: h, delay: 1us}]\n",
	 "t.yaml:2:16: ", "h has hosts 0 to 1"},
	{"hosts: {h: {count: 2}}\nlinks: [{from: \"h[0\", to: h, delay: 1us}]\n",
	 "t.yaml:2:16: ", "selects nothing; write h[0-3]"},
	{"hosts: {host: {count: 2}}\nlinks: [{from: hots, to: host, delay: 1us}]\n",
	 "t.yaml:2:16: ", "there is no host or switch \"hots\"; did you mean host?"},
	{TOR "workload: []\nexpect:\n  drops: few\n", "t.yaml:6:10: ", "is no expectation"},
	{"switches: {tor: {profile: generic-32mb, ports: 4}}\nhosts: {h: {count: 3}}\n"
	 "links: [{from: h, to: \"tor[2-4]\", delay: 1us}]\n",
	 "t.yaml:3:23: ", "tor has ports 0 to 3"},
	{"switches: {tor: {profile: generic-32mb, ports: 4}}\nhosts: {h: {count: 2}}\n"
	 "links: [{from: h, to: \"tor[1,1]\", delay: 1us}]\n",
	 "t.yaml:3:9: ", "tor port 1 is linked already"},
	{"switches: {tor: {profile: generic-32mb, ports: 4}}\nhosts: {h: {nic: 25Gbps}}\n"
	 "links: [{from: h, to: \"tor[1]\", delay: 1us}]\n",
	 "t.yaml:3:9: ", "h runs at 25Gbps and tor port 1 at 100Gbps"},
	{"switches: {tor: {profile: generic-32mb, ports: 4, mtu: 1518}}\nhosts: {h: {}}\n"
	 "links: [{from: h, to: \"tor[1]\", delay: 1us}]\n",
	 "t.yaml:3:9: ",
	 "frames of h take up to 4178 bytes at path MTU 4096, but tor port 1 takes 1518"},
	/* workloads and expectations */
	{VLANS(""),
	 "t.yaml:4:12: ", "a is in VLAN 5 and b in 6 (0 = untagged); give them the same"},
	{TOR "workload: [{incast: {name: x, from: h1, to: h2, size: 1}},\n"
	     "{udp: {name: x, from: h1, to: h2, rate: 1Gbps, until: 1us}}]\n",
	 "t.yaml:5:14: ", "name: there is a second workload x"},
	{TOR "workload: [{udp: {from: h1, to: h2, rate: 1bps, until: 1us}}]\n",
	 "t.yaml:4:43: ", "rate: 1bps is out of range, 1kbps"},
	{TOR "expect: {drops: }\n",
	 "t.yaml:4:17: ", "expect: no value, but it takes a number, or an operator and a number"},
	{TOR "expect: {drops: {is: 0}}\n", "t.yaml:4:17: ", "expect: a map, but it takes a number"},
	{TOR "workload: [{incast: {from: \"h[1-2]\", to: \"h[0]\"}}]\n",
	 "t.yaml:4:21: ", "incast: needs size (of a message)"},
	{TOR "workload: [{incast: {from: h, to: \"h[0]\", size: 1MB}}]\n",
	 "t.yaml:4:12: ", "h0 would send to itself"},
	{TOR "workload: [{incast: {from: x, to: \"h[0]\", size: 1MB}}]\n",
	 "t.yaml:4:28: ", "there is no host \"x\""},
	{TOR "workload: [{incast: {from: tor, to: \"h[0]\", size: 1MB}}]\n",
	 "t.yaml:4:28: ", "tor is a switch; only hosts send"},
	{TOR "workload: [{incast: {from: h1, to: h2, size: 1MB, bytes: 1MB}}]\n",
	 "t.yaml:4:51: ", "bytes: the same as size"},
	{TOR "workload: [{incast: {from: h1, to: h2, size: 0}}]\n",
	 "t.yaml:4:46: ", "size: must be more than 0"},
	{TOR "workload: [{incats: {}}]\n", "t.yaml:4:13: ", "did you mean incast?"},
	{TOR "workload: [{}]\n", "t.yaml:4:12: ", "one of incast, elephants, poisson, udp"},
	{TOR "workload: [{elephants: {size: 1MB}}]\n",
	 "t.yaml:4:24: ", "give from and to, or pairs, or permutation"},
	{TOR "workload: [{elephants: {permutation: h1, size: 1MB}}]\n",
	 "t.yaml:4:38: ", "two or more"},
	{TOR "workload: [{elephants: {permutation: h, size: 1MB, count: 0}}]\n",
	 "t.yaml:4:12: ", "elephants never ends"},
	{TOR "workload: [{poisson: {from: h, to: h, cdf: google, load: 50%, count: 1}}]\n",
	 "t.yaml:4:44: ", "there is no workloads/google.yaml"},
	{TOR "workload: [{poisson: {from: h, to: h, cdf: websaerch, load: 50%, count: 1}}]\n",
	 "t.yaml:4:44: ", "; did you mean websearch?; there are alistorage, hadoop, websearch"},
	{TOR "workload: [{poisson: {from: h, to: h, cdf: {points: [[0, 0%], [1, 90%]]}, load: 1, "
	     "count: 1}}]\n",
	 "t.yaml:4:63: ", "the last point must be at 100%"},
	{TOR "workload: [{poisson: {from: h, to: h, cdf: {points: [[1, 0%], [3GiB, 100%]]}, load: "
	     "1, count: 1}}]\n",
	 "t.yaml:4:63: ", "messages larger than 2GiB"},
	{TOR "workload: [{poisson: {from: h, to: h, cdf: {points: [[5, 0%], [5, 100%]]}, load: 1, "
	     "count: 1}}]\n",
	 "t.yaml:4:63: ", "bytes must rise"},
	{TOR "workload: [{udp: {from: h, to: h1, rate: 1Gbps, until: 1us}}]\n",
	 "t.yaml:4:12: ", "h1 would send to itself"},
	{TOR "workload: [{udp: {from: h2, to: h1, rate: 1Gbps, at: 2us, until: 1us}}]\n",
	 "t.yaml:4:12: ", "until is not after at"},
	{TOR "expect: {flows.fct_us.p99: \"< 2 apples\"}\n", "t.yaml:4:28: ", "2 apples"},
	{TOR "expect: {drops: \"~ 2\"}\n", "t.yaml:4:17: ", "is no expectation"},
	{TOR "expect: {drops: \"5 .. 2\"}\n", "t.yaml:4:17: ", "write the smaller one first"},
	{TOR "expect: {drops: \"5 .. < 7\"}\n", "t.yaml:4:17: ", "is no expectation"},
	{"switches: {tor: {profile: generic-32mb}}\n"
	 "hosts: {a: {}, b: {mtu: 1024}}\nlinks: [{from: [a, b], to: \"tor[0-1]\", delay: 1us}]\n"
	 "workload: [{incast: {from: a, to: b, size: 1MB}}]\n",
	 "t.yaml:4:12: ", "a has path MTU 4096 and b has 1024"},
	{OWN "pfc_enable: [3]}}\n", "t.yaml:4:13: ", "has no headroom"},
};

static const struct {
	const char *set;
	const char *error;
} bad_sets[] = {
	{"seed", "--set seed: not PATH=VALUE, such as"},
	{"=5", "--set =5: not PATH=VALUE"},
	{"a..b=5", "--set a..b=5: not PATH=VALUE"},
	{"sead=5", "--set sead=5: sead: unknown key; did you mean seed?"},
	{"seed=-5", "--set seed=-5: seed: -5 is negative"},
	{"seed.x=5", "--set seed.x=5: x is below"},
	{"links[3].delay=1us", "--set links[3].delay=1us: there is no such entry"},
	{"links[1].delay=1us", "--set links[1].delay=1us: link: needs from"},
	{"workload[1].udp.rate=1Gbps", "--set workload[1].udp.rate=1Gbps: there is no such entry"},
	{"switches.tor.port_settings[0].mtu=1518",
	 "--set switches.tor.port_settings[0].mtu=1518: port_settings: needs ports"},
	{"links[0]=null", "--set links[0]=null: null takes out a key, not an entry of a list"},
	{"links[0].dealy=null",
	 "--set links[0].dealy=null: dealy: unknown key; did you mean delay?"},
	{"hosts.g=null", "--set hosts.g=null: there is no g to take out"},
	{"links[0].length=null", "--set links[0].length=null: there is no length to take out"},
	{"links[0].length=5m",
	 "--set links[0].length=5m: length: delay is given too; give one of them (--set "
	 "links[N].delay=null takes it out)"},
	{"links[0].from=null", "t.yaml:4:9: link: needs from"},
	{"expect.drops=", "--set expect.drops=: expect: no value, but it takes a number, or"},
	{"expect.drops=[1]", "--set expect.drops=[1]: expect: a list, but it takes a number, or"},
	{"hosts.h.dscp.x=1", "--set hosts.h.dscp.x=1: dscp"},
	{"hosts.h.count=5",
	 "t.yaml:4:9: link: from selects 5 and to 3; they pair up one to one (with --set "
	 "hosts.h.count=5)"},
	{"switches.tor.wred.lossless.min=900KB",
	 "--set switches.tor.wred.lossless.min=900KB: min: Kmin"},
	{"switches.tor.ports=[1", "--set switches.tor.ports=[1: not YAML: did not find"},
};

static const struct {
	const char *text;
	const char *warning; /* NULL: none */
} warnings[] = {
	{TOR, NULL},
	{"topology: {kind: leaf-spine, clusters: 2, leaves: 1, hosts_per_leaf: 2}\n"
	 "workload: [{elephants: {pairs: [{from: h0, to: h1}, {from: h1, to: h3}], size: 1KB}}]\n",
	 "t.yaml:2:12: no links lead from h1 to h3: what they send each other is lost"},
	{"topology: {kind: leaf-spine, clusters: 2, leaves: 1, hosts_per_leaf: 2, gateways: 1}\n"
	 "workload: [{incast: {from: 'h[0,2-3]', to: h1, size: 1KB}}]\n",
	 NULL},
	{"switches: {tor: {profile: tomahawk-7060cx, ports: 4}}\nhosts: {h: {count: 3, dscp: 24}}\n"
	 "links: [{from: h, to: \"tor[0-2]\", delay: 1us}]\n",
	 "t.yaml:1:12: tor puts DSCP 24 of h0 in traffic class 1, which is lossy"},
	/* 2 x 20 us at 100 Gb/s are 500,000 bytes alone */
	{"switches: {tor: {profile: generic-32mb, ports: 4}}\nhosts: {h: {count: 3}}\n"
	 "links: [{from: h, to: \"tor[0-2]\", delay: 20us}]\n",
	 "t.yaml:3:9: tor port 0: headroom of PG 3 is 200000 bytes (lossless), but up to 5"},
	{"switches: {tor: {profile: generic-32mb, ports: 4}}\nhosts: {h: {pfc_enable: []}}\n"
	 "links: [{from: h, to: \"tor[0]\", delay: 1us}]\n",
	 "t.yaml:3:9: tor port 0 pauses priorities that h does not obey"},
	{"switches: {tor: {profile: generic-32mb, ports: 4}}\nhosts: {h: {ecn_capable: no}}\n"
	 "links: [{from: h, to: \"tor[0]\", delay: 1us}]\n",
	 "t.yaml:1:12: tor drops packets of h, which are not ECN capable, by WRED profile "
	 "lossless"},
	{PAIR("", ""),
	 "t.yaml:4:5: link: closes a loop of layer 2 switches (b, a) with that at t.yaml:3:5: only "
	 "one path is used"},
	{PAIR("", ", forwarding: {mode: l3}"), NULL}, /* what a routes to is not flooded on */
	{VLANS(", forwarding: {mode: l3}"), NULL},
	/* a frame and gap at 100 Gb/s: 9,236 x 80 ps = 738.88 ns; response 394 x 5.12 ns */
	{"switches: {s: {profile: generic-32mb, pfc: {quanta: 500}}}\n",
	 "t.yaml:1:53: s port 0: pauses of 500 quanta last 2.56us, but a frame of 9216 bytes and "
	 "the response time take 2.75616us"},
	{"switches: {s: {profile: generic-32mb, pfc: {quanta: 539}}}\n", NULL},
	{SLOW("", "pfc: {quanta: 1}"),
	 "t.yaml:2:44: h: pauses of 1 quanta last 5.12ns, but a frame of 4178 bytes and"},
	{DRAINED("26"), "t.yaml:3:9: h0 is a slow receiver (drain_rate) and pauses priority 3, "
			"which s port 0 does not obey (pfc_enable)"},
	{DRAINED("0"), NULL}, /* it pauses nothing that arrives */
	/* 2 x 1 us + 394 x 5.12 ns at 100 Gb/s are 50,216 bytes, and 2 x 4,178 */
	{SLOW("", "drain_rate: 10Gbps, rx_xoff: 990004"), NULL},
	{SLOW("", "drain_rate: 10Gbps, rx_xoff: 990005"),
	 "t.yaml:2:59: h: rx_buffer leaves 58571 bytes above rx_xoff, but up to 58572 may arrive"},
	{"switches: {s: {profile: generic-32mb, pfc_enable: []}}\n",
	 "t.yaml:1:12: s port 0: PG 3 is lossless (lossless), but priority 3 is not in pfc_enable"},
	{"switches: {s: {profile: generic-32mb, cable: 5m, headroom: computed}}\n",
	 "t.yaml:1:60: headroom: computed, but no port of s uses it"},
	{"switches: {s: {profile: generic-32mb, buffer_profiles: {egress: {static_th: 1MB}}}}\n",
	 "t.yaml:1:12: s port 0: queue 3 carries lossless traffic class 3, but its egress limit"},
};

#endif

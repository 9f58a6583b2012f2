#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# nic_loop.sh RAILYARD CONFIGS: the same scenario by the clock and in virtual time. Both lose
# nothing and complete all; marks agree to within a factor of two: by the clock frames meet the
# nodes once a turn of the poll loop, a turn is up to 20 us of emulated time on a busy machine
# against a round trip of 40 us, and DCQCN answers each mark. Nobody is paused in either: the
# limit is 24 MB away.
set -euo pipefail
railyard=$1 configs=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

timeout 120 "$railyard" run "$configs/nic-loop.yaml" --json >"$dir/real.json"
timeout 120 "$railyard" run "$configs/nic-loop.yaml" --json --set time=virtual >"$dir/virtual.json"
python3 - "$dir" <<'END'
import json
import sys

real, virtual = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("real", "virtual"))
for run in (real, virtual):
    assert run["state"] == "complete", run["state"]
    assert run["packets"]["dropped"] == run["packets"]["in_flight"] == 0, run["packets"]
    assert run["flows"]["completed"] == 8 and run["transport"]["messages_delivered"] == 8, run["flows"]
    assert run["transport"]["bytes_delivered"] == 8000000
    assert run["pfc"]["xoff_sent"] == 0, run["pfc"]
assert virtual["ecn_marked"] / 2 < real["ecn_marked"] < virtual["ecn_marked"] * 2, \
    (real["ecn_marked"], virtual["ecn_marked"])
assert len(real["real_time"]["devices"]) == 10 and "real_time" not in virtual
for device in real["real_time"]["devices"]:
    assert device["rx_packets"] > 0 and device["tx_dropped"] == device["rx_refused"] == 0, device
print(f"marks: {real['ecn_marked']} by the clock, {virtual['ecn_marked']} in virtual time")
END

# Hosts and switch meet over rings only, so each may be on another lcore: nothing else changes.
timeout 120 "$railyard" run "$configs/nic-loop.yaml" --json --lcores 2 >"$dir/two.json"
timeout 120 "$railyard" run "$configs/nic-loop.yaml" --json --set eal.cores=0 >"$dir/pinned.json"
timeout 120 "$railyard" run "$configs/nic-loop.yaml" --json --lcores 2 \
	--set 'links=[{from: "h[0-4]", to: "tor[0-4]", delay: 10us}]' \
	--set 'ethdevs=[{port: "x[0]", vdev: "net_null0,no-rx=1"}]' --set 'hosts.x={count: 1, nic: 1Gbps}' \
	>"$dir/joined.json"
python3 - "$dir" <<'END'
import json
import sys

two, pinned, joined = (json.load(open(f"{sys.argv[1]}/{name}.json"))
                       for name in ("two", "pinned", "joined"))
for run, lcores in ((two, 2), (pinned, 1), (joined, 2)):
    assert run["real_time"]["lcores"] == lcores, run["real_time"]
    assert run["state"] == "complete" and run["flows"]["completed"] == 8, run["flows"]
    assert run["packets"]["dropped"] == run["packets"]["in_flight"] == 0, run["packets"]
print("the same on two lcores")
END

# What is wrong with DPDK's arguments or devices is one line, and exit status 2.
sed 's/over: net_ring/over: memory/' "$configs/nic-loop.yaml" >"$dir/missing.yaml"
cp -r "$configs/profiles" "$dir"
check_refused()
{
	local what=$1 rc=0

	shift
	"$railyard" run "$dir/missing.yaml" "$@" >"$dir/out" 2>"$dir/err" || rc=$?
	if [[ $rc != 2 || -s $dir/out || $(wc -l <"$dir/err") != 1 ]] || ! grep -q "$what" "$dir/err"; then
		echo "FAIL: $*: exit $rc" >&2
		cat "$dir/out" "$dir/err" >&2
		exit 1
	fi
}
check_missing()
{
	check_refused "$2" --set 'links=[{from: "h[1-4]", to: "tor[1-4]", delay: 1us}]' \
		--set "ethdevs=[{port: \"h[0]\", $1}]"
}
check_refused "environment did not start" --eal --nonsense
check_refused "it was given: .* --nonsense" --eal --nonsense
for argument in --proc-type=secondary "--proc-t secondary" --help --version -h -v; do
	check_refused "is not for a run" --eal "$argument"
done
check_refused "takes no quotes" --eal "--vdev 'net_null0"
check_refused '"nonsense" is no option' --eal "--no-huge nonsense"
check_refused "cores: there is no core 9999" --set 'eal.cores="9999"'
echo "arguments that are not for a run: a line each"
check_missing 'vdev: "net_af_packet0,iface=ry-not-there"' 'there is no interface ry-not-there'
check_missing 'vdev: net_nothing0' 'no device net_nothing0'
check_missing 'pci: "ffff:ff:1f.7"' 'no device ffff:ff:1f.7'
echo "missing devices: a line each"

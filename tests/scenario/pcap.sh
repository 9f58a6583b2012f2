#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# pcap.sh RAILYARD PCAP_VERIFY CONFIGS: captures of runs hold whole frames with right ICRCs and
# checksums, and tshark finds nothing malformed in them.
set -euo pipefail
railyard=$1 verify=$2 configs=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "FAIL: $*" >&2
	exit 1
}

# capture NAME OPTION...: a run of the incast, both ways at its receiver's and a sender's port.
capture()
{
	local name=$1

	shift
	"$railyard" run "$configs/incast.yaml" --quiet --pcap "tor:0=$dir/$name-0.pcap" \
		--pcap "h1:0=$dir/$name-1.pcap" "$@" || [[ $? == 1 ]] || fail "$name: the run"
	"$verify" "$dir/$name-0.pcap" "$dir/$name-1.pcap" >"$dir/$name.counts" || fail "$name"
	echo "$name: $(cat "$dir/$name.counts")"
}

no_malformed()
{
	local malformed

	malformed=$(tshark -r "$1" -Y '_ws.malformed' 2>"$dir/tshark.log" | wc -l) || {
		cat "$dir/tshark.log" >&2
		fail "tshark on $1"
	}
	[[ $malformed == 0 ]] || fail "$1: $malformed malformed frames"
	! tshark -r "$1" 2>/dev/null | grep -qi malformed || fail "$1: frames shown as malformed"
}

capture elided
capture full --set payload=full
cmp "$dir/elided-0.pcap" "$dir/full-0.pcap" || fail "elided and full payloads differ on the wire"
capture ipv6 --set hosts.h.ip=ipv6
capture vlan --set hosts.h.vlan=7
capture read --set 'workload=[{incast: {from: "h[1-16]", to: "h[0]", size: 100001, verb: read}}]'
capture imm --set 'workload=[{incast: {from: "h[1-16]", to: "h[0]", size: 100001, verb: send_imm}}]'
capture selective --set hosts.h.receiver=out-of-order --set hosts.h.timeout=8 \
	--set 'impairments=[{port: "h[0-16]", loss: 0.5%, reorder: 5%, reorder_delay: 30us}]'
capture pauses --set 'switches.tor.wred={lossless: {min: 100KB, max: 400KB, ecn: none, drop: none}}'
grep -q ' pfc 0$' "$dir/pauses.counts" && fail "no pause frame in the capture of a paused run"
grep -Eq ' ce 0 | cnp 0 ' "$dir/elided.counts" && fail "no CE or CNP in the capture of a marked run"

if ! command -v tshark >/dev/null; then
	echo "tshark is not installed: its view of the frames is not tested"
	exit 77
fi
for file in elided-0 ipv6-1 vlan-1 read-1 imm-1 selective-0 pauses-1; do
	no_malformed "$dir/$file.pcap"
done

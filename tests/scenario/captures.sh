#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# captures.sh RAILYARD PCAP_VERIFY SOURCE: real captures, where they are at hand (optional data
# beside the source tree): every RoCEv2 frame's ICRC verifies, and a replay through the switch
# gives the same frames with the same gaps.
set -euo pipefail
railyard=$1 verify=$2 source=$3
data=$source/../shared/data/captures
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "FAIL: $*" >&2
	exit 1
}

if [[ ! -d $data ]]; then
	echo "no captures beside the source tree"
	exit 77
fi
command -v tshark >/dev/null || {
	echo "tshark is not installed"
	exit 77
}

# The frames' bytes, one dump after another; the gaps are compared apart.
frames()
{
	tshark -r "$1" -x 2>/dev/null
}

times()
{
	tshark -r "$1" -T fields -e frame.time_relative 2>/dev/null
}

replay()
{
	local name=${1##*/}

	"$railyard" replay --config "$source/configs/replay.yaml" --in "$1" --port 0 --to 2 \
		--out "$dir/out" --quiet || fail "$name: replay"
	cmp <(frames "$1") <(frames "$dir/out/tor-2.pcap") || fail "$name: frames differ"
	# A frame leaves when it is in as a whole: at most a wire time of 10 KB late, 0.8 us.
	paste <(times "$1") <(times "$dir/out/tor-2.pcap") |
		awk '{ d = $2 - $1; if (d > 2e-6 || d < -2e-6) { print "frame " NR ": " d " s"; exit 1 } }' ||
		fail "$name: gaps differ"
	echo "$name: replayed"
}

counts=$("$verify" "$data/roce_rc_two_hosts_2022.pcap")
echo "$counts"
[[ $counts == *"roce 105 "* ]] || fail "not all 105 RoCEv2 frames of the two hosts verify"
for file in "$data"/rxe/*.pcap; do
	"$verify" "$file" || fail "${file##*/}"
	replay "$file"
done
replay "$data/roce_rc_two_hosts_2022.pcap"
replay "$data/background_mixed.pcap"

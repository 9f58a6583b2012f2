#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# lcores.sh RAILYARD SOURCE [N...]: a run is the same on N lcores (2, 3 and 4) as on one: digest, and
# every byte of every file, but for how long it took by the wall clock.
set -euo pipefail
railyard=$(realpath "$1") source=$(realpath "$2")
shift 2
lcores=("${@:-2}")
(($#)) || lcores+=(3 4)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "FAIL: $*" >&2
	exit 1
}

# same NAME COMMAND...: with --lcores and results in a directory. The default number of
# packets takes longer to lay out than these runs take.
same()
{
	local name=$1 n

	shift
	for n in 1 "${lcores[@]}"; do
		mkdir "$dir/$name-$n"
		# Relative names, so that captures are among the results.
		(cd "$dir/$name-$n" && "$@" --set mbufs=30000 --lcores "$n" --out out --quiet 2>errors) ||
			[[ $? == 1 ]] || fail "$name: $n lcores: $(tail -n 30 "$dir/$name-$n/errors")"
		diff -r -x config.yaml -I '"wall_s"' -I '"packet_hops_per_s"' \
			"$dir/$name-1" "$dir/$name-$n" >"$dir/diff" || {
			head -n 20 "$dir/diff" >&2
			fail "$name: $n lcores are not as 1"
		}
	done
	[[ $(wc -c <"$dir/$name-1/out/timeseries.csv") -gt 1000 ]] || fail "$name: nothing sampled"
	grep -h '"digest"' "$dir/$name-1/out/summary.json" | sed "s/^/$name:/"
	rm -rf "${dir:?}/$name"-*
}

scenario()
{
	local name=$1

	shift
	same "$name" "$railyard" run "$source/configs/$name.yaml" --set sample_interval=20us "$@"
}

cat >"$dir/fabric.yaml" <<'YAML'
# Two leaves, two spines; sources, sinks and impairments on both sides of any division.
duration: 300us
sample_interval: 10us
topology:
  kind: leaf-spine
  leaves: 4
  spines: 2
  hosts_per_leaf: 4
  delay: 500ns
  switch: {profile: generic-32mb, wred: {lossless: {min: 20KB, max: 80KB, probability: 20%, ecn: all}}}
  host: {mtu: 1024}
impairments:
  - {port: "leaf1[4]", loss: 0.5%, jitter: 3us}
  - {port: "h[3]", duplicate: 1%, reorder: 1%}
  - {port: "leaf2[1]", pause: {interval: 20us}, from: 100us, until: 150us}
workload:
  - incast: {from: "h[4-15]", to: "h[0]", size: 60KB, at: 5us, jitter: 5us}
  - elephants: {permutation: h, size: 200KB, count: 2, at: 3us}
  - poisson: {from: h, to: h, cdf: websearch, load: 20%, at: 1us}
  - udp: {from: "h[7-8]", to: "h[2]", rate: 20Gbps, frame: 1024B, poisson: yes}
YAML
same fabric "$railyard" run "$dir/fabric.yaml" --pcap leaf0:0=leaf.pcap --pcap spine1:2=spine.pcap \
	--pcap h5:0=host.pcap --snap 128
scenario incast --pcap tor:0=tor.pcap --pcap h3:0=host.pcap --snap 96
scenario incast-pfc-only
scenario incast-lossy
scenario loss --set duration=1ms
scenario pfc-storm --set duration=1ms
scenario websearch --set duration=1ms
"$railyard" run "$source/configs/incast.yaml" --quiet --pcap "tor:0=$dir/in.pcap" --set payload=full
same replay "$railyard" replay --config "$source/configs/replay.yaml" --set sample_interval=20us \
	--in "$dir/in.pcap" --port 0 --to 2

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# deadlock.sh RAILYARD CONFIGS: a deadlock as a user meets it: warned of before, exit status 3,
# the cycle named, and all results written.
set -euo pipefail
railyard=$1 configs=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cycle='s0:3 -> s1:3 -> s2:3 -> s0:3, priority 3'

fail()
{
	echo "FAIL: $*" >&2
	cat "$dir/out" "$dir/err" >&2
	exit 1
}

code=0
timeout 120 "$railyard" run "$configs/deadlock.yaml" --quiet --out "$dir/run" >"$dir/out" \
	2>"$dir/err" || code=$?
[[ $code == 3 ]] || fail "exit status $code, not 3"
grep -q "deadlock: queues wait for each other .*$cycle" "$dir/err" || fail "the cycle is not named"
grep -q '"state": "deadlock"' "$dir/run/summary.json" || fail "state"
grep -q "routes close a cycle.*$cycle" "$dir/run/summary.json" || fail "no warning"
for file in flows ports queues pgs drops; do
	[[ -s $dir/run/$file.csv ]] || fail "no $file.csv"
done
"$railyard" topo "$configs/deadlock.yaml" >"$dir/out" 2>"$dir/err" || fail "topo"
grep -q "$cycle" "$dir/out" || fail "topo does not name the cycle"
"$railyard" topo "$configs/link-failure.yaml" >"$dir/out" 2>"$dir/err" || fail "topo"
! grep -q 'deadlock' "$dir/out" || fail "topo finds a cycle where there is none"
grep -q 'up, then down' "$dir/out" || fail "a leaf-spine is not routed up and down"

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_impaired_clock.py RAILYARD CONFIGS: impairments in nic-loop.yaml, by the clock. Counts are exact
whatever the clock did: every n-th is every n-th of what was sent, a copy of each doubles what is
received, and what became of frames on one side is what the other side saw."""
import json
import subprocess
import sys

BOUND_S = 120
# 1,000-byte datagrams at 100 Mb/s for 50 ms: 612 (with preamble and gap 1,020 bytes take 81.6 us).
DATAGRAMS = "[{udp: {from: 'h[1]', to: 'h[0]', frame: 1000, rate: 100Mbps, until: 50ms}}]"
MESSAGES = "[{incast: {from: 'h[1-2]', to: 'h[0]', size: 200KB, rounds: 2}}]"
# Nobody else marks, pauses or drops.
SWITCH = ("{tor: {profile: generic-32mb, ports: 5, rate: 1Gbps, "
          "wred: {lossless: {min: 8MB, max: 9MB, probability: 1%, ecn: all}}}}")


def run(program, configs, workload, impairment, hosts=""):
    done = subprocess.run([program, "run", configs + "/nic-loop.yaml", "--json", "--set", f"workload={workload}",
                           "--set", f"impairments=[{{{impairment}}}]", "--set", f"switches={SWITCH}",
                           "--set", f"hosts={{h: {{count: 5, nic: 1Gbps, congestion_control: none{hosts}}}}}",
                           "--set", "expect={}", "--set", "duration=60s"], capture_output=True, text=True, timeout=BOUND_S)
    assert done.returncode == 0, done.stderr
    s = json.loads(done.stdout)
    assert s["state"] == "complete" and s["packets"]["in_flight"] == 0, (s["state"], s["packets"])
    print(impairment + ":", {k: v for k, v in s["impairments"].items() if v})
    drops = {reason: n for reason, n in s["drops_by_reason"].items() if n}
    return s["impairments"], s["transport"], drops, s


def datagrams(program, configs):
    def of(impairment):
        did, transport, drops, s = run(program, configs, DATAGRAMS, impairment)
        return did, transport["udp_sent"], transport["udp_received"], drops, s

    did, sent, received, drops, _ = of("port: 'tor[1]', direction: rx, loss_every: 10")
    assert sent > 600 and did["lost"] == sent // 10 and received == sent - did["lost"], (did, sent, received)
    assert drops == {"impaired_loss": did["lost"]}, drops
    did, sent, received, drops, s = of("port: 'tor[0]', direction: tx, duplicate: 100%")
    assert did["duplicated"] == sent == s["packets"]["copied"] and received == 2 * sent and not drops, (did, sent, received)
    did, sent, received, drops, _ = of("port: 'tor[1]', direction: rx, delay: 2ms")
    assert did["delayed"] == sent == received and not drops, (did, sent, received, drops)
    did, sent, received, drops, _ = of("port: 'tor[0]', direction: tx, delay: 200us, jitter: 100us, reorder: 25%")
    assert 0 < did["reordered"] <= did["delayed"] == sent == received and not drops, (did, sent, received, drops)
    # All at once: a datagram has no ICRC, so it arrives with its error.
    did, sent, received, drops, _ = of("port: 'tor[0]', direction: tx, loss_every: 7, duplicate: 100%, bit_errors: 100%")
    assert did["lost"] == sent // 7 and did["duplicated"] == did["corrupted"] == sent - did["lost"], (did, sent)
    assert received == 2 * did["duplicated"], (did, received)


def messages(program, configs):
    """Reliable ones complete once, whatever is done to them."""
    def of(impairment):
        did, transport, drops, s = run(program, configs, MESSAGES, impairment, ", timeout: 9, retry: 7")
        assert s["flows"]["completed"] == transport["messages_delivered"] == 4, s["flows"]
        assert transport["bytes_delivered"] == 800000, transport
        return did, transport, drops, s

    did, transport, drops, _ = of("port: 'h[0]', direction: rx, bit_errors: 3%")
    assert drops == ({"bad_icrc": did["corrupted"]} if did["corrupted"] else {}), (drops, did)
    did, transport, drops, _ = of("port: 'tor[0]', direction: tx, loss_every: 50")
    assert drops == {"impaired_loss": did["lost"]} and did["lost"] > 0, (drops, did)
    assert transport["retransmitted_packets"] > 0, transport
    # Forced CE on every fifth of the data that leaves for h0, which answers with CNPs; its
    # acknowledgements go the other way.
    did, transport, drops, s = of("port: 'tor[0]', direction: tx, mark_every: 5")
    assert did["marked"] == s["ecn_marked"] == transport["ce_received"] > 0 and not drops, (did, transport)
    assert did["marked"] == transport["data_packets_sent"] // 5, (did, transport)
    assert s["cnp_sent"] > 0


datagrams(sys.argv[1], sys.argv[2])
messages(sys.argv[1], sys.argv[2])

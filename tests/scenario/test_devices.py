#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_devices.py RAILYARD CONFIGS: what a port gets that no sender should send, and more than there
are buffers for, by the clock. The ports are files (net_pcap), so that each frame is known and no
privilege is needed: what is fit to be bridged comes out as it went in, padded; the rest is dropped,
each for its reason; all sums close."""
import json
import os
import struct
import subprocess
import sys
import tempfile

BOUND_S = 120
SOURCE, DESTINATION = bytes.fromhex("02aa00000001"), bytes.fromhex("02aa00000002")
MTU = 1518  # with FCS
SETTINGS = """time: real
duration: 300ms
mbufs: {mbufs}
switches:
  tor: {{profile: generic-32mb, ports: {ports}, rate: 1Gbps, mtu: {mtu}{more}}}
ethdevs:
"""


def write_pcap(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            f.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)


def read_pcap(path):
    with open(path, "rb") as f:
        data = f.read()
    at, frames = 24, []
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        frames.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return frames


def run(program, configs, frames, mbufs=1024, ports=2, mtu=MTU, more=""):
    """Feed them into port 0; the summary, and what came out of the other ports."""
    with tempfile.TemporaryDirectory(prefix="ryd") as directory:
        os.symlink(os.path.join(os.path.abspath(configs), "profiles"), directory + "/profiles")
        text = SETTINGS.format(mbufs=mbufs, ports=ports, mtu=mtu, more=more)
        for n in range(ports):
            write_pcap(f"{directory}/in{n}.pcap", frames if n == 0 else [])
            text += (f'  - {{port: "tor[{n}]", vdev: "net_pcap{n},rx_pcap={directory}/in{n}.pcap,'
                     f'tx_pcap={directory}/out{n}.pcap"}}\n')
        with open(directory + "/devices.yaml", "w") as f:
            f.write(text)
        done = subprocess.run([program, "run", directory + "/devices.yaml", "--json"], capture_output=True,
                              text=True, timeout=BOUND_S)
        assert done.returncode == 0, f"exit {done.returncode}: {done.stderr}"
        summary = json.loads(done.stdout)
        packets = summary["packets"]
        assert summary["state"] == "duration" and packets["in_flight"] == 0, packets
        assert packets["from_devices"] + packets["sent"] + packets["copied"] == \
            packets["consumed"] + packets["dropped"] + packets["to_devices"] + packets["dropped_at_devices"], packets
        assert packets["dropped"] == sum(summary["drops_by_reason"].values()), summary["drops_by_reason"]
        return summary, [read_pcap(f"{directory}/out{n}.pcap") for n in range(ports)]


def drops(summary):
    return {reason: n for reason, n in summary["drops_by_reason"].items() if n}


def ipv4(total, version=0x45, ttl=64, dst=b"\x0a\0\0\x02"):
    header = struct.pack("!BBHHHBBH", version, 0, total, 1, 0, ttl, 17, 0) + b"\x0a\0\0\x01" + dst
    words = sum(struct.unpack("!10H", header))
    words = (words & 0xFFFF) + (words >> 16)
    words = (words & 0xFFFF) + (words >> 16)
    return header[:10] + struct.pack("!H", ~words & 0xFFFF) + header[12:]


def bridged():
    """Wrong above layer 2, or unknown: none of a bridge's business."""
    head = DESTINATION + SOURCE
    return [
        head + b"\x08\0",                                   # nothing after the Ethernet header
        head + b"\x08\0\x45",                               # one byte of an IPv4 header
        head + b"\x08\0" + ipv4(20)[:19],                   # all but one
        head + b"\x08\0" + ipv4(1500) + bytes(20),          # longer than the frame
        head + b"\x08\0" + ipv4(10) + bytes(40),            # shorter than its own header
        head + b"\x08\0" + ipv4(60, version=0x41) + bytes(40),  # a header of 4 bytes
        head + b"\x08\0" + ipv4(60, version=0x65) + bytes(40),  # version 6 as IPv4
        head + b"\x08\0" + ipv4(60, version=0x4F) + bytes(20),  # options that are not there
        head + b"\x08\0" + ipv4(28) + struct.pack("!HHHH", 1, 4791, 9999, 0),  # UDP length; RoCE without BTH
        head + b"\x08\0" + ipv4(33) + struct.pack("!HHHH", 1, 4791, 13, 0) + b"\x0a\0\xff\xff\0",  # half a BTH
        head + b"\x86\xdd" + b"\x60" + bytes(38),           # all but one byte of an IPv6 header
        head + b"\x81\0",                                   # a tag without the tag
        head + b"\x81\0\x60\x05",                           # a tag without a type
        head + b"\x81\0\x60\x05\x81\0\x60\x06\x08\0",       # two tags, and nothing in them
        head + b"\x88\xa8\0\x05\x81\0\0\x06" + bytes(50),   # a provider's tag
        head + b"\0\x26" + bytes(38),                       # a length, not a type
        head + b"\x88\xb5" + bytes(range(200)),             # experimental
        head + b"\xff\xff" + bytes(46),
        head + b"\x88\xcc" + bytes(50),                     # LLDP's type to a station
        head + b"\x88\xb5" + bytes(MTU - 4 - 14),           # the largest there may be
    ]


def odd(program, configs):
    runts = [(DESTINATION + SOURCE + b"\x08")[:n] for n in range(14)]
    # To the group of MAC control, and too short to say what it is; or what it says is not there.
    short_control = [bytes.fromhex("0180c2000001") + SOURCE + b"\x88\x08" + bytes.fromhex("01010008")[:n] for n in range(5)]
    too_large = [DESTINATION + SOURCE + b"\x88\xb5" + bytes(n) for n in (MTU - 4 - 14 + 1, 5000)]
    in_pieces = [DESTINATION + SOURCE + b"\x88\xb5" + bytes(20000)]
    local = [bytes.fromhex("0180c200000e") + SOURCE + b"\x88\xcc" + bytes(50)]
    good = bridged()
    # The odd among the good.
    frames = [good[0], *runts, *good[1:5], *short_control, *good[5:10], *too_large, *in_pieces, *local, *good[10:]]
    summary, out = run(program, configs, frames)
    assert out[1] == [frame.ljust(60, b"\0") for frame in good], "not as they went in"
    assert out[0] == [], "sent back"
    # One byte over the MTU; what is larger than a port's packets comes in pieces.
    assert drops(summary) == {"malformed": len(runts) + len(short_control), "mtu": 1, "link_local": 1}, drops(summary)
    device = summary["real_time"]["devices"][0]
    assert device["rx_refused"] == len(too_large) - 1 + len(in_pieces), device
    assert device["rx_packets"] + device["rx_refused"] == len(frames), device
    assert any(f"tor:0: {device['rx_refused']} frames" in w for w in summary["warnings"]), summary["warnings"]
    print(f"odd: {len(good)} of {len(frames)} frames bridged, {drops(summary)}")


def routed(program, configs):
    """A router reads further: of the same frames two have whole IPv4 headers, and bytes for them."""
    good = bridged()
    more = ('\n    forwarding: {mode: l3, routes: [{prefix: 0.0.0.0/0, ports: 1, macs: ["02:bb:00:00:00:01"]}, '
            '{prefix: "::/0", ports: 1, macs: ["02:bb:00:00:00:01"]}]}\n  ')
    summary, out = run(program, configs, good, more=", " + more)
    whole = [f for f in good if f[12:15] == b"\x08\0\x45" and 28 <= int.from_bytes(f[16:18], "big") <= len(f) - 14]
    assert [f[14:22] + f[23:24] + f[26:34] for f in out[1]] == [f[14:22] + f[23:24] + f[26:34] for f in whole], out[1]
    assert all(f[22] == 63 and f[:6] == bytes.fromhex("02bb00000001") for f in out[1]), out[1]
    assert set(drops(summary)) == {"malformed", "no_route"}, drops(summary)
    print(f"routed: {len(whole)} of {len(good)}, {drops(summary)}")


def exhausted(program, configs):
    """More frames than buffers, and none for their copies: counted each, and the run goes on to its end."""
    frames = [bytes.fromhex("ffffffffffff") + SOURCE + b"\x88\xb5" + struct.pack("!I", n) + bytes(200) for n in range(5000)]
    summary, out = run(program, configs, frames, mbufs=96, ports=4)
    device = summary["real_time"]["devices"][0]
    assert device["rx_no_buffer"] > 0 and device["rx_packets"] > 0, device
    assert device["rx_packets"] + device["rx_no_buffer"] == len(frames), device
    # All three copies of each, but for those that there was no buffer for.
    lost = summary["drops_by_reason"]["no_mbuf"]
    assert set(drops(summary)) == {"no_mbuf"} and lost < 2 * device["rx_packets"], drops(summary)
    assert sum(map(len, out)) == 3 * device["rx_packets"] - lost, (list(map(len, out)), device, lost)
    for frames_out in out[1:]:
        numbers = [struct.unpack_from("!I", f, 14)[0] for f in frames_out]
        assert numbers == sorted(set(numbers)), "twice, or out of order"
    assert any("raise `mbufs`" in w for w in summary["warnings"]), summary["warnings"]
    print(f"exhausted: of {len(frames)} frames {device['rx_packets']} found a buffer, of {2 * device['rx_packets']} copies "
          f"{2 * device['rx_packets'] - lost}")


def main():
    program, configs = sys.argv[1:3]
    odd(program, configs)
    routed(program, configs)
    exhausted(program, configs)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_pfc.py RAILYARD CONFIGS: an overloaded lossless class stops its sender by PFC frames whose
bytes are those of 802.1Qbb, marks by ECN, and loses nothing; and a PFC frame stops the priority
it names, and no other, for the time that it says or until it is taken back."""
import struct
import sys

from wire import PFC_ADDRESS, Bench, checksum, is_pfc, pfc_frame, udp_frame

FRAMES = 200
PORT_MAC = bytes.fromhex("020100000000")  # locally administered, switch 0, port 0
# 1,442 bytes of 200 frames come at once, and leave at 10 Mb/s: 1.2 ms each.
SETTINGS = """time: real
mbufs: 4096
report_interval: 100ms
switches:
  tor:
    ports: 2
    rate: RATE
    cell: 256
    pfc_enable: [3]
    maps: {tc_to_pg: {"0-7": 0, 3: 3}}
    pools:
      ingress: {type: ingress, mode: static, size: 400KB}
      egress: {type: egress, mode: static, size: 1MB}
    buffer_profiles:
      lossless: {pool: ingress, size: 0, static_th: 60KB, xoff: 500KB, xon_offset: 20KB}
      lossy: {pool: ingress, size: 0, static_th: 100KB}
      egress: {pool: egress, size: 0, static_th: 1MB}
    pgs:
      - {pgs: "0-7", profile: lossy}
      - {pgs: 3, profile: lossless}
    wred:
      lossless: {min: 20KB, max: 40KB, probability: 100%, ecn: all}
    queues:
      - {queues: "0-7", profile: egress}
      - {queues: 3, wred: lossless}
ethdevs:
"""


def station_of(frame):
    return frame[6:12]


def without_ecn(frame):
    """A frame with the bits that marking changes cleared."""
    return frame[:15] + bytes([frame[15] & 0xFC]) + frame[16:24] + b"\0\0" + frame[26:]


def check_received(sent, received):
    assert [without_ecn(f) for f in received] == [without_ecn(f) for f in sent], \
        "not every frame, once and in order"
    marked = [n for n, f in enumerate(received) if f[15] & 3 == 3]
    for frame in received:
        assert checksum(frame[14:34]) == 0, "IPv4 checksum"
    assert 0 < len(marked) < FRAMES, marked
    return len(marked)


def check_pause_frames(frames):
    """802.1Qbb: 60 bytes here (FCS is not), the class of priority 3 alone."""
    quanta = []
    for frame in frames:
        vector, *times = struct.unpack("!H8H", frame[16:34])
        assert len(frame) == 60 and frame[:6] == PFC_ADDRESS, frame.hex()
        assert frame[12:16] == bytes.fromhex("88080101"), frame.hex()
        assert vector == 0x08 and frame[34:] == bytes(26), frame.hex()
        assert times[:3] == [0] * 3 and times[4:] == [0] * 4, frame.hex()
        assert station_of(frame) == PORT_MAC, f"{station_of(frame).hex()} is not the port's own address"
        quanta.append(times[3])
    assert quanta[0] == 0xFFFF and quanta[-1] == 0, quanta
    return quanta


def overload(program, configs):
    with Bench(program, configs, SETTINGS.replace("RATE", "10Mbps")) as bench:
        a, b = bench.stations
        sent = [udp_frame(a, b, 26, 2, struct.pack("!I", n) + bytes(1396)) for n in range(FRAMES)]
        for frame in sent:
            a.send(frame)
        last = without_ecn(sent[-1])
        seen = b.until(lambda f: without_ecn(f) == last)
        marked = check_received(sent, [f for f in seen if station_of(f) == a.mac and f[12:14] == b"\x08\0"
                                       and f[23] == 17])
        # It is let go while the rest drains.
        pauses = [f for f in a.until(lambda f: is_pfc(f) and f[24:26] == b"\0\0") if is_pfc(f)]
        quanta = check_pause_frames(pauses)
        summary, ports = bench.stop()
    assert summary["packets"]["dropped"] == 0, summary["drops"]
    assert summary["ecn_marked"] == marked, (summary["ecn_marked"], marked)
    sent_frames = int(ports[0]["xoff_sent_3"]) + int(ports[0]["xon_sent_3"])
    assert sent_frames >= len(pauses), (sent_frames, len(pauses))
    print(f"overload: {FRAMES} frames through, {marked} marked, pauses {quanta}")


def obey(program, configs):
    # 65,535 quanta take 33 s at this rate: the pause does not end by itself meanwhile.
    with Bench(program, configs, SETTINGS.replace("RATE", "1Mbps")) as bench:
        a, b = bench.stations
        b.send(pfc_frame(b.mac, 0x08, [0, 0, 0, 0xFFFF, 0, 0, 0, 0]))
        # What b sends now comes after its pause, so what answers it does too.
        hello = udp_frame(b, a, 0, 0, b"paused now".ljust(64))
        b.send(hello)
        a.until(lambda f: f == hello)
        paused = udp_frame(a, b, 26, 2, b"of the priority that is paused".ljust(64))
        free = udp_frame(a, b, 0, 0, b"of another one".ljust(64))
        a.send(paused)
        a.send(free)
        seen = b.until(lambda f: f == free)
        assert paused not in seen, "the paused priority was sent"
        b.send(pfc_frame(b.mac, 0x08, [0] * 8))
        b.until(lambda f: f == paused)
        _, ports = bench.stop()
    assert ports[1]["xoff_received_3"] == "1" and ports[1]["xon_received_3"] == "1", ports[1]
    assert float(ports[1]["paused_us_3"]) > 0
    print("obey: priority 3 waited, priority 0 did not")


def expire(program, configs):
    """A pause ends after the time that its frame says, by the switch's clock; nobody takes it back."""
    quanta, rate_bps = 0x0800, 1000000
    with Bench(program, configs, SETTINGS.replace("RATE", "1Mbps")) as bench:
        a, b = bench.stations
        b.send(pfc_frame(b.mac, 0x08, [0, 0, 0, quanta, 0, 0, 0, 0]))
        hello = udp_frame(b, a, 0, 0, b"paused now".ljust(64))
        b.send(hello)
        a.until(lambda f: f == hello)
        # Of the paused priority, so that it comes when the pause is over, however late that was sent.
        paused = udp_frame(a, b, 26, 2, b"of the priority that is paused".ljust(64))
        a.send(paused)
        b.until(lambda f: f == paused)
        _, ports = bench.stop()
    said_us = quanta * 512 * 1e6 / rate_bps
    paused_us = float(ports[1]["paused_us_3"])
    others = [float(ports[1][f"paused_us_{n}"]) for n in range(8) if n != 3]
    # Response delay and the frame on the wire are well below a thousandth of it.
    assert abs(paused_us - said_us) < said_us / 1000 and not any(others), (paused_us, said_us, others)
    print(f"expire: {quanta} quanta of 1 Mb/s paused priority 3 for {paused_us / 1000:.3f} ms")


overload(sys.argv[1], sys.argv[2])
expire(sys.argv[1], sys.argv[2])
obey(sys.argv[1], sys.argv[2])

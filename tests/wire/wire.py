# SPDX-License-Identifier: BSD-3-Clause
"""A switch of ours between two network namespaces, and stations in them that speak raw frames.

Everything a test makes is in namespaces of its own, which go with it. Nothing here asserts a
time: waits are for conditions, and bounded.
"""
import contextlib
import csv
import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

from telemetry import BOUND_S, Client

CLONE_NEWNET = 0x40000000
PFC_ADDRESS = bytes.fromhex("0180c2000001")
ETH_P_ALL = 3
PACKET_OUTGOING = 4
SO_RCVBUFFORCE = 33
SIOCETHTOOL = 0x8946
# ETHTOOL_STXCSUM, SSG, STSO, SGSO, SGRO
OFFLOADS = (0x17, 0x19, 0x1F, 0x24, 0x2C)
libc = ctypes.CDLL(None, use_errno=True)


def skip(why):
    print(why)
    sys.exit(77)


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=True)


def enter(fd):
    if libc.setns(fd, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def until_state(pid, state):
    """Until the kernel has the process in this state."""
    end = time.monotonic() + BOUND_S
    while True:
        with open(f"/proc/{pid}/stat") as f:
            if f.read().rsplit(")", 1)[1].split()[0] == state:
                return
        assert time.monotonic() < end, f"process {pid} is not {state}"


class Namespace:
    def __init__(self, name):
        self.name = name
        ip("netns", "add", name)
        self.fd = os.open(f"/run/netns/{name}", os.O_RDONLY)

    @contextlib.contextmanager
    def inside(self):
        home = os.open("/proc/self/ns/net", os.O_RDONLY)
        enter(self.fd)
        try:
            yield
        finally:
            enter(home)
            os.close(home)

    def remove(self):
        os.close(self.fd)
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True)


def offloads_off(interface):
    """What ethtool -K does: frames leave whole, with their checksums in them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for command in OFFLOADS:
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            request = struct.pack("16sP", interface.encode(), ctypes.addressof(value)) + bytes(16)
            with contextlib.suppress(OSError):
                fcntl.ioctl(s, SIOCETHTOOL, request)


def links_wait(interfaces):
    """Until each (namespace, name) carries frames: the kernel, at its leisure, up to a second after
    the carrier, activates its queue, and drops without a word what is sent before."""
    end = time.monotonic() + BOUND_S
    for namespace, name in interfaces:
        while json.loads(ip("-n", namespace.name, "-j", "link", "show", "dev", name).stdout)[0]["operstate"] != "UP":
            assert time.monotonic() < end, f"{name} does not come up"


class Station:
    """One end of a veth pair, with addresses; the other end, pN, is the switch's port."""

    def __init__(self, bench, number):
        self.mac = bytes((2, 0xAA, 0, 0, 0, number + 1))
        self.ipv4 = f"10.99.0.{number + 1}"
        self.ipv6 = f"fd99::{number + 1}"
        self.namespace = bench.namespace(f"h{number}")
        inner, outer = self.namespace.name, bench.switch.name
        ip("-n", outer, "link", "add", f"p{number}", "mtu", "9000", "type", "veth", "peer", "name", "eth0",
           "mtu", "9000", "address", self.mac.hex(":"), "netns", inner)
        for name, interface in ((inner, "eth0"), (outer, f"p{number}")):
            ip("-n", name, "link", "set", interface, "up")
        ip("-n", inner, "link", "set", "lo", "up")
        ip("-n", inner, "addr", "add", self.ipv4 + "/24", "dev", "eth0")
        ip("-n", inner, "addr", "add", self.ipv6 + "/64", "dev", "eth0", "nodad")
        with bench.switch.inside():
            offloads_off(f"p{number}")
            # The port is the switch's, not the kernel's.
            with contextlib.suppress(OSError), open(f"/proc/sys/net/ipv6/conf/p{number}/disable_ipv6", "w") as f:
                f.write("1")
        with self.namespace.inside():
            offloads_off("eth0")
            self.raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            # Room for all that a test sends, whatever the system's limit.
            self.raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
            # So that a VLAN tag that the kernel takes out is told of.
            self.raw.setsockopt(263, 8, 1)
            self.raw.bind(("eth0", 0))

    def send(self, frame):
        self.raw.send(frame)

    def frames(self, bound_s=BOUND_S):
        """What comes in, one frame after another, tags where they were; ends at the bound."""
        end = time.monotonic() + bound_s
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.raw], [], [], left)[0]:
                return
            data, extra, _, address = self.raw.recvmsg(65535, 256)
            if address[2] == PACKET_OUTGOING:
                continue
            for level, kind, value in extra:
                status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", value[:20])
                if (level, kind) == (263, 8) and status & 0x10:
                    data = data[:12] + struct.pack("!HH", tpid, tci) + data[12:]
            yield data

    def until(self, is_last):
        """The frames up to and with the one that is_last says is it; fails when none is."""
        seen = []
        for frame in self.frames():
            seen.append(frame)
            if is_last(frame):
                return seen
        raise AssertionError(f"waited {BOUND_S} s; last of {len(seen)} frames: {seen[-1].hex() if seen else ''}")


class Bench:
    """Stations, and the switch between them or the hosts on the other ends; a context manager."""

    ports = ("tor[0]", "tor[1]")
    captures = {"receiver": "tor:0", "sender": "tor:1"}

    def __init__(self, program, configs, settings):
        if os.geteuid() != 0:
            skip("network namespaces need root")
        if shutil.which("ip") is None:
            skip("ip (iproute2) is not installed")
        self.program, self.configs, self.settings = program, configs, settings
        self.names = []
        self.process = None

    def namespace(self, name):
        made = Namespace(f"ryw{os.getpid()}{name}")
        self.names.append(made)
        return made

    def __enter__(self):
        self.dir = tempfile.mkdtemp(prefix="ryw")
        try:
            try:
                self.switch = self.namespace("s")
            except (subprocess.CalledProcessError, OSError) as why:
                skip(f"no network namespaces here: {why}")
            self.stations = self.stations_make()
            links_wait(self.interfaces())
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for name in self.names:
            name.remove()
        shutil.rmtree(self.dir, ignore_errors=True)

    def stations_make(self):
        return [Station(self, n) for n in range(len(self.ports))]

    def interfaces(self):
        return [(s.namespace, "eth0") for s in self.stations] + [(self.switch, f"p{n}") for n in range(len(self.ports))]

    def devices(self):
        return "".join(
            f'  - {{port: "{port}", vdev: "net_af_packet{n},iface=p{n},blocksz=16384,framesz=16384,framecnt=1024"}}\n'
            for n, port in enumerate(self.ports))

    def start(self):
        config = self.dir + "/wire.yaml"
        os.symlink(os.path.join(os.path.abspath(self.configs), "profiles"), self.dir + "/profiles")
        with open(config, "w") as f:
            f.write(self.settings + self.devices())
        self.process = subprocess.Popen(
            [self.program, "run", config, "--out", self.dir + "/out",
             *(word for file, port in self.captures.items() for word in ("--pcap", f"{port}={self.dir}/{file}.pcap"))],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, preexec_fn=lambda: enter(self.switch.fd),
            env=os.environ | {"RUNTIME_DIRECTORY": self.dir})
        # Its first line of log says that its ports are polled.
        if not select.select([self.process.stderr], [], [], BOUND_S)[0]:
            raise AssertionError("the switch does not start")
        line = self.process.stderr.readline()
        if "packets/s" not in line:
            raise AssertionError(f"the switch does not start: {line}{self.process.stderr.read()}")

    def telemetry(self):
        return Client(f"{self.dir}/dpdk/railyard-{self.process.pid}/dpdk_telemetry.v2")

    def stop(self):
        """Ctrl-C; the summary and the ports' rows."""
        self.process.send_signal(signal.SIGINT)
        errors = self.process.communicate(timeout=BOUND_S)[1]
        assert self.process.returncode == 0, f"exit {self.process.returncode}: {errors}"
        with open(self.dir + "/out/summary.json") as f:
            summary = json.load(f)
        with open(self.dir + "/out/ports.csv") as f:
            ports = {int(row["port"]): row for row in csv.DictReader(f)}
        return summary, ports


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def udp_frame(source, destination, dscp, ecn, payload, tag=None):
    """An Ethernet frame without FCS; tag: the VLAN's TCI."""
    udp = struct.pack("!HHHH", 49152, 9, 8 + len(payload), 0) + payload
    header = struct.pack("!BBHHHBBH4s4s", 0x45, dscp << 2 | ecn, 20 + len(udp), 1, 0x4000, 64, 17, 0,
                         socket.inet_aton(source.ipv4), socket.inet_aton(destination.ipv4))
    header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
    tags = b"" if tag is None else struct.pack("!HH", 0x8100, tag)
    return destination.mac + source.mac + tags + b"\x08\x00" + header + udp


def pfc_frame(source_mac, vector, quanta):
    frame = PFC_ADDRESS + source_mac + struct.pack("!HHH8H", 0x8808, 0x0101, vector, *quanta)
    return frame.ljust(60, b"\0")


def is_pfc(frame):
    return frame[:6] == PFC_ADDRESS and frame[12:14] == b"\x88\x08"

# SPDX-License-Identifier: BSD-3-Clause
"""Ask a program that runs by the clock, as dpdk-telemetry.py does."""
import json
import socket
import time

BOUND_S = 60


def until(what, condition):
    end = time.monotonic() + BOUND_S
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.005)  # between two looks; what is waited for is the condition
    raise AssertionError(f"waited {BOUND_S} s for {what}")


class Client:
    """The socket, message by message."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(BOUND_S)
        # The socket has its name a moment before it listens.
        until(f"{path} to listen", lambda: self.socket.connect_ex(path) == 0)
        hello = json.loads(self.socket.recv(1024))
        self.most, self.pid = hello["max_output_len"], hello["pid"]

    def ask(self, command):
        self.socket.send(command.encode())
        return json.loads(self.socket.recv(self.most))[command.split(",")[0]]

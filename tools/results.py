# SPDX-License-Identifier: BSD-3-Clause
"""What `railyard run FILE.yaml --out DIR` left behind (docs/results.md): samples, summary and
effective configuration, for tools that draw or compare runs."""
import csv
import json
import os
import re
from collections import defaultdict

UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError)


class Failure(Exception):
    """What is wrong, in one line for people."""


# ---- config.yaml: the subset of YAML in which the program writes it

def parse_flow(tokens):
    """One value: {a: 1, b: [x, "y"]} as dict and list, a scalar as text."""
    token = tokens.pop(0)
    if token not in ("[", "{"):
        return re.sub(r"\\(.)", r"\1", token[1:-1]) if token[0] == '"' else token.strip()
    whole = [] if token == "[" else {}
    while tokens[0] not in ("]", "}"):
        item = parse_flow(tokens)
        if token == "[":
            whole.append(item)
        else:
            tokens.pop(0)  # the colon
            whole[item] = parse_flow(tokens)
        if tokens[0] == ",":
            tokens.pop(0)
    tokens.pop(0)
    return whole


def parse_line(text):
    return parse_flow(re.findall(
        r'"(?:\\.|[^"\\])*"|[{}\[\],]|:(?=\s)|[^\s{}\[\],"](?:(?!:\s)[^{}\[\],"])*', text))


def parse_block(lines):
    """Lines, as [indent, text], for as long as they are not less indented than the first."""
    indent, is_list = lines[0][0], lines[0][1].startswith("- ")
    whole = [] if is_list else {}
    while lines and lines[0][0] >= indent and lines[0][1].startswith("- ") == is_list:
        depth, text = lines[0]
        if is_list and re.match(r"- [\w.]+:(\s|$)", text):
            lines[0] = [depth + 2, text[2:]]
            whole.append(parse_block(lines))
            continue
        lines.pop(0)
        if is_list:
            whole.append(parse_line(text[2:]))
            continue
        key, _, rest = text.partition(":")
        nested = lines and (lines[0][0] > depth or lines[0][0] == depth and lines[0][1][0] == "-")
        whole[key] = parse_line(rest) if rest.strip() else parse_block(lines) if nested else {}
    return whole


def read_config(path):
    """Dictionaries and lists of text; {} when there is no such file, or it is not the program's."""
    try:
        with open(path, encoding="utf-8") as f:
            lines = [[len(line) - len(line.lstrip()), line.strip()] for line in f
                     if line.strip() and not line.lstrip().startswith("#")]
        config = parse_block(lines)
    except (OSError, *UNREADABLE):
        return {}
    return config if isinstance(config, dict) else {}


def bytes_of(text):
    match = re.fullmatch(r"([\d.]+)\s*([KMGT]?)(i?)B?", str(text))
    if not match:
        raise ValueError(text)
    return float(match[1]) * (1024 if match[3] else 1000) ** " KMGT".index(match[2] or " ")


def in_range(text, number):
    """Is a number in "0-2,7" or in "all"?"""
    spans = [[int(n) for n in part.split("-")] for part in str(text).split(",") if part != "all"]
    return text == "all" or any(span[0] <= number <= span[-1] for span in spans)


def link_ends(texts, config):
    """["h[0-1,4]", "receiver"] as (name, number) each, the number None for what is not counted."""
    for text in texts:
        name, _, numbers = text.partition("[")
        count = (config["hosts"].get(name, {}).get("count", 0)
                 or config["switches"].get(name, {}).get("ports", 0))
        if not numbers and int(count) == 0:
            yield name, None
            continue
        for part in numbers.rstrip("]").split(",") if numbers else [f"0-{int(count) - 1}"]:
            span = [int(n) for n in part.split("-")]
            yield from ((name, n) for n in range(span[0], span[-1] + 1))


def never_drops(drop):
    return drop == "none" or isinstance(drop, dict) and drop.get("mode") == "none"


# ---- the other files

def number_or_none(text):
    return int(text) if text else None


def rows_of(directory, name, **columns):
    """A tuple a line of a CSV file: its columns by name, each read by what is given for it. The
    last line may be torn, as after a crash."""
    torn = False
    bad = Failure(f"{directory}: {name}: not as `railyard run` writes it")
    try:
        with open(os.path.join(directory, name), newline="", encoding="utf-8") as f:
            reader = csv.DictReader(f)
            if not set(columns) <= set(reader.fieldnames or columns):
                raise bad
            for row in reader:
                if torn:
                    raise bad
                try:
                    values = tuple(read(row[column]) for column, read in columns.items())
                except UNREADABLE:
                    torn = True
                else:
                    yield values
    except OSError as error:
        raise Failure(f"{directory}: {name}: {error.strerror.lower()}; DIR is what "
                      "`railyard run FILE.yaml --out DIR` wrote") from error
    except (csv.Error, UnicodeDecodeError) as error:
        raise bad from error


class Series:
    """Samples of one port, queue or PG: (time_us, depth, limit or None, paused, rate, marks)."""
    DEPTH, LIMIT, PAUSED, RATE, MARKS = range(1, 6)

    def __init__(self, node, port, kind, index):
        self.node, self.port, self.kind, self.index = node, port, kind, index
        self.samples = []

    @property
    def name(self):
        port = f"{self.node}:{self.port}"
        return port if self.kind == "port" else f"{port} {self.kind} {self.index}"

    def deepest(self):
        return max(self.samples, key=lambda s: s[self.DEPTH], default=(0, 0))[:2]


class Run:
    """A result directory. A run that was cut short may lack its summary: {} then."""

    def __init__(self, directory):
        self.directory = directory
        self.series = {}
        self._read_series()
        self.summary = self._read_summary()
        self.config = read_config(os.path.join(directory, "config.yaml"))
        times = sorted({s[0] for series in self.series.values() for s in series.samples})
        self.last_us = times[-1] if times else 0
        self.step_us = min((b - a for a, b in zip(times, times[1:])), default=self.last_us or 1)
        self.end_us = max(1e6 * (self.summary.get("virtual_s") or 0), self.last_us) or 1

    def _read_series(self):
        for node, port, kind, index, *sample in rows_of(
                self.directory, "timeseries.csv", node=str, port=int, kind=str, index=int,
                time_us=float, depth_bytes=int, limit_bytes=number_or_none, paused=int,
                rate_bps=int, marks=int):
            key = node, port, kind, index
            self.series.setdefault(key, Series(*key)).samples.append(sample)

    def _read_summary(self):
        try:
            with open(os.path.join(self.directory, "summary.json"), encoding="utf-8") as f:
                return dict(json.load(f))
        except FileNotFoundError:
            return {}
        except (OSError, TypeError, ValueError) as error:
            raise Failure(f"{self.directory}: summary.json: not as `railyard run` writes it") \
                from error

    def counted(self, series):
        """What the summary says of a queue or PG; {} when it says nothing."""
        key = series.node, series.port, series.index
        return next((row for row in self.summary.get(series.kind + "s", [])
                     if (row["node"], row["port"], row[series.kind]) == key), {})

    def points(self, series, column):
        """[(time_us, value)]. What has no line between two samples did not change there."""
        points = []
        if series.samples and column != Series.LIMIT and series.samples[0][0] > self.step_us:
            points.append((series.samples[0][0] - self.step_us, 0))
        for s in series.samples:
            if points and s[0] - points[-1][0] > 1.5 * self.step_us:
                points.append((s[0] - self.step_us, points[-1][1]))
            if s[column] is not None:
                points.append((s[0], s[column]))
        if points and points[-1][1] == 0:
            points.append((self.last_us, 0))
        return points

    def deepest_queue(self, node=None, port=None):
        """Of a node and a port if they are given. None: nothing was sampled."""
        queues = [s for s in self.series.values() if s.kind == "queue"]
        found = [s for s in queues if node in (None, s.node) and port in (None, s.port)]
        if self.series and not found:
            names = ", ".join(sorted({s.node for s in queues})) or "none"
            where = (node or "any node") + ("" if port is None else f", port {port},")
            raise Failure(f"{self.directory}: no queue of {where} in timeseries.csv; "
                          f"switches: {names}")
        return max(found, key=lambda s: s.deepest()[1], default=None)

    def groups(self, node):
        """PGs of a node, deepest first, and whether they are lossless; lossy ones if none is."""
        groups = [s for s in self.series.values() if s.kind == "pg" and s.node == node]
        groups.sort(key=lambda s: -s.deepest()[1])
        lossless = [s for s in groups if self.counted(s).get("lossless") and s.deepest()[1] > 0]
        return lossless or groups, bool(lossless)

    def pauses(self):
        """{(port, priority): [paused_us, by, [(from_us, to_us)]]}: as counted, and as sampled."""
        lanes = {(p["port"], p["priority"]): [p["paused_us"], p["by"], []]
                 for p in self.summary.get("pfc", {}).get("pauses", [])}
        for s in (s for s in self.series.values() if s.kind == "port"):
            points = self.points(s, Series.PAUSED)
            for (start, mask), (end, _) in zip(points, points[1:] + [(self.end_us, 0)]):
                for priority in (n for n in range(8) if mask >> n & 1):
                    lane = lanes.setdefault((s.name, priority), [0, "", []])
                    if lane[2] and lane[2][-1][1] == start:
                        start = lane[2].pop()[0]
                    lane[2].append((start, end))
        return lanes

    def wred(self, queue):
        """Kmin and Kmax of a queue in bytes, or None when it neither marks nor drops early."""
        switches = self.config.get("switches", {})
        switch = switches.get(queue.node) or switches.get(re.sub(r"\d+$", "", queue.node)) or {}
        name = None
        try:
            for entry in switch.get("queues", []):
                if in_range(entry["queues"], queue.index) and in_range(entry["ports"], queue.port):
                    name = entry.get("wred", name)
            profile = switch["wred"][name]
            if profile["ecn"] == "none" and never_drops(profile.get("drop")):
                return None
            return bytes_of(profile["min"]), bytes_of(profile["max"])
        except UNREADABLE:
            return None

    def hosts_behind(self, node, port):
        """Names of the hosts linked to a port; empty when the configuration does not say."""
        found = set()
        try:
            for link in self.config.get("links", []):
                for pair in zip(*(link_ends(link[side], self.config) for side in ("from", "to"))):
                    for end, (name, number) in (pair, pair[::-1]):
                        if end == (node, port):
                            found.add(name if number is None else f"{name}{number}")
        except UNREADABLE:
            pass
        return found

    def _busy(self):
        """{(host, qp): [[from_us, to_us]]}: when it had messages outstanding, in order."""
        busy = defaultdict(list)
        for start, fct, status, *qp in sorted(rows_of(
                self.directory, "flows.csv", start_us=float, fct_us=str, status=str, source=str,
                source_qp=str)):
            end = start + float(fct) if fct else self.end_us if status == "incomplete" else start
            spans = busy[tuple(qp)]
            if spans and start <= spans[-1][1]:
                spans[-1][1] = max(spans[-1][1], end)
            else:
                spans.append([start, end])
        return busy

    def allowed(self, hosts):
        """[(time_us, bit/s)]: what congestion control allows all busy queue pairs to hosts."""
        rates, change = defaultdict(list), defaultdict(int)
        for t, rate, peer, *qp in rows_of(self.directory, "rates.csv", time_us=float, rate_bps=int,
                                          peer=str, host=str, qp=str):
            if not hosts or peer in hosts:
                rates[tuple(qp)].append((t, rate))
        busy = self._busy()
        for qp, samples in rates.items():
            for start, end in busy.get(qp, [(samples[0][0], self.end_us)]):
                last = 0
                for t, rate in (s for s in samples if start < s[0] <= end):
                    change[t if last else start] += rate - last
                    last = rate
                change[end] -= last
        total, points = 0, []
        for t in sorted(change):
            points.append((t, total))
            total += change[t]
            points.append((t, total))
        return points

    def port_rates(self, node, port):
        """[(time_us, bit/s)] of a port, whose link may have failed for a while; empty: the run did
        not get as far as to say."""
        name = f"{node}:{port}"
        failures = sorted((f for f in self.summary.get("failures", []) if f["begun"]
                           and name in f["link"].split(" - ") and (f["down"] or f["rate_bps"])),
                          key=lambda f: f["at_us"])
        rows = rows_of(self.directory, "ports.csv", node=str, port=int, rate_bps=int)
        at_end = next((rate for *at, rate in rows if at == [node, port]), 0)
        rate = failures[0]["full_rate_bps"] if failures else at_end
        points = [(0, rate)] if rate else []
        for f in failures:
            worse = 0 if f["down"] else f["rate_bps"]
            points += [(f["at_us"], rate), (f["at_us"], worse)]
            if f["until_us"] is not None:
                points += [(f["until_us"], worse), (f["until_us"], rate)]
        return points + [(self.end_us, points[-1][1])] if points else []

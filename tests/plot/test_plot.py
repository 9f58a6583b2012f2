#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot, on runs of the program and on results written here by hand.

usage: test_plot.py PLOT RAILYARD CONFIGS [unittest's arguments]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PLOT, RAILYARD, CONFIGS = (os.path.abspath(path) for path in sys.argv[1:4])
SVG = "{http://www.w3.org/2000/svg}"

HEADERS = {
    "timeseries.csv": "time_us,node,port,kind,index,depth_bytes,limit_bytes,paused,rate_bps,marks",
    "rates.csv": "time_us,host,peer,qp,rate_bps",
    "flows.csv": "source,destination,source_qp,destination_qp,workload,verb,bytes,start_us,fct_us,"
                 "slowdown,retransmitted_packets,status",
    "ports.csv": "node,port,rate_bps",
}
# A queue that holds 1 MB in the middle of 100 us, with a limit of 1.2 MB; h1 is paused from
# 40 us to 60 us.
SAMPLES = """
20,tor,2,queue,3,0,1200000,0,8000000000,0
40,tor,2,queue,3,600000,1200000,0,8000000000,5
40,tor,2,port,0,600000,,0,8000000000,5
40,h1,0,port,0,0,,8,0,0
50,tor,2,queue,3,1000000,1200000,0,8000000000,0
60,h1,0,port,0,0,,0,8000000000,0
100,tor,2,queue,3,0,1200000,0,0,0
"""
CONFIG = """# by hand
switches:
  tor:
    queues:
      - {ports: all, queues: "0-7", wred: other}
      - ports: "1-2,7"
        queues: "3-4"
        wred: lossless
    wred:
      other: {min: 1B, max: 2B, ecn: all}
      lossless: {min: 250KB, max: 0.5MB, probability: 5%, ecn: all}
hosts:
  h: {count: 2}
links:
  - {from: ["h[0-1]"], to: ["tor[1-2]"], delay: 1us}
"""


class Directory(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.dir = os.path.join(self.temporary.name, "results")
        self.svg = os.path.join(self.dir, "plot.svg")

    def run_scenario(self, name, *options):
        done = subprocess.run([RAILYARD, "run", os.path.join(CONFIGS, name), "--quiet", "--out",
                               self.dir, *options], capture_output=True, text=True)
        # 1: an expectation failed, as after a --set it may.
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def write_results(self, samples=SAMPLES, config=CONFIG, summary=None):
        os.mkdir(self.dir)
        for name, header in HEADERS.items():
            self.write(name, header + "\n" + (samples.lstrip() if name == "timeseries.csv" else ""))
        self.write("config.yaml", config)
        if summary is not None:
            self.write("summary.json", json.dumps(summary))

    def write(self, name, text):
        with open(os.path.join(self.dir, name), "w", encoding="utf-8") as f:
            f.write(text)

    def plot(self, *options):
        return subprocess.run([PLOT, self.dir, *options], capture_output=True, text=True)

    def picture(self, *options):
        """The picture, which must be well-formed, and its texts."""
        done = self.plot(*options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        root = xml.parse(self.svg).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        self.assertEqual(root.get("width"), "900")
        return root, ["".join(text.itertext()) for text in root.iter(SVG + "text")]

    def refuse(self, reason, *options):
        done = self.plot(*options)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("tools/plot: "), done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertFalse(os.path.exists(self.svg))


class Runs(Directory):
    def test_pauses(self):
        """Every pause that was counted has a lane."""
        self.run_scenario("incast-pfc-only.yaml")
        _, texts = self.picture()
        with open(os.path.join(self.dir, "summary.json"), encoding="utf-8") as f:
            pauses = json.load(f)["pfc"]["pauses"]
        self.assertEqual(len(pauses), 16)
        for pause in pauses:
            self.assertIn(pause["port"], texts)
        self.assertTrue(any("XOFF limit" in text for text in texts), texts)

    def test_thresholds(self):
        """Kmin and Kmax are those of the run, not of the file."""
        self.run_scenario("incast.yaml", "--set", "switches.tor.wred.lossless.min=123KB",
                          "--set", "switches.tor.wred.lossless.max=0.456MB")
        _, texts = self.picture()
        self.assertIn("Kmin 123 KB", texts)
        self.assertIn("Kmax 456 KB", texts)

    def test_drops(self):
        self.run_scenario("incast-lossy.yaml")
        _, texts = self.picture()
        with open(os.path.join(self.dir, "summary.json"), encoding="utf-8") as f:
            self.assertIn(f"{json.load(f)['packets']['dropped']:,}", texts)
        self.assertTrue(any("Paused by PFC" in t and "nobody" in t for t in texts), texts)

    def test_without_samples(self):
        self.run_scenario("incast.yaml", "--set", "sample_interval=0")
        _, texts = self.picture()
        self.assertTrue(any("No samples" in text for text in texts), texts)

    def test_without_buffers(self):
        """A pipeline that has neither limits nor priority groups."""
        self.run_scenario("elephants.yaml", "--set", "switches.tor.pipeline=ideal",
                          "--set", "duration=200us")
        self.picture()

    def test_again(self):
        """Same results, same picture; it says how it was made."""
        self.run_scenario("incast.yaml", "--set", "duration=200us")
        root, _ = self.picture()
        self.assertIn("sample_interval=10us", root.find(SVG + "metadata").text)
        self.assertIn("tools/plot", root.find(SVG + "metadata").text)
        with open(self.svg, "rb") as f:
            first = f.read()
        self.picture()
        with open(self.svg, "rb") as f:
            self.assertEqual(first, f.read())


class Results(Directory):
    def test_places(self):
        """The deepest sample is in the middle of the axis, and a limit in range has its name."""
        self.write_results()
        root, texts = self.picture()
        ticks = {t.text: float(t.get("x")) for t in root.iter(SVG + "text")
                 if t.get("class") == "muted middle"}
        peak = next(root.iter(SVG + "circle"))
        self.assertAlmostEqual(float(peak.get("cx")), (ticks["0"] + ticks["100"]) / 2, delta=0.2)
        for text in ("1.00 MB", "Kmin 250 KB", "Kmax 500 KB", "drop limit 1.20 MB", "h1:0"):
            self.assertIn(text, texts)
        # Paused for 20 of 100 us.
        self.assertIn("20 %", texts)

    def test_depth(self):
        """1 MB is as high as the axis says."""
        self.write_results()
        root, _ = self.picture()
        heights = {t.text: float(t.get("y")) - 4 for t in root.iter(SVG + "text")
                   if t.get("class") == "muted end"}
        peak = next(root.iter(SVG + "circle"))
        self.assertAlmostEqual(float(peak.get("cy")), heights["1 MB"], delta=0.2)

    def test_cut_short(self):
        """A torn line, no summary and no configuration: what is there is drawn."""
        self.write_results(samples=SAMPLES + "110,tor,2,que")
        os.remove(os.path.join(self.dir, "config.yaml"))
        _, texts = self.picture()
        self.assertTrue(any("Cut short after 100 us" in text for text in texts), texts)

    def test_nothing_happened(self):
        self.write_results(samples="", config="",
                           summary={"scenario": "a&<b>.yaml", "state": "complete"})
        root, _ = self.picture()
        self.assertIn("a&<b>", root.find(SVG + "title").text)

    def test_empty_files(self):
        self.write_results()
        for name in HEADERS:
            self.write(name, "")
        self.picture()

    def test_one_sample(self):
        self.write_results(samples="10,tor,0,queue,3,0,,0,0,0\n")
        self.picture()

    def test_port(self):
        self.write_results(samples=SAMPLES + "50,tor,1,queue,3,4000,,0,0,0\n")
        _, texts = self.picture("--node", "tor", "--port", "1")
        self.assertIn("4.00 KB", texts)

    def test_degraded_link(self):
        """Half the rate from 40 to 60 us, then as before; nothing from 80 us to the end."""
        failure = {"link": "tor:2 - h1:0", "begun": True, "down": False, "full_rate_bps": 100e9,
                   "rate_bps": 50e9, "at_us": 40, "until_us": 60}
        self.write_results(summary={"failures": [
            failure,
            failure | {"down": True, "rate_bps": 0, "at_us": 80, "until_us": None},
            failure | {"begun": False, "rate_bps": 1e9, "at_us": 90},
            failure | {"link": "tor:20 - h9:0", "rate_bps": 2e9}]})
        self.write("ports.csv", HEADERS["ports.csv"] + "\ntor,2,0\n")
        root, texts = self.picture()
        ticks = {t.text: float(t.get("x")) for t in root.iter(SVG + "text")
                 if t.get("class") == "muted middle"}
        levels = {t.text: float(t.get("y")) - 4 for t in root.iter(SVG + "text")
                  if t.get("class") == "muted end"}
        self.assertIn("link 0 b/s", texts)
        line = [p.get("d") for p in root.iter(SVG + "path") if p.get("class") == "thin dash"
                and p.get("clip-path")][-1]
        points = [tuple(map(float, place.split())) for place in line[1:].split("L")]
        x, y = lambda us: ticks["0"] + (ticks["100"] - ticks["0"]) * us / 100, levels.get
        wanted = [(x(0), y("100 Gb/s")), (x(40), y("100 Gb/s")), (x(40), y("50 Gb/s")),
                  (x(60), y("50 Gb/s")), (x(60), y("100 Gb/s")), (x(80), y("100 Gb/s")),
                  (x(80), y("0")), (x(100), y("0"))]
        self.assertEqual(len(points), len(wanted), points)
        for point, want in zip(points, wanted):
            self.assertAlmostEqual(point[0], want[0], delta=0.3)
            self.assertAlmostEqual(point[1], want[1], delta=0.2)

    def test_unknown_port(self):
        self.write_results()
        self.refuse("no queue of tor, port 9,", "--node", "tor", "--port", "9")
        self.refuse("switches: tor", "--node", "leaf")


class Errors(Directory):
    def test_no_directory(self):
        self.refuse("timeseries.csv: no such file or directory")

    def test_other_directory(self):
        os.mkdir(self.dir)
        self.refuse("DIR is what `railyard run FILE.yaml --out DIR` wrote")

    def test_other_csv(self):
        self.write_results()
        self.write("timeseries.csv", "a,b\n1,2\n")
        self.refuse("timeseries.csv: not as `railyard run` writes it")

    def test_bad_line(self):
        self.write_results(samples="10,tor,2,que\n" + SAMPLES.lstrip())
        self.refuse("timeseries.csv")

    def test_binary(self):
        self.write_results()
        with open(os.path.join(self.dir, "timeseries.csv"), "wb") as f:
            f.write(b"\xff\xfe\x00")
        self.refuse("timeseries.csv")

    def test_torn_summary(self):
        self.write_results()
        self.write("summary.json", '{"scenario": ')
        self.refuse("summary.json")

    def test_out(self):
        self.write_results()
        self.refuse("no such file or directory", "--out",
                    os.path.join(self.dir, "missing", "plot.svg"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])

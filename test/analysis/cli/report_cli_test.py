"""Exit codes and messages of xsp-report: report_cli_test.py XSP_REPORT PROTOC SOURCE_ROOT"""
import fcntl
import json
import os
import pty
import re
import resource
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

REPORT, PROTOC, ROOT = [os.path.abspath(p) if os.sep in p else p for p in sys.argv[1:4]]


def encode(textproto):
    return subprocess.run([PROTOC, "--encode=xsp.Trace", "--proto_path=" + ROOT + "/proto", "trace.proto"],
                          input=textproto, stdout=subprocess.PIPE, check=True).stdout


def report(*args, **kwargs):
    return subprocess.run([REPORT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs)


def environment(**variables):
    """The environment without what decides about text, and with these variables."""
    ours = {name: value for name, value in os.environ.items()
            if name not in ("COLUMNS", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
    return {**ours, "TERM": "xterm", **variables}


class ReportCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        with open(ROOT + "/test/golden/two_layers.txtpb", "rb") as text:
            cls.trace_bytes = encode(text.read())
        cls.trace = cls.write("trace.pb", cls.trace_bytes)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, data):
        path = os.path.join(cls.folder.name, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def check(self, code, *args, error=None, **kwargs):
        done = report(*args, **kwargs)
        self.assertEqual(done.returncode, code, done)
        if error is not None:
            self.assertTrue(done.stderr.startswith(b"xsp-report: error: "), done.stderr)
            self.assertIn(error, done.stderr)
            self.assertEqual(done.stdout, b"")
        return done

    def test_tables(self):
        done = self.check(0, self.trace, "-a", "all")
        self.assertIn(b"A1 model information", done.stdout)
        self.assertIn(b"A15 kernels by model", done.stdout)
        self.assertIn(b"Q1 quality of the trace", done.stdout)
        self.assertNotIn(b"L1 levels", done.stdout)  # the input is no set
        self.assertEqual(done.stderr, b"")

    def test_without_options_the_overview(self):
        done = self.check(0, self.trace)
        self.assertIn(b"\nFindings\n1. ", done.stdout)
        titles = re.findall(rb"^([ACLMQ]\d+) [a-z]", done.stdout, re.MULTILINE)
        self.assertEqual(titles[:3], [b"A1", b"A6", b"A2"])
        self.assertLessEqual(len(titles), 5)
        self.assertIn(b"\nmore tables: A3 ", done.stdout)
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertEqual(done.stderr, b"")
        # What asks for other things has all tables, and conditions need none printed.
        self.assertIn("Q1", json.loads(self.check(0, self.trace, "--format", "json").stdout))
        self.assertIn(b"# Q1 ", self.check(0, self.trace, "--format", "csv").stdout)
        self.assertIn(b"--fail-if", self.check(1, self.trace, "--fail-if", "A1.latency_ms > 0").stderr)

    def test_width_of_pipes(self):
        """As wide as COLUMNS says; a file is never cut."""
        wide = self.check(0, self.trace, "-a", "A2", env=environment(COLUMNS="0")).stdout
        self.assertIn(b"library_calls", wide)
        narrow = self.check(0, self.trace, "-a", "A2", env=environment(COLUMNS="50")).stdout.decode()
        self.assertTrue(all(len(line) <= 50 for line in narrow.splitlines()), narrow)
        path = os.path.join(self.folder.name, "wide.txt")
        self.check(0, self.trace, "-a", "A2", "-o", path, env=environment(COLUMNS="50"))
        with open(path, "rb") as file:
            self.assertEqual(file.read(), wide)

    def test_terminal(self):
        text = self.on_terminal(80, self.trace, LANG="C.UTF-8")
        self.assertIn("\x1b[1mFindings", text)
        for width in (40, 60, 80, 120, 200):
            text = self.on_terminal(width, self.trace, "--color=never", LANG="C.UTF-8")
            self.assertNotIn("\x1b", text)
            self.assertTrue(all(len(line) <= width for line in text.splitlines()), (width, text))
        self.assertIn("█", text)
        for variables in ({"LANG": "C"}, {"LC_ALL": "POSIX", "LANG": "C.UTF-8"}, {}):
            self.assertTrue(self.on_terminal(120, self.trace, **variables).isascii(), variables)
        self.assertTrue(self.on_terminal(120, self.trace, "--plain", LANG="C.UTF-8").isascii())
        self.assertNotIn("\x1b", self.on_terminal(80, self.trace, LANG="C.UTF-8", NO_COLOR="1"))
        self.assertNotIn("\x1b", self.on_terminal(80, self.trace, LANG="C.UTF-8", TERM="dumb"))
        self.assertIn(b"\x1b[1m", self.check(0, self.trace, "--color=always").stdout)

    @staticmethod
    def on_terminal(width, *args, **variables):
        """What a terminal of this width is sent."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        process = subprocess.Popen([REPORT, *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
                                   env=environment(**variables))
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
        process.communicate()
        os.close(ours)
        return text.decode().replace("\r\n", "\n")

    def test_json(self):
        done = self.check(0, self.trace, "-a", "a1,A2", "--format", "json")
        tables = json.loads(done.stdout)
        self.assertEqual(list(tables), ["xsp", "verdict", "findings", "A1", "A2"])
        self.assertEqual([c["name"] for c in tables["A1"]["columns"]][:6],
                         ["batch_size", "latency_ms", "latency_per_input_ms", "throughput_per_s", "n", "spread"])
        for value, expected in zip(tables["A1"]["rows"][0], [4, 6.0, 1.5, 4 / 6e-3, 2]):
            self.assertAlmostEqual(value, expected)
        self.assertTrue(tables["xsp"]["traces"][0]["complete"])

    def test_options_before_traces_and_stdin(self):
        done = self.check(0, "-a", "A5", "-", input=self.trace_bytes)
        self.assertTrue(done.stdout.startswith(b"A5 "))

    def test_folder(self):
        folder = os.path.join(self.folder.name, "set")
        os.makedirs(folder)
        self.check(3, folder, error=b"holds no trace")
        for name in ("a.pb", "b.pb"):
            self.write("set/" + name, self.trace_bytes)
        tables = json.loads(self.check(0, folder, "-a", "A1", "--format=json").stdout)
        self.assertEqual(len(tables["A1"]["rows"]), 2)

    def test_summary(self):
        done = self.check(0, "--summary", self.trace)
        self.assertLessEqual(len(done.stdout.splitlines()), 12)
        self.assertIn(b"model Net", done.stdout)

    def test_help_and_version(self):
        self.assertIn(b"Exit codes", self.check(0, "--help").stdout)
        self.assertTrue(self.check(0, "-V").stdout.startswith(b"xsp-report "))

    def test_usage(self):
        self.check(2, error=b"TRACE")
        self.check(2, self.trace, "--no-such-option", error=b"no-such-option")
        self.check(2, self.trace, "-a", "A99", error=b"Known: A1, ")
        self.check(2, self.trace, "--stat", "average", error=b"average")
        self.check(2, self.trace, "--optimal", "latency=x", error=b"latency=x")
        self.check(2, self.trace, "--format", "xml", error=b"xml")
        self.check(2, self.trace, "--model", "Missing", error=b"the trace has: Net")
        self.check(2, self.trace, "--process", "1", error=b"the trace has: pid 4242")
        self.check(2, self.trace, "--top", "x", error=b"x")
        self.check(2, self.trace, "--top", "-1", error=b"-1")
        self.check(2, self.trace, "--top=-1", error=b"-1")
        self.check(2, self.trace, "--skip=-1", error=b"-1")
        self.check(2, self.trace, "--gpu", "V1000", error=b"similar: ")
        self.check(2, self.trace, "--peak-flops", "15.7", error=b"a suffix is missing")
        self.check(2, self.trace, "--peak-flops", "f17:1T", error=b"f17")
        self.check(2, self.trace, "--mem-bw", "fast", error=b"fast")
        self.check(2, self.trace, "--iterations", "0", error=b"--iterations 0")
        self.check(2, self.trace, "--iterations", "3,x", error=b"--iterations 3,x")
        self.check(2, self.trace, "--iterations", "3,4", error=b"suffix-tree")
        self.check(2, self.trace, "--mining", "guess", error=b"guess")
        self.check(2, self.trace, "--unmatched", "3", error=b"suffix-tree")
        self.check(2, self.trace, "--unmatched=-1", "--mining", "suffix-tree", error=b"-1")
        with open(ROOT + "/test/golden/ort_concurrent.txtpb", "rb") as text:
            loopless = self.write("loopless.pb", encode(text.read()))
        self.check(2, loopless, "-q", "--model-span", "iterations", error=b"finds no loop")
        self.check(0, self.trace, "-a", "D1", "--mining", "suffix-tree", "--iterations", "3,4", "--unmatched", "2")
        self.check(2, self.trace, "-o", "", error=b"empty")
        self.check(2, self.trace, "--output=", error=b"")

    def test_input(self):
        missing = os.path.join(self.folder.name, "missing.pb")
        self.assertIn(b"hint: ", self.check(3, missing, error=b"No such file").stderr)
        self.check(3, self.write("empty.pb", b""), error=b"is empty")
        self.check(3, self.write("trace.json", b'{"traceEvents": []}'), error=b"not an XSP trace (it looks like JSON)")
        newer = encode(b"packet { sequence: 1 header { format_version: 9 } }")
        self.check(3, self.write("newer.pb", newer), error=b"trace format 9")

    def test_torn_is_read_with_a_warning(self):
        torn = self.write("torn.pb", self.trace_bytes[:-20])
        done = self.check(0, torn)
        self.assertIn(b"xsp-report: warning: ", done.stderr)
        self.assertIn(b"A1 ", done.stdout)
        self.check(4, torn, "--strict")
        self.assertEqual(self.check(0, torn, "-q").stderr, b"")

    def test_strict(self):
        self.check(0, self.trace, "--strict")
        self.check(0, self.trace, "--strict", "-a", "A1,A7")
        self.check(0, self.trace, "-a", "A8")
        self.check(4, self.trace, "--strict", "-a", "A8")
        # Kernels without hardware metrics are the data of these tables.
        with open(ROOT + "/test/golden/kernels.txtpb", "rb") as text:
            kernels = self.write("kernels.pb", encode(text.read()))
        self.check(0, kernels, "--strict", "-a", "A8,A10,A11,A13,A15")

    def test_rooflines(self):
        """Without metrics A9, A12 and A14 lack data where they are asked for; their kernels are there all the same."""
        with open(ROOT + "/test/golden/kernels.txtpb", "rb") as text:
            kernels = self.write("kernels.pb", encode(text.read()))
        for name in ("A9", "A12", "A14"):
            self.check(4, kernels, "--strict", "-a", name)
        self.check(0, kernels, "--strict", "-q", "--gpu", "h100 sxm", "--peak-flops", "f16:900T,f32:60T", "--mem-bw", "3T")
        tables = json.loads(self.check(0, kernels, "-a", "A9,A14", "--format", "json", "--top", "2").stdout)
        self.assertEqual([column["name"] for column in tables["A9"]["columns"]][:9],
                         ["kernel_name", "latency_ms", "arithmetic_intensity", "throughput_tflops", "data_type",
                          "peak_tflops", "bandwidth_gbs", "bound", "pct_of_roof"])
        self.assertEqual(len(tables["A9"]["rows"]), 2)
        self.assertEqual(tables["A9"]["rows"][0][2:9], [None] * 7)
        self.assertEqual([column["name"] for column in tables["A14"]["columns"]][:3],
                         ["layer_index", "layer_name", "latency_ms"])

    def test_sums_of_kernels(self):
        """A10, A11 and A15's row of the subject have the same number of kernels and the same sum."""
        def rows(tables, name):
            columns = [column["name"] for column in tables[name]["columns"]]
            return [dict(zip(columns, row)) for row in tables[name]["rows"]]

        counts = []
        for name in sorted(os.listdir(ROOT + "/test/golden")):
            if not name.endswith(".txtpb"):
                continue
            with open(ROOT + "/test/golden/" + name, "rb") as text:
                trace = self.write(name + ".pb", encode(text.read()))
            for options in ([], ["--per", "trace"]):
                done = self.check(0, trace, "-a", "A10,A11,A15", "--format", "json", *options)
                tables = json.loads(done.stdout)
                models = rows(tables, "A15")
                if not options and len(models) > 1:  # the others are of other groups
                    subject = max(models, key=lambda row: row["n"])
                    models = [subject]
                by_name = [sum(row[key] for row in rows(tables, "A10")) for key in ("count", "latency_ms")]
                by_layer, by_model = ([sum(row[key] for row in found) for key in ("kernel_count", "kernel_latency_ms")]
                                      for found in (rows(tables, "A11"), models))
                for other in (by_layer, by_model):
                    self.assertEqual(other[0], by_name[0], (name, options))
                    self.assertAlmostEqual(other[1], by_name[1], places=9, msg=(name, options))
                counts.append(by_name[0])
        self.assertGreaterEqual(sum(count > 0 for count in counts), 4)

    def test_output(self):
        path = os.path.join(self.folder.name, "report.csv")
        self.check(0, self.trace, "-a", "A6", "--format", "csv", "-o", path)
        with open(path, "rb") as file:
            self.assertEqual(file.read().splitlines()[0], b"type,count,latency_ms,latency_pct")
        self.check(5, self.trace, "-o", os.path.join(self.folder.name, "no", "such", "folder"), error=b"cannot write")
        if os.path.exists("/dev/full"):
            self.check(5, self.trace, "-o", "/dev/full", error=b"cannot write /dev/full")

    def test_failed_output_leaves_what_was_there(self):
        path = self.write("kept.json", b"before")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.check(5, self.trace, "--format", "json", "-o", path, error=b"File too large", preexec_fn=limit)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), b"before")
        self.assertEqual([name for name in os.listdir(self.folder.name) if "partial" in name], [])

    def test_places_of_output(self):
        """Where things go is looked at before the trace is read: here there is none."""
        place = self.folder.name
        absent = os.path.join(place, "absent.pb")
        for arguments in (["--html", "-o", place + "/no/page.html"], ["--html", "-o", place],
                          ["--export", "json=" + place + "/no/x.json"], ["-o", place]):
            self.check(5, absent, *arguments, error=b"cannot write")
        if os.geteuid() != 0:
            locked = os.path.join(place, "locked")
            os.mkdir(locked, stat.S_IRUSR | stat.S_IXUSR)
            self.check(5, absent, "--html", "-o", locked + "/page.html", error=b"Permission denied")
        self.check(2, self.trace, "-o", self.trace, error=b"would replace the trace")
        self.check(2, self.trace, "--export", "json=" + self.trace, error=b"would replace the trace")
        self.check(2, self.trace, "-a", "A1", "--export", "json=-", error=b"both go to standard output")
        self.check(2, self.trace, "--html", "-o", place + "/x", "--export", "csv=" + place + "/x", error=b"both go to")
        self.check(2, self.trace, "--html", "--format", "csv", error=b"two outputs")
        self.check(2, self.trace, "--summary", "--export", "csv", error=b"--summary takes no")
        self.check(2, self.trace, "--summary", "--html", error=b"--summary takes no")

    def test_html_and_exports(self):
        place = self.folder.name
        done = self.check(0, self.trace, "--html", cwd=place)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(done.stderr, rb"^xsp-report: wrote trace.html \(\d+\.\d [kM]B\)\n$")
        with open(place + "/trace.html", "rb") as file:
            page = file.read()
        self.assertTrue(page.startswith(b"<!doctype html>"))
        done = self.check(0, self.trace, "--html", "-o", "-", cwd=place)
        self.assertEqual((done.stdout, done.stderr), (page, b""))
        done = self.check(0, self.trace, "--export", "json", "--export", "csv=x.csv", cwd=place)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(done.stderr.count(b"wrote "), 2)
        with open(place + "/trace.json", encoding="utf-8") as file:
            self.assertIn("A1", json.load(file))
        done = self.check(0, self.trace, "-a", "A1", "--export", "csv=x.csv", "-q", cwd=place)
        self.assertIn(b"A1 model information", done.stdout)
        self.assertEqual(done.stderr, b"")
        self.assertIn(b"A1 model information", self.check(0, self.trace, "-a", "A1", "-o", "-", cwd=place).stdout)
        self.assertFalse(os.path.exists(place + "/-"))

    def test_python_that_fails(self):
        place = self.folder.name
        self.write("python", b'#!/bin/sh\necho ready; cat >/dev/null; echo earlier >&2; echo why >&2; exit 3\n')
        os.chmod(place + "/python", 0o755)
        for close_some in (None, lambda: os.close(0), lambda: (os.close(0), os.close(1))):
            done = report(self.trace, "--export", "parquet=x.parquet", cwd=place, preexec_fn=close_some,
                          env=environment(XSP_PYTHON=place + "/python"))
            self.assertEqual(done.returncode, 5)
            self.assertIn(b"cannot write Parquet (why)", done.stderr)
        self.assertFalse(os.path.exists(place + "/x.parquet"))

    def test_open(self):
        place = self.folder.name
        page = place + "/opened.html"
        self.check(2, self.trace, "--open", error=b"--html")
        self.check(2, self.trace, "--html", "--open", "-o", "-", error=b"-o FILE")
        done = self.check(5, self.trace, "--html", "--open", "-o", page, env=environment())
        self.assertIn(b"no display", done.stderr)
        self.assertTrue(os.path.exists(page))
        done = self.check(5, self.trace, "--html", "--open", "-o", page, env=environment(DISPLAY=":9", PATH=place))
        self.assertIn(b"no browser found", done.stderr)
        self.write("browser", b'#!/bin/sh\necho noise; echo noise >&2; sleep 0.2; echo "$1" >"$0.saw"\n')
        os.chmod(place + "/browser", 0o755)
        done = self.check(0, self.trace, "--html", "--open", "-q", "-o", page,
                          env=environment(BROWSER="no-such-browser:" + place + "/browser"))
        self.assertEqual((done.stdout, done.stderr), (b"", b""))
        for _ in range(100):
            if os.path.exists(place + "/browser.saw") and os.path.getsize(place + "/browser.saw"):
                break
            time.sleep(0.1)
        with open(place + "/browser.saw", encoding="utf-8") as saw:
            self.assertEqual(saw.read().strip(), page)

    def test_broken_pipe_is_quiet(self):
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = subprocess.run([REPORT, self.trace], stdout=write_end, stderr=subprocess.PIPE)
        os.close(write_end)
        self.assertEqual((done.returncode, done.stderr), (5, b""))

    def test_golden(self):
        folder = ROOT + "/test/golden"
        cases = [name for name in sorted(os.listdir(folder)) if name.endswith(".txtpb")]
        self.assertTrue(cases)
        for name in cases:
            with open(os.path.join(folder, name), "rb") as text:
                self.write("golden.pb", encode(text.read()))
            with open(os.path.join(folder, name.replace(".txtpb", ".txt")), "rb") as expected:
                done = report("golden.pb", "-q", "-a", "all", cwd=self.folder.name)
                self.assertEqual(done.stdout.decode(), expected.read().decode(), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)

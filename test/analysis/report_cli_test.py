"""Exit codes and messages of xsp-report: report_cli_test.py XSP_REPORT PROTOC SOURCE_ROOT"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

REPORT, PROTOC, ROOT = [os.path.abspath(p) if os.sep in p else p for p in sys.argv[1:4]]


def encode(textproto):
    return subprocess.run([PROTOC, "--encode=xsp.Trace", "--proto_path=" + ROOT + "/proto", "trace.proto"],
                          input=textproto, stdout=subprocess.PIPE, check=True).stdout


def report(*args, **kwargs):
    return subprocess.run([REPORT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **kwargs)


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
        done = self.check(0, self.trace)
        self.assertIn(b"A1 model information", done.stdout)
        self.assertIn(b"Q1 quality of the trace", done.stdout)
        self.assertEqual(done.stderr, b"")

    def test_json(self):
        done = self.check(0, self.trace, "-a", "a1,A2", "--format", "json")
        tables = json.loads(done.stdout)
        self.assertEqual(list(tables), ["xsp", "A1", "A2"])
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
        self.check(2, self.trace, "-a", "A99", error=b"known: A1 ")
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
                done = report("golden.pb", "-q", cwd=self.folder.name)
                self.assertEqual(done.stdout.decode(), expected.read().decode(), name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)

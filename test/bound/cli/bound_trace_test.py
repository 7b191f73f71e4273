"""xsp-bound --trace and xsp-report --bounds: bound_trace_test.py XSP_BOUND XSP_IMPORT XSP_REPORT SOURCE_ROOT

The runs are profiles as ONNX Runtime writes them, so that all times are known."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BOUND, IMPORT, REPORT, ROOT = [os.path.abspath(p) for p in sys.argv[1:5]]
sys.path.insert(0, ROOT + "/test/bound/support")
import onnx_bytes  # noqa: E402

TIMES = "layer,latency_ms\nconv,2\nrelu,0.25\nsigmoid,1\nsum,0.125\n"
MEASURED_US = {"conv": 3000, "relu": 200, "sigmoid": 1500, "sum": 125}
TYPES = {"conv": "Conv", "relu": "Relu", "sigmoid": "Sigmoid", "sum": "Add"}
PAUSE_US = 50


def profile(calls=4, batch=1, layers=None):
    """A call takes what its nodes take, and 100 µs."""
    events, now = [], 1000
    for _ in range(calls):
        begin = now
        now += PAUSE_US
        for name, kind, took in layers or [(name, TYPES[name], took) for name, took in MEASURED_US.items()]:
            shape = [{"float": [batch, 8, 16, 16]}]
            events.append({"cat": "Node", "pid": 7, "tid": 9, "ph": "X", "name": name + "_kernel_time", "ts": now, "dur": took,
                           "args": {"op_name": kind, "provider": "CPUExecutionProvider", "output_type_shape": shape,
                                    "input_type_shape": [{"float": [batch, 3 if kind == "Conv" else 8, 16, 16]}]}})
            now += took
        now += PAUSE_US
        events.append({"cat": "Session", "pid": 7, "tid": 9, "ph": "X", "name": "model_run", "ts": begin, "dur": now - begin,
                       "args": {}})
        now += 1000
    return json.dumps(events)


class BoundTrace(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.model = self.write("net.onnx", onnx_bytes.two_branches())
        self.times = self.write("times.csv", TIMES.encode())
        self.trace = self.imported("run", profile())

    def write(self, name, data):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def imported(self, name, text):
        source = self.write(name + ".json", text.encode())
        done = self.run_program(IMPORT, source, "-f", "-o", name + ".pb")
        self.assertEqual(done.returncode, 0, done)
        return os.path.join(self.folder.name, name + ".pb")

    def run_program(self, *command):
        environment = dict(os.environ, XDG_DATA_HOME=self.folder.name + "/data", XDG_CACHE_HOME=self.folder.name + "/cache")
        return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=self.folder.name, env=environment)

    def tables(self, *args, program=BOUND, code=0):
        done = self.run_program(program, *args, "--format", "json")
        self.assertEqual(done.returncode, code, done)
        return json.loads(done.stdout)

    def rows(self, tables, table):
        names = [column["name"] for column in tables[table]["columns"]]
        return [dict(zip(names, row)) for row in tables[table]["rows"]]

    def refused(self, code, *args, error, program=BOUND):
        done = self.run_program(program, *args)
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"^xsp-\w+: error: ")
        self.assertIn(error, done.stderr.splitlines()[0])
        self.assertIn("hint: ", done.stderr)
        return done.stderr

    def test_what_was_measured_stands_beside_the_bound(self):
        tables = self.tables(self.model, "--times", self.times, "--trace", self.trace)
        modes = {row["mode"]: row for row in self.rows(tables, "B3")}
        measured = sum(MEASURED_US.values()) / 1e3
        self.assertAlmostEqual(modes["layers"]["bound_ms"], 3.375)
        self.assertAlmostEqual(modes["layers"]["measured_ms"], measured + 2 * PAUSE_US / 1e3)
        self.assertAlmostEqual(modes["layers"]["measured_min_ms"], measured)
        self.assertAlmostEqual(modes["layers"]["normalized_pct"], 100 * 3.375 / (measured + 0.1))
        # relu took 0.2 ms where its benchmark says 0.25.
        self.assertAlmostEqual(modes["best_known"]["bound_ms"], 3.325)
        self.assertTrue(any("faster than" in note and "0.05" in note for note in tables["B3"]["notes"]), tables["B3"]["notes"])
        layers = {row["name"]: row for row in self.rows(tables, "B3.layers")}
        self.assertEqual(set(layers), set(MEASURED_US))
        for name, took in MEASURED_US.items():
            self.assertAlmostEqual(layers[name]["measured_ms"], took / 1e3)
        self.assertAlmostEqual(layers["conv"]["excess_ms"], 1)

    def test_open_dimensions_have_to_be_those_of_the_trace(self):
        model = self.write("open.onnx", onnx_bytes.two_branches("batch"))
        trace = self.imported("batch", profile(batch=5))
        # This profile tells no inputs, only what its layers wrote.
        self.assertIn("--batch 5", self.refused(3, model, "--times", self.times, "--trace", trace, error="batch"))
        layers = self.rows(self.tables(model, "--times", self.times, "--trace", trace, "--batch", "5"), "B1")
        self.assertEqual(layers[3]["outputs"], "f32[5,8,16,16]")

    def test_a_trace_of_another_batch_is_refused(self):
        trace = self.imported("batch", profile(batch=5))
        self.refused(3, self.model, "--times", self.times, "--trace", trace, error="batch")

    def test_a_trace_of_another_model_is_refused(self):
        other = profile(layers=[("a", "MatMul", 100), ("b", "Softmax", 50), ("c", "LayerNormalization", 30)])
        self.refused(3, self.model, "--times", self.times, "--trace", self.imported("other", other), error="another model")

    def test_what_is_no_trace_is_refused(self):
        self.refused(3, self.model, "--trace", "absent.pb", error="absent.pb")
        self.refused(3, self.model, "--trace", self.times, error="times.csv")
        self.refused(2, self.model, "--trace", self.trace, "--trace-model", "other", error="other")
        self.refused(2, self.model, "--trace-model", "other", error="--trace-model")
        self.refused(2, self.model, self.model, "--trace", self.trace, error="one model")

    def test_a_trace_without_library_calls_makes_up_no_choices(self):
        tables = self.tables(self.model, "--times", self.times, "--trace", self.trace)
        self.assertEqual(self.rows(tables, "B5"), [])
        self.assertTrue(any("library call" in note for note in tables["B5"]["notes"]), tables["B5"]["notes"])

    def test_a_trace_alone_shows_what_it_tells_by_itself(self):
        tables = self.tables("--trace", self.trace)
        self.assertNotIn("B3", tables)
        self.assertEqual(self.rows(tables, "B6"), [])
        overview = self.run_program(BOUND, "--trace", self.trace).stdout
        self.assertIn("no calls into compute libraries", overview)
        self.assertIn("xsp-report " + self.trace, overview)
        self.refused(2, "--trace", self.trace, "-a", "B3", error="B3")

    def test_a_page_of_a_trace_alone_is_named_after_it(self):
        done = self.run_program(BOUND, "--trace", self.trace, "--no-run", "--html")
        self.assertEqual(done.returncode, 0, done)
        with open(os.path.join(self.folder.name, "run.html"), encoding="utf-8") as page:
            self.assertIn("<html", page.read())

    def test_what_is_of_a_model_needs_one(self):
        for option in (["--dtype", "bf16"], ["--batch", "2"], ["--shape", "x=1"]):
            self.refused(2, "--trace", self.trace, "--no-run", *option, error=option[0])
        self.refused(2, "--trace", self.trace, "--list-systems", error="--list-systems")

    def test_a_folder_is_no_file_of_bounds(self):
        self.refused(3, self.trace, "--bounds", self.folder.name, error="Is a directory", program=REPORT)

    def test_a_report_takes_the_bounds_in(self):
        done = self.run_program(BOUND, self.model, "--times", self.times, "--trace", self.trace, "--format", "json", "-o", "bounds.json")
        self.assertEqual(done.returncode, 0, done)
        report = self.tables(self.trace, "--bounds", "bounds.json", program=REPORT)
        layers = {row["name"]: row["bound_ms"] for row in self.rows(report, "A2")}
        self.assertEqual(layers, {"conv": 2, "relu": 0.25, "sigmoid": 1, "sum": 0.125})
        self.assertAlmostEqual(self.rows(report, "A1")[0]["bound_ms"], 3.375)
        self.assertEqual(report["B3"]["rows"], json.load(open(self.folder.name + "/bounds.json", encoding="utf-8"))["B3"]["rows"])
        page = self.run_program(REPORT, self.trace, "--bounds", "bounds.json", "--html", "-o", "page.html")
        self.assertEqual(page.returncode, 0, page)
        with open(self.folder.name + "/page.html", encoding="utf-8") as file:
            text = file.read()
        self.assertIn("sequential bound", text.lower())
        self.assertIn("Measured time and bounds by layer", text)
        self.refused(3, self.imported("other", profile(layers=[("a", "MatMul", 100)])), "--bounds", "bounds.json",
                     error="another trace", program=REPORT)
        self.refused(3, self.trace, "--bounds", self.times, error="no bounds", program=REPORT)
        self.refused(3, self.trace, "--bounds", "absent.json", error="absent.json", program=REPORT)
        self.refused(2, self.trace, "--bounds", "bounds.json", "--format", "json", "-o", "bounds.json", error="would replace",
                     program=REPORT)


if __name__ == "__main__":
    sys.argv[1:] = sys.argv[5:]
    unittest.main(verbosity=2)

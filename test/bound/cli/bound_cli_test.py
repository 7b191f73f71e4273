"""Exit codes, messages and outputs of xsp-bound: bound_cli_test.py XSP_BOUND SOURCE_ROOT"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

BOUND, ROOT = [os.path.abspath(p) for p in sys.argv[1:3]]
sys.path.insert(0, ROOT + "/test/bound/support")
import onnx_bytes  # noqa: E402

TIMES = "layer,latency_ms,implementation\nconv,2,direct\nconv,0.5,bias\nrelu,0.25,\nsigmoid,1,\nsum,0.125,\n"


class BoundCli(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.model = self.write("net.onnx", onnx_bytes.two_branches())
        self.times = self.write("times.csv", TIMES.encode())
        self.database = os.path.join(self.folder.name, "bounds.sqlite")

    def write(self, name, data):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def read(self, name):
        with open(os.path.join(self.folder.name, name), encoding="utf-8") as file:
            return file.read()

    def run_bound(self, *args):
        environment = dict(os.environ, XDG_DATA_HOME=self.folder.name + "/data", XDG_CACHE_HOME=self.folder.name + "/cache")
        return subprocess.run([BOUND, *args], capture_output=True, text=True, timeout=120, cwd=self.folder.name,
                              env=environment)

    def check(self, code, *args, error=None):
        done = self.run_bound(*args)
        self.assertEqual(done.returncode, code, done)
        if error is not None:
            self.assertEqual(done.stdout, "")
            first, hint = done.stderr.splitlines()[:2]
            self.assertIn("xsp-bound: error: ", first)
            self.assertIn(error, first)
            self.assertIn("hint: ", hint)
        return done

    def tables(self, *args, code=0):
        return json.loads(self.check(code, *args, "--format", "json").stdout)

    def rows(self, tables, table):
        names = [column["name"] for column in tables[table]["columns"]]
        return [dict(zip(names, row)) for row in tables[table]["rows"]]

    # The command line.

    def test_help_and_version_are_printed(self):
        self.assertIn("usage: xsp-bound", self.check(0, "--help").stdout)
        self.assertRegex(self.check(0, "--version").stdout, r"^xsp-bound \d")
        self.assertLessEqual(max(map(len, self.check(0, "-h").stdout.splitlines())), 100)

    def test_wrong_usage_is_exit_code_2(self):
        self.check(2, error="no MODEL given")
        self.check(2, self.model, "--bach", "3", error="--bach")
        self.check(2, self.model, "-a", "B9", error="B9")
        self.check(2, self.model, "--format", "xml", error="xml")
        self.check(2, self.model, "--backend", "onedn", error="onedn")
        self.check(2, self.model, "--dtype", "f31", error="f31")
        self.check(2, self.model, "--time-limit", "soon", error="soon")
        self.check(2, self.model, "--library", "onednn", error="onednn")
        self.check(2, self.model, "--no-run", "--refresh", error="contradict")
        self.check(2, self.model, "--run", "list", error="--run")
        self.check(2, "--generate", "list", error="--generate")
        self.check(2, "--times", self.times, error="--times")
        self.check(2, self.model, "--times", self.times, "--export-csv", "x", error="uses no database")
        self.check(2, self.model, "--generate", "list", "--merge", "x", error="uses no database")
        self.check(2, "--run", "list", "--system", "any", error="--system")
        self.check(2, "--run", "list", "--html", error="--run")
        self.check(2, self.model, self.model, "--times", self.times, error="one model")

    def test_no_output_replaces_an_input(self):
        self.check(2, self.model, "-o", self.model, error="would replace")
        self.check(2, self.model, "--times", self.times, "--dot", self.times, error="would replace")
        self.check(2, self.model, "-o", "x", "--dot", "x", error="both go to")

    # Models.

    def test_what_is_no_model_is_exit_code_3(self):
        self.check(3, "absent.onnx", error="absent.onnx")
        self.check(3, self.folder.name, error=self.folder.name)
        self.check(3, self.write("empty.onnx", b""), error="empty.onnx")
        self.check(3, self.write("text.onnx", b"not a model at all"), error="text.onnx")
        self.check(3, self.write("cut.onnx", onnx_bytes.two_branches()[:-40]), error="cut.onnx")

    def test_a_cycle_is_exit_code_3(self):
        circle = onnx_bytes.model([onnx_bytes.node("Relu", ["b"], ["a"]), onnx_bytes.node("Relu", ["a"], ["b"])],
                                  [onnx_bytes.value("x", [1])], [onnx_bytes.value("b", [1])])
        self.check(3, self.write("circle.onnx", circle), error="circle.onnx")

    def test_dimensions_that_overflow_are_exit_code_3(self):
        huge = onnx_bytes.model([onnx_bytes.node("Relu", ["x"], ["y"])],
                                [onnx_bytes.value("x", [1 << 40, 1 << 40])], [onnx_bytes.value("y", ["n"])])
        self.check(3, self.write("huge.onnx", huge), error="")

    def test_open_dimensions_have_to_be_given(self):
        open_model = self.write("open.onnx", onnx_bytes.model(
            [onnx_bytes.node("Relu", ["x"], ["y"])], [onnx_bytes.value("x", ["batch", "width"])],
            [onnx_bytes.value("y", ["batch", "width"])]))
        self.assertIn("--shape", self.check(2, open_model, "--no-run", error="width").stderr)
        self.check(2, open_model, "--no-run", "--shape", "z=1,2", error="z")
        self.check(2, open_model, "--no-run", "--shape", "x=1,2,3", error="x")
        layer = self.rows(self.tables(open_model, "--no-run", "--shape", "x=4,7"), "B1")[0]
        self.assertEqual(layer["outputs"], "f32[4,7]")

    def test_the_batch_is_one_unless_given(self):
        model = self.write("batch.onnx", onnx_bytes.two_branches("batch"))
        tables = self.tables(model, "--no-run")
        self.assertEqual(self.rows(tables, "B1")[0]["inputs"], "f32[1,3,16,16];f32[8,3,3,3]")
        self.assertTrue(any("batch" in note for note in tables["B1"]["notes"]), tables["B1"]["notes"])
        self.assertEqual(self.rows(self.tables(model, "--no-run", "--batch", "5"), "B1")[3]["outputs"], "f32[5,8,16,16]")

    def test_a_batch_that_would_change_nothing_is_an_error(self):
        self.check(2, self.model, "--no-run", "--batch", "5", error="--batch 5")

    def test_one_table_as_csv_is_nothing_else(self):
        for table in ("B1", "B1.problems", "B2"):
            done = self.check(0, self.model, "--times", self.times, "-a", table, "--format", "csv")
            rows = list(csv.DictReader(done.stdout.splitlines()))
            self.assertIn("bound_ms", rows[0])
            self.assertNotIn("#", done.stdout)

    def test_a_graph_on_standard_output_is_alone(self):
        graph = self.check(0, self.model, "--times", self.times, "--dot", "-").stdout
        self.assertTrue(graph.startswith("digraph"), graph[:60])
        self.assertNotIn("B3", graph)

    def test_unknown_operators_are_no_error(self):
        model = self.write("own.onnx", onnx_bytes.model(
            [onnx_bytes.node("Foo", ["x"], ["a"], "own", "com.acme"), onnx_bytes.node("Relu", ["a"], ["y"], "behind")],
            [onnx_bytes.value("x", [2, 2])], [onnx_bytes.value("y", [2, 2])], domains=["com.acme"]))
        rows = self.rows(self.tables(model, "--no-run"), "B1")
        self.assertEqual([row["class"] for row in rows], ["unknown", "unknown"])
        for row in rows:
            self.assertIn("com.acme.Foo", row["reason"])

    # Times from elsewhere.

    def test_given_times_make_the_bounds(self):
        tables = self.tables(self.model, "--times", self.times)
        sequential = self.rows(tables, "B3")[0]
        self.assertEqual(sequential["bound_ms"], 2 + 0.5 + 0.25 + 1 + 0.125)
        self.assertEqual((sequential["layers"], sequential["missing"]), (4, 0))
        parallel = self.rows(tables, "B4")[0]
        self.assertEqual(parallel["bound_ms"], 2 + 0.5 + 1 + 0.125)
        self.assertEqual(parallel["gain_ms"], 0.25)
        self.assertEqual(tables["B4"]["path"], [0, 2, 3])
        self.assertEqual([row["on_path"] for row in self.rows(tables, "B1")], [True, False, True, True])
        self.assertEqual(self.rows(tables, "B1")[0]["implementation"], "direct + bias")

    def test_a_missing_time_lowers_the_coverage(self):
        times = self.write("some.csv", b"layer,latency_ms\nconv,2\n")
        done = self.check(4, self.model, "--times", times, "--strict", "--format", "json")
        tables = json.loads(done.stdout)
        sequential = self.rows(tables, "B3")[0]
        self.assertEqual((sequential["bound_ms"], sequential["missing"]), (2, 3))
        self.assertEqual(sequential["coverage_layers_pct"], 25)
        every = self.rows(tables, "B2")[-1]
        self.assertEqual((every["type"], every["layers"], every["timed"]), ("all", 4, 1))
        self.assertIn("3 of 4 layers have no time", tables["findings"][0]["title"])

    def test_times_that_cannot_be_used_are_exit_code_3(self):
        self.check(3, self.model, "--times", "absent.csv", error="absent.csv")
        self.check(3, self.model, "--times", self.write("a.csv", b"layer,latency_ms\nfoo,1\n"), error="foo")
        self.check(3, self.model, "--times", self.write("b.csv", b"layer,latency_ms\nconv,fast\n"), error="b.csv")
        self.check(3, self.model, "--times", self.write("c.csv", b"conv,1\n"), error="c.csv")

    # Outputs.

    def test_every_format_has_the_tables(self):
        text = self.check(0, self.model, "--times", self.times).stdout
        self.assertIn("net: layer by layer at least 3.875 ms a call", text.splitlines()[0])
        self.assertIn("B3 sequential bound", text)
        rows = list(csv.reader(self.check(0, self.model, "--times", self.times, "-a", "b3", "--format", "csv").stdout.splitlines()))
        self.assertEqual(rows[1][:2], ["layers", "3.875"])
        self.check(0, self.model, "--times", self.times, "--html", "-q")
        page = self.read("net.html")
        self.assertIn('id="B1"', page)
        self.assertIn("<svg", page[page.index('id="path"'):])
        self.assertNotIn("http://", page.split("<script", 1)[0].replace("http://www.w3.org/2000/svg", ""))

    def test_the_graph_is_written_for_graphviz(self):
        self.check(0, self.model, "--times", self.times, "--dot", "net.dot")
        graph = self.read("net.dot")
        self.assertTrue(graph.startswith("digraph"), graph[:40])
        self.assertEqual(graph.count("->"), 4)
        self.assertIn("red", graph)

    def test_outputs_that_cannot_be_written_are_exit_code_5(self):
        self.check(5, self.model, "--times", self.times, "-o", "no/such/folder/x.txt", error="no/such/folder")
        self.check(5, self.model, "--times", self.times, "--dot", self.folder.name, error="cannot write")

    # Work lists and databases.

    def test_a_work_list_has_each_problem_once(self):
        self.check(0, self.model, self.model, "--generate", "todo.jsonl", "-q")
        items = [json.loads(line) for line in self.read("todo.jsonl").splitlines()]
        problems = [item["problem"] for item in items]
        self.assertEqual(len(set(problems)), len(problems))
        # The four layers, and behind them what can be fused of them.
        self.assertEqual([problem.split()[0] for problem in problems[:4]], ["conv", "eltwise", "eltwise", "binary"])
        self.assertGreater(len(problems), 4)
        self.assertTrue(items[0]["problem"].startswith("conv src=1x3x16x16 wei=8x3x3x3 "), items[0])
        self.assertFalse(os.path.exists(self.database))

    def test_a_work_list_that_is_none_is_exit_code_3(self):
        self.check(3, "--run", self.write("list", b"{}\n"), error="list:1")
        self.check(3, "--run", "absent", error="absent")

    def test_looking_up_makes_no_database(self):
        tables = self.tables(self.model, "--no-run", "--database", self.database)
        self.assertIsNone(self.rows(tables, "B3")[0]["bound_ms"])
        self.assertEqual(self.rows(tables, "B2")[-1]["reason"], "not measured")
        self.assertIn("none of its 4 layers has a time", tables["verdict"])
        # Nobody asked for a GPU.
        self.assertFalse(any("CUDA" in note for note in tables["B2"]["notes"]), tables["B2"]["notes"])
        self.assertFalse(os.path.exists(self.database))
        self.check(4, self.model, "--no-run", "--database", self.database, "--strict")

    def test_what_is_no_database_is_refused(self):
        other = self.write("other.sqlite", b"SQLite format 3\0" + b"x" * 4000)
        before = os.stat(other).st_mtime_ns
        self.check(3, self.model, "--database", other, error="other.sqlite")
        self.check(3, "--merge", other, "--database", self.database, error="other.sqlite")
        self.check(3, "--merge", "absent.sqlite", "--database", self.database, error="absent.sqlite")
        self.assertEqual(os.stat(other).st_mtime_ns, before)

    def test_an_empty_database_has_no_systems(self):
        self.assertEqual(self.check(0, "--list-systems", "--database", self.database).stdout, "no measurements\n")
        self.check(2, self.model, "-q", "--no-run", "--system", "Cray", "--database", self.database, error="Cray")
        self.check(2, self.model, "--list-systems", error="--list-systems")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

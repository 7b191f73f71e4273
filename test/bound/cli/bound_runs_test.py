"""What a run of xsp-bound measures, keeps and survives, with a BLAS that does what libraries may do:
bound_runs_test.py XSP_BOUND SOURCE_ROOT FOLDER_OF_THE_BLAS"""
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

BOUND, ROOT, BLAS = [os.path.abspath(p) for p in sys.argv[1:4]]
sys.path.insert(0, ROOT + "/test/bound/support")
import onnx_bytes  # noqa: E402

ABORTS, HANGS, LIES, SLOW = 113, 127, 131, 149


def products(*inner):
    """A model with a product for each inner dimension: 8 x K · K x 16, all of one sum."""
    nodes, inputs = [], []
    for at, k in enumerate(inner):
        inputs += [onnx_bytes.value(f"x{at}", [8, k]), onnx_bytes.value(f"w{at}", [k, 16])]
        nodes.append(onnx_bytes.node("MatMul", [f"x{at}", f"w{at}"], [f"y{at}"], f"product{at}"))
    return onnx_bytes.model(nodes, inputs, [onnx_bytes.value(f"y{at}", [8, 16]) for at in range(len(inner))])


class BoundRuns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.database = self.folder + "/bounds.sqlite"
        self.environment = dict(os.environ, LD_LIBRARY_PATH=BLAS, XDG_DATA_HOME=self.folder, XDG_CACHE_HOME=self.folder)

    def model(self, *inner):
        path = f"{self.folder}/{'_'.join(map(str, inner[:4]))}.onnx"
        with open(path, "wb") as file:
            file.write(products(*inner))
        return path

    def command(self, *args):
        return [BOUND, *args, "--backend", "blas", "--library", "openblas=9.9.9", "--threads", "1", "--budget", "2",
                "--database", self.database, "-q"]

    def run_bound(self, *args, code=0):
        done = subprocess.run(self.command(*args), env=self.environment, capture_output=True, text=True, timeout=170)
        self.assertEqual(done.returncode, code, done)
        return done.stdout

    def report(self, *args):
        report = json.loads(self.run_bound(*args, "--format", "json"))
        names = [column["name"] for column in report["B1"]["columns"]]
        return [dict(zip(names, row)) for row in report["B1"]["rows"]]

    def rows(self, what="*", where="1"):
        with sqlite3.connect(self.database) as database:
            return database.execute(f"SELECT {what} FROM measurement JOIN problem ON problem.id = problem WHERE {where}").fetchall()

    def has_rows(self):
        try:
            return bool(self.rows("1", "1 LIMIT 1"))
        except sqlite3.Error:
            return False  # it is still being made

    def test_what_aborts_or_lies_costs_a_row(self):
        layers = self.report(self.model(16, ABORTS, LIES, 32))
        self.assertEqual([layer["bound_ms"] is None for layer in layers], [False, True, True, False], layers)
        self.assertIn("SIGABRT", layers[1]["reason"])
        self.assertIn("wrong result", layers[2]["reason"])
        for layer in (layers[0], layers[3]):
            self.assertGreater(layer["bound_ms"], 0)
            self.assertGreater(layer["expected_ms"], 0)

    def test_what_hangs_costs_a_row(self):
        layers = self.report(self.model(HANGS, 16))
        self.assertIsNone(layers[0]["bound_ms"])
        self.assertIn("nothing for", layers[0]["reason"])
        self.assertGreater(layers[1]["bound_ms"], 0)
        self.assertEqual(self.rows("status", f"problem.key LIKE '%x{HANGS} %' AND status = 'timeout'")[:1], [("timeout",)])

    def test_only_what_is_new_is_measured(self):
        self.run_bound(self.model(16, 24))
        before = self.rows("measurement.id, problem.key")
        self.assertEqual({key.split()[1] for _, key in before}, {"src=8x16", "src=8x24"})
        self.run_bound(self.model(24, 40, 16))
        added = self.rows("problem.key", f"measurement.id > {max(number for number, _ in before)}")
        self.assertEqual({key.split()[1] for key, in added}, {"src=8x40"})
        self.run_bound(self.model(16, 24))
        self.assertEqual(len(self.rows()), len(before) + len(added))
        self.run_bound(self.model(16), "--refresh")
        self.assertGreater(len(self.rows()), len(before) + len(added))

    def test_what_failed_is_not_tried_again(self):
        model = self.model(ABORTS, 16)
        self.run_bound(model)
        count = len(self.rows())
        self.run_bound(model)
        self.assertEqual(len(self.rows()), count)

    def test_this_machine_by_its_name_is_measured_with_what_is_installed(self):
        self.run_bound(self.model(16))
        layers = self.report(self.model(16, 24), "--system", self.rows("(SELECT key FROM system)")[0][0])
        self.assertTrue(all(layer["bound_ms"] > 0 for layer in layers), layers)
        self.assertEqual({status for status, in self.rows("status")}, {"ok"})

    def test_a_run_that_lacked_memory_is_made_again(self):
        model = self.model(16)
        self.run_bound(model)
        with sqlite3.connect(self.database) as database:
            database.execute("UPDATE measurement SET status = 'error', message = 'not enough memory'")
        self.assertGreater(self.report(model)[0]["bound_ms"], 0)

    def test_children_are_waited_for_where_nobody_wants_their_end(self):
        done = subprocess.run(["bash", "-c", "trap '' CHLD; exec \"$@\"", "bash", *self.command(self.model(16, ABORTS)),
                               "--format", "json"], env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("SIGABRT", done.stdout)

    def test_other_threads_are_another_time(self):
        model = self.model(16)
        self.run_bound(model)
        command = self.command(model, "--no-run", "--format", "json")
        command[command.index("--threads") + 1] = "2"
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60, check=True)
        report = json.loads(done.stdout)
        self.assertIsNone(report["B3"]["rows"][0][1])
        self.assertTrue(report["verdict"].endswith("none of its 1 layer has a time with 2 threads (--threads 1 has them)"),
                        report["verdict"])

    def test_work_goes_to_another_machine_and_back(self):
        model = self.model(16, 24)
        self.run_bound(model, "--generate", self.folder + "/todo.jsonl")
        here, self.database = self.database, self.folder + "/there.sqlite"
        self.run_bound("--run", self.folder + "/todo.jsonl")
        there, self.database = self.database, here
        self.assertEqual(self.report(model, "--no-run")[0]["bound_ms"], None)
        self.run_bound("--merge", there)
        layers = self.report(model, "--no-run")
        self.assertTrue(all(layer["bound_ms"] > 0 for layer in layers), layers)
        systems = subprocess.run([BOUND, "--list-systems", "--database", self.database], capture_output=True, text=True,
                                 timeout=60, check=True).stdout
        self.assertIn("2 problems", systems)
        self.assertIn("openblas 9.9.9", systems)

    def test_a_kill_at_any_moment_loses_one_problem_at_most(self):
        inner = [SLOW] + list(range(8, 72, 4))
        model = self.model(*inner)
        chance = random.Random(26)
        done = set()
        for _ in range(8):
            with subprocess.Popen(self.command(model), env=self.environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as run:
                time.sleep(chance.uniform(0.02, 0.35))
                run.send_signal(signal.SIGKILL)
            if not os.path.exists(self.database):
                continue
            with sqlite3.connect(self.database) as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                if database.execute("PRAGMA user_version").fetchall() == [(0,)]:
                    continue  # killed before the database had its tables
            now = {number for number, in self.rows("problem.id")}
            self.assertLessEqual(done, now)
            done = now
        layers = self.report(model)
        self.assertTrue(all(layer["bound_ms"] > 0 for layer in layers))
        # Each problem hot, once more into the same row, and cold: none twice.
        doubles = self.rows("count(*)", "1 GROUP BY problem.key, implementation, layout, cache HAVING count(*) > 1")
        self.assertEqual(doubles, [])

    def test_an_interrupted_run_keeps_what_it_has(self):
        model = self.model(SLOW, *range(8, 800, 8))
        with subprocess.Popen(self.command(model), env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as run:
            while run.poll() is None and not self.has_rows():
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            _, errors = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130, errors)
        self.assertIn("interrupted", errors)
        self.assertIn("run it again to go on", errors)
        self.assertGreater(len(self.rows()), 0)

    def test_nothing_is_begun_after_the_time_limit(self):
        layers = self.report(self.model(16, 24), "--time-limit", "0s")
        self.assertEqual([layer["reason"] for layer in layers], ["not measured", "not measured"])

    def test_another_type_is_another_problem(self):
        report = json.loads(self.run_bound(self.model(16), "--dtype", "f64", "--format", "json"))
        names = [column["name"] for column in report["B7"]["columns"]]
        rows = {row[0]: dict(zip(names, row)) for row in report["B7"]["rows"]}
        self.assertGreater(rows["f64"]["after_ms"], 0)
        self.assertEqual(rows["f64"]["count"], 1)
        before, after = rows["f64"]["before_ms"], rows["f64"]["after_ms"]
        self.assertAlmostEqual(rows["f64"]["profit_pct"], 100 * (before - after) / before, places=6)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])

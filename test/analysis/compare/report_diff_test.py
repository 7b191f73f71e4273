"""xsp-report --diff and --fail-if: report_diff_test.py XSP_REPORT PROTOC SOURCE_ROOT"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

REPORT, PROTOC, ROOT = [os.path.abspath(p) if os.sep in p else p for p in sys.argv[1:4]]
LAYERS = [("conv1", "Conv2d", 2.0), ("relu1", "ReLU", 0.5), ("conv2", "Conv2d", 3.0), ("relu2", "ReLU", 0.5),
          ("fc", "Linear", 1.0)]


def zigzag(number):
    return number * 2 if number >= 0 else -number * 2 - 1


def textproto(layers, evaluations=12, model="Net", noise=0.01, seed=1, level="", hostname=""):
    """A trace of a model with these (name, type, ms); every latency varies by `noise`, its share."""
    chance = random.Random(seed)
    strings = ["[4,3]", model]
    number = lambda text: (strings.append(text) if text not in strings else None, strings.index(text) + 1)[1]
    columns = {name: [] for name in ("begin", "duration", "id", "parent", "level_kind", "name", "type", "input")}
    last_begin, last_id, at = 0, 0, 1000000

    def add(begin, duration, identity, parent, level_kind, name, kind, shapes):
        nonlocal last_begin, last_id
        values = (begin - last_begin, duration, zigzag(identity - last_id), identity - parent if parent else 0,
                  level_kind, number(name), number(kind) if kind else 0, shapes)
        for column, value in zip(columns.values(), values):
            column.append(value)
        last_begin, last_id = begin, identity

    identity = 0
    for _ in range(evaluations):
        root = identity = identity + 1
        begin = at
        for name, kind, ms in layers:
            identity += 1
            duration = int(ms * 1e6 * (1 + noise * chance.gauss(0, 1)))
            add(at, duration, identity, root, 19, name, kind, 0)
            at += duration
        add(begin, at - begin + 10000, root, 0, 34, model, "", 1)
        at += 100000
    spans = "\n".join("%s: %s" % (name, values) for name, values in columns.items())
    count = len(columns["begin"])
    texts = " ".join('text: "%s"' % text for text in strings)
    return f"""
packet {{ sequence: 1 header {{ format_version: 1 producer: "test" requested_level: "{level}" hostname: "{hostname}" }} }}
packet {{ process: 1 sequence: 1 hello {{ pid: 4242 executable: "/usr/bin/python3" }} }}
packet {{ process: 1 sequence: 2 strings {{ first_id: 1 {texts} }} }}
packet {{ process: 1 sequence: 3 spans {{ thread: 4242 count: {count} {spans} }} }}
packet {{ sequence: 2 trace_end {{ spans: {count} complete: true }} }}
"""


LAYER_ALONE = """
packet { sequence: 1 header { format_version: 1 producer: "test" } }
packet { process: 1 sequence: 1 hello { pid: 4242 executable: "/usr/bin/python3" } }
packet { process: 1 sequence: 2 strings { first_id: 1 text: "layer" } }
packet { process: 1 sequence: 3 spans { thread: 4242 count: 1 begin: 1000 duration: DURATION id: 2 parent: 0
                                        level_kind: 19 name: 1 type: 0 input: 0 } }
packet { sequence: 2 trace_end { spans: 1 complete: true } }
"""


def encode(text):
    return subprocess.run([PROTOC, "--encode=xsp.Trace", "--proto_path=" + ROOT + "/proto", "trace.proto"],
                          input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


class ReportDiff(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.base = cls.write("base.pb", LAYERS)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def write(cls, name, layers, **kwargs):
        path = os.path.join(cls.folder.name, name)
        with open(path, "wb") as file:
            file.write(encode(textproto(layers, **kwargs)))
        return path

    def check(self, code, *args, error=None):
        done = subprocess.run([REPORT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, code, done)
        if error is not None:
            self.assertTrue(done.stderr.startswith(b"xsp-report: error: "), done.stderr)
            self.assertIn(error, done.stderr)
            self.assertEqual(done.stdout, b"")
        return done

    def diff(self, base, fresh, *args):
        tables = json.loads(self.check(0, "--diff", base, fresh, "--format", "json", *args).stdout)
        rows = {}
        for name, table in tables.items():
            if name != "xsp":
                columns = [column["name"] for column in table["columns"]]
                rows[name] = [dict(zip(columns, row)) for row in table["rows"]]
        return tables, rows

    def changes(self, fresh_layers, seed=12, **kwargs):
        """What A2 says that is not the same, and what it calls significant."""
        fresh = self.write("fresh.pb", fresh_layers, seed=seed, **kwargs)
        rows = self.diff(self.base, fresh, "-a", "A2")[1]["A2"]
        return ([(row["what"], row["change"]) for row in rows if row["change"] != "same"],
                [row["what"] for row in rows if row["significant"]])

    def test_same_program_twice_has_no_finding(self):
        self.assertEqual(self.changes(LAYERS), ([], []))

    def test_one_change_is_named_alone(self):
        removed = LAYERS[:3] + LAYERS[4:]
        self.assertEqual(self.changes(removed), ([("relu2", "removed")], []))
        added = LAYERS[:3] + [("bn2", "BatchNorm2d", 0.7)] + LAYERS[3:]
        self.assertEqual(self.changes(added), ([("bn2", "added")], []))
        renamed = LAYERS[:2] + [("conv2b", "Conv2d", 3.0)] + LAYERS[3:]
        self.assertEqual(self.changes(renamed), ([("conv2 → conv2b", "renamed")], []))
        swapped = [LAYERS[0], LAYERS[2], LAYERS[1]] + LAYERS[3:]
        moved, significant = self.changes(swapped)
        self.assertEqual(len(moved), 1)
        self.assertIn(moved[0], [("conv2", "moved"), ("relu1", "moved")])
        self.assertEqual(significant, [])

    def test_another_type_at_the_same_place_is_no_rename(self):
        other = LAYERS[:1] + [("gelu1", "GELU", 0.5)] + LAYERS[2:]
        self.assertEqual(sorted(self.changes(other)[0]), [("gelu1", "added"), ("relu1", "removed")])

    def test_slower_layer_is_the_finding(self):
        slower = LAYERS[:2] + [("conv2", "Conv2d", 3.6)] + LAYERS[3:]
        fresh = self.write("slower.pb", slower, seed=3, evaluations=9)
        tables, rows = self.diff(self.base, fresh)
        self.assertTrue(tables["xsp"]["diff"])
        self.assertEqual([trace["input"] for trace in tables["xsp"]["traces"]], ["base", "new"])
        self.assertEqual(list(tables), ["xsp", "A1", "A2", "A6", "A8", "A10", "A11"])
        self.assertEqual([row["what"] for row in rows["A2"] if row["significant"]], ["conv2"])
        self.assertEqual([row["what"] for row in rows["A6"] if row["significant"]], ["Conv2d"])
        model = rows["A1"][0]
        self.assertTrue(model["significant"])
        self.assertEqual((model["n_base"], model["n_new"], model["change"]), (11, 8, "same"))
        self.assertAlmostEqual(model["difference"], model["new"] - model["base"])
        self.assertTrue(model["ci_low"] < model["difference"] < model["ci_high"], model)
        self.assertRegex(tables["xsp"]["finding"],
                         r"slower than BASE \(7\.0\d+ → 7\.[56]\d+ ms, significant\): 1 layer accounts for")
        self.assertIn("conv2 +0.", tables["xsp"]["finding"])
        text = self.check(0, "--diff", self.base, fresh).stdout.decode()
        self.assertEqual(text.splitlines()[0], tables["xsp"]["finding"])
        csv = self.check(0, "--diff", self.base, fresh, "-a", "A1", "--format", "csv").stdout.decode()
        self.assertTrue(csv.startswith("what,base,new,difference,difference_pct,ci_low,ci_high,significant,n_base,"
                                       "n_new,change,"), csv)

    def test_top_keeps_the_largest_differences_of_either_sign(self):
        fresh = self.write("both.pb", [("conv1", "Conv2d", 1.0)] + LAYERS[1:4] + [("fc", "Linear", 1.5)], seed=4)
        rows = self.diff(self.base, fresh, "-a", "A2", "--top", "2")[1]["A2"]
        self.assertEqual([row["what"] for row in rows], ["conv1", "fc"])

    def test_one_layer_in_hundreds_is_found_and_none_by_chance(self):
        layers = [("layer%d" % i, "Linear", 1.0) for i in range(200)]
        base = self.write("many.pb", layers, noise=0.02)
        fresh = self.write("many_again.pb", layers, noise=0.02, seed=5)
        tables, rows = self.diff(base, fresh, "-a", "A2")
        self.assertLessEqual(sum(row["significant"] for row in rows["A2"]), 1)
        layers[77] = ("layer77", "Linear", 1.2)
        slower = self.write("many_slower.pb", layers, noise=0.02, seed=6)
        rows = self.diff(base, slower, "-a", "A2")[1]["A2"]
        significant = [row["what"] for row in rows if row["significant"]]
        self.assertIn("layer77", significant)
        self.assertLessEqual(len(significant), 2)

    def test_too_few_evaluations_leave_it_open(self):
        fresh = self.write("few.pb", LAYERS, evaluations=2, seed=7)
        tables, rows = self.diff(self.base, fresh, "-a", "A1")
        self.assertIsNone(rows["A1"][0]["significant"])
        self.assertTrue(any("--runs" in note for note in tables["A1"]["notes"]), tables["A1"]["notes"])

    def test_models_that_do_not_match_are_listed(self):
        fresh = self.write("other.pb", LAYERS, model="Other")
        tables, rows = self.diff(self.base, fresh, "-a", "A1")
        self.assertEqual(sorted((row["what"], row["change"]) for row in rows["A1"]),
                         [("Net", "removed"), ("Other", "added")])
        notes = "\n".join(tables["A1"]["notes"])
        self.assertIn("BASE has Net [4,3]; NEW has Other [4,3]", notes)
        self.assertIn("no model in common", tables["xsp"]["finding"])

    def test_further_traces_belong_to_new(self):
        more = [self.write("new%d.pb" % i, LAYERS, seed=20 + i, evaluations=5) for i in (0, 1)]
        tables, rows = self.diff(self.base, more[0], more[1], "-a", "A1")
        self.assertEqual([trace["input"] for trace in tables["xsp"]["traces"]], ["base", "new", "new"])
        self.assertEqual(sorted(row["change"] for row in rows["A1"]), ["added", "same"])  # two recordings, two rows

    def test_other_circumstances_are_said(self):
        fresh = self.write("level.pb", LAYERS, level="model", hostname="b")
        base = self.write("host.pb", LAYERS, hostname="a")
        notes = "\n".join(self.diff(base, fresh, "-a", "A1")[0]["A1"]["notes"])
        self.assertIn("different levels", notes)
        self.assertIn("machine: BASE a; NEW b", notes)

    def test_wrong_usage(self):
        self.check(2, "--diff", self.base, error=b"compares two inputs")
        self.check(2, "--diff", "-", "-", error=b"standard input")
        self.check(2, "--diff", self.base, self.base, "-a", "A9", error=b"A1, A2, A6, A8, A10 and A11")
        self.check(2, "--diff", self.base, self.base, "--per", "trace", error=b"--per trace")
        self.check(2, "--diff", self.base, self.base, "--summary", error=b"--summary")
        self.check(2, "--diff", self.base, self.base, "--model", "No", error=b"BASE: no model No")
        self.check(3, "--diff", self.base, self.base + ".missing", error=b"No such file")

    def test_totals_without_a_model_meet_their_like_only(self):
        def of_layers(name, runs, duration):
            with open(os.path.join(self.folder.name, name), "wb") as file:
                for _ in range(runs):
                    file.write(encode(LAYER_ALONE.replace("DURATION", str(duration))))
            return file.name

        one, slower, two = of_layers("one.pb", 1, 1000000), of_layers("slower.pb", 1, 2000000), of_layers("two.pb", 2, 1000000)
        self.assertEqual([(row["base"], row["new"]) for row in self.diff(one, slower, "-a", "A2")[1]["A2"]], [(1, 2)])
        for base, fresh, why in ((one, two, "1 in BASE and 2 in NEW"), (self.base, one, "NEW has no steps"),
                                 (one, self.base, "BASE has no steps")):
            tables, rows = self.diff(base, fresh, "-a", "A2,A6")
            self.assertEqual((rows["A2"], rows["A6"]), ([], []))
            self.assertTrue(any(why in note for note in tables["A2"]["notes"]), tables["A2"]["notes"])
            self.assertNotIn("layer", tables["xsp"]["finding"])
            self.fails(4, "--diff", base, fresh, "--fail-if", "A2.latency_ms > 1.05*base", says=[why])

    def fails(self, code, *args, says=()):
        done = self.check(code, *args)
        for part in says:
            self.assertIn(part, done.stderr.decode())
        self.assertIn(b"A1 model information", done.stdout)

    def test_condition_that_holds_is_exit_1_and_the_report_is_printed(self):
        self.fails(0, self.base, "--fail-if", "A1.latency_ms > 20")
        self.fails(1, self.base, "--fail-if", "A1.latency_ms > 5",
                   says=["--fail-if 'A1.latency_ms > 5' holds: A1[Net]: latency_ms 7.0"])
        self.fails(1, self.base, "--fail-if", "A1.latency_ms > 20", "--fail-if", "A2[conv*].latency_ms >= 2.5",
                   says=["A2[conv2]: latency_ms 3.0"])

    def test_condition_over_base(self):
        slower = self.write("slower_fc.pb", LAYERS[:4] + [("fc", "Linear", 1.3)], seed=8)
        for expression in ("A2.latency_ms > 1.1*base and significant", "A2[fc].latency_ms - base > 0.2",
                           "A6[Linear].latency_ms > 1.1 * base.A6[Linear].latency_ms", "1.01*base < A1.latency_ms"):
            self.fails(1, "--diff", self.base, slower, "--fail-if", expression, says=[expression, "base"])
        for expression in ("A2.latency_ms > 1.5*base", "A1.latency_ms > 1.2*base or A2[conv1].latency_ms > 1.2*base",
                           "A1.latency_ms > 1.01*base and not significant"):
            self.fails(0, "--diff", self.base, slower, "--fail-if", expression)

    def test_condition_that_cannot_be_judged_is_exit_4(self):
        self.fails(4, self.base, "--fail-if", "A2[gone].latency_ms > 3", says=["A2 has no row [gone]"])
        self.fails(4, self.base, "--fail-if", "A2.alloc_mb > 3", says=["A2[conv1]: alloc_mb not known"])
        fresh = self.write("judged.pb", LAYERS[:3] + [("bn", "BatchNorm2d", 0.5)] + LAYERS[4:], seed=10)
        self.fails(4, "--diff", self.base, fresh, "--fail-if", "A2.latency_ms > 3*base",
                   says=["A2[bn]: latency_ms 0.", "(not in BASE)", "A2[relu2]: not in NEW"])
        self.fails(0, "--diff", self.base, fresh, "--fail-if", "A2[conv*].latency_ms > 3*base")
        few = self.write("few_again.pb", LAYERS, evaluations=2, seed=11)
        self.fails(4, "--diff", self.base, few, "--fail-if", "A1.latency_ms > 0.5*base and significant",
                   says=["significant not known"])

    def test_wrong_conditions(self):
        for expression, problem in (("A1.latency_ms > base", b"add --diff"), ("A1.latency > 3", b"nown: batch_size"),
                                    ("A99.latency_ms > 3", b"Known: A1, "), ("A1.latency_ms >", b"a value is missing"),
                                    ("3 > 2", b"names no value"), ("A1.latency_ms > 2ms", b"no units"),
                                    ("A2.latency_ms > A6.latency_ms", b"3 rows"), ("A2.name > 3", b"cannot be compared"),
                                    ("A1.latency_ms", b"neither true nor false"), ("A10 > 3", b"a column is missing")):
            self.check(2, self.base, "--fail-if", expression, error=problem)
        self.check(2, "--diff", self.base, self.base, "--fail-if", "Q1.value > 0 and significant",
                   error=b"Q1 has no significance")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)

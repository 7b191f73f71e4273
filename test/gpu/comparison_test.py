"""The comparison of XSP's tables with torch.profiler's steps, on made-up ones."""
import json
import unittest
from types import SimpleNamespace

import check_durations
import check_torch
import comparison
import kineto
import report
import trace_rules
from verdict import FAILED, NOT_SEEN, OK, CheckVerdicts, Verdicts

NAMES = ["gemm", "relu", "gemm", "softmax"]
LAYERS = [0, 1, 2, None]
DURATIONS_US = [100.0, 10.0, 80.0, 20.0]


def step_of(names=NAMES, durations=DURATIONS_US, leaves=LAYERS):
    step = kineto.Step("xsp step 0", 0, 1000, leaves=["Linear_0", "ReLU_0", "Linear_1"])
    step.kernels = [kineto.Kernel(n, 2.0 * i, d, 1.0 * i, leaf=leaf) for i, (n, d, leaf) in
                    enumerate(zip(names, durations, leaves))]
    return step


class MadeUpReference(check_torch.Reference):
    def __init__(self, steps):
        self.steps, self.stack_steps = comparison.usual_steps(steps), steps
        self.leaves = ["body.0", "body.1", "body.2"]


def tables_of(names=NAMES, layers=LAYERS, durations_us=DURATIONS_US, a11_count=None, dropped=0):
    """What xsp-report prints of such kernels."""
    ms = [us / 1000 for us in durations_us]
    columns = lambda *names: [{"name": name, "unit": ""} for name in names]
    by_layer = {}
    for layer, time in zip(layers, ms):
        count, total = by_layer.get(layer, (0, 0.0))
        by_layer[layer] = (count + 1, total + time)
    printed = {
        "xsp": {"version": "0"},
        "A8": {"columns": columns("kernel_name", "layer_index", "layer_name", "latency_ms"),
               "rows": [[n, l, None if l is None else f"body.{l}", t] for n, l, t in zip(names, layers, ms)]},
        "A10": {"columns": columns("kernel_name", "count", "latency_ms"), "rows": [[n, 1, t] for n, t in zip(names, ms)]},
        "A11": {"columns": columns("layer_index", "kernel_latency_ms", "kernel_count"),
                "rows": [[l, t, c if a11_count is None else a11_count] for l, (c, t) in by_layer.items()]},
        "A13": {"columns": columns("layer_index", "layer_latency_ms", "gpu_ms", "non_gpu_ms"), "rows": [[0, 3.0, 1.0, 2.0]]},
        "A15": {"columns": columns("kernel_latency_ms", "kernel_count"), "rows": [[sum(ms), len(names)]]},
        "Q1": {"columns": columns("quantity", "level", "value", "note"),
               "rows": [["unmatched_launch", "all", 0, ""], ["unmatched_execution", "all", 0, ""],
                        ["dropped", "all", dropped, ""], ["inverted", "all", 0, ""]]},
    }
    return report.parse(json.dumps(printed))


class Rows(unittest.TestCase):
    def setUp(self):
        self.all = Verdicts()
        self.verdicts = CheckVerdicts(self.all, "check")

    def outcomes(self):
        return [row.verdict for row in self.all.rows]

    def judge(self, tables, steps):
        reference = MadeUpReference(steps)
        check_torch.judge_kernels(self.verdicts, "net", tables, reference)
        check_torch.judge_layers(self.verdicts, "net", "eager", tables, reference)
        return self.outcomes()

    def test_equal_kernels_are_ok(self):
        self.assertEqual(self.judge(tables_of(), [step_of()]), [OK, OK, OK])

    def test_a_missing_kernel_fails_every_row(self):
        self.assertEqual(self.judge(tables_of(NAMES[:3], LAYERS[:3], DURATIONS_US[:3]), [step_of()]), [FAILED] * 3)

    def test_another_name_fails(self):
        names = ["gemm2", *NAMES[1:]]
        self.assertEqual(self.judge(tables_of(names), [step_of()])[:2], [OK, FAILED])
        self.assertIn("gemm2", self.all.rows[1].why)

    def test_mangled_and_demangled_names_are_the_same(self):
        mangled, plain = "_Z7add_onePfi", "add_one(float*, int)"
        self.assertEqual(self.judge(tables_of([mangled] * 4), [step_of([plain] * 4)])[:2], [OK, OK])

    def test_the_order_of_kernels_does_not_matter(self):
        tables = tables_of(NAMES[::-1], LAYERS[::-1], DURATIONS_US[::-1])
        self.assertEqual(self.judge(tables, [step_of()]), [OK, OK, OK])

    def test_another_layer_fails(self):
        self.assertEqual(self.judge(tables_of(layers=[1, 1, 2, None]), [step_of()]), [OK, OK, FAILED])

    def test_a_kernel_of_a_container_belongs_to_no_layer(self):
        self.assertEqual(self.judge(tables_of(layers=[0, 1, 2, 2]), [step_of()]), [OK, OK, FAILED])

    def test_layers_of_a_graph_are_compared_by_name(self):
        check_torch.judge_layers(self.verdicts, "net", "graph", tables_of(), MadeUpReference([step_of()]))
        self.assertEqual(self.outcomes(), [OK])

    def test_no_modules_are_not_seen(self):
        reference = MadeUpReference([step_of(leaves=[None] * 4)])
        check_torch.judge_layers(self.verdicts, "net", "eager", tables_of(), reference)
        self.assertEqual(self.outcomes(), [NOT_SEEN])

    def durations(self, factor):
        """Of one pair of runs, in which XSP's kernels take so many times as long as torch.profiler's."""
        pair = SimpleNamespace(tables=tables_of(durations_us=[us * factor for us in DURATIONS_US]), trace="net.pb",
                               reference=MadeUpReference([step_of()]))
        pair.ours, pair.theirs = comparison.of_model(pair.tables, "kernel_latency_ms"), pair.reference.total_ms()
        self.golden = {}
        keep = SimpleNamespace(keep_golden=lambda name, trace, answers: self.golden.update({name: answers}))
        check_durations.judge(SimpleNamespace(evidence=keep), self.verdicts, "net", "eager_resnet50", [], [pair])
        return self.outcomes()

    def test_durations_within_two_percent_are_ok(self):
        self.assertEqual(self.durations(1.019), [OK])
        self.assertAlmostEqual(self.golden["eager_resnet50"]["profiler_ms"], 0.21)

    def test_durations_beyond_two_percent_fail(self):
        self.assertEqual(self.durations(0.975), [FAILED])
        self.assertEqual(self.golden, {})

    def test_the_median_of_each_ordinal_is_summed(self):
        steps = [step_of(durations=[100, 10, 80, 20]), step_of(durations=[900, 10, 80, 20]),
                 step_of(durations=[100, 10, 80, 700])]
        self.assertEqual(comparison.step_total_us(steps), 210)

    def test_steps_with_other_kernels_are_left_out(self):
        steps = [step_of(["first", *NAMES[1:]]), step_of(), step_of()]
        self.assertEqual(len(comparison.usual_steps(steps)), 2)

    def test_identity(self):
        trace_rules.judge_identity(self.verdicts, "net", tables_of())
        trace_rules.judge_identity(self.verdicts, "net", tables_of(a11_count=2))
        self.assertEqual(self.outcomes(), [OK, FAILED])

    def test_identity_without_kernels_fails(self):
        tables = tables_of()
        tables["A10"].rows = []
        trace_rules.judge_identity(self.verdicts, "net", tables)
        self.assertEqual(self.outcomes(), [FAILED])

    def test_what_was_dropped_fails(self):
        trace_rules.judge_quality(self.verdicts, "net", tables_of())
        trace_rules.judge_quality(self.verdicts, "net", tables_of(dropped=3))
        self.assertEqual(self.outcomes(), [OK, FAILED])
        self.assertIn("dropped 3", self.all.rows[1].seen)

    def test_layers_have_to_add_up(self):
        tables = tables_of()
        trace_rules.judge_layer_sums(self.verdicts, "net", tables)
        tables["A13"].rows[0]["gpu_ms"] = 1.5
        trace_rules.judge_layer_sums(self.verdicts, "net", tables)
        self.assertEqual(self.outcomes(), [OK, FAILED])


if __name__ == "__main__":
    unittest.main()

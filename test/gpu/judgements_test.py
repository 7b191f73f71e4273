"""What checks make of traces: made-up ones, in which something is as it should be, or not."""
import sys
import tempfile
import threading
import time
import unittest
from types import SimpleNamespace
from unittest import mock

import check_give_way
import check_graphs
import check_kill
from acceptance import Acceptance
from evidence import Evidence
from report import Table
from verdict import FAILED, OK, CheckVerdicts, Verdicts

STEP_NS = 1000
USUAL = 2  # kernels of a replay
LATER_STEP = check_give_way.WARMUP + 2 * check_give_way.STEPS


def span(begin, name="Replay"):
    return SimpleNamespace(begin=begin, end=begin + 100, name=name)


class MadeUpTrace:
    """Of a program that replays a graph of two kernels, with two sessions of another profiler that hide nothing."""

    def __init__(self, version=130001):
        steps = check_give_way.WARMUP + (1 + 2 * check_give_way.SESSIONS) * check_give_way.STEPS
        self.models = [span(1, "ResNet50")] + [span((1 + i) * STEP_NS) for i in range(steps)]
        self.gaps, self.devices = [], [{"cupti_version": version}]
        self.host = SimpleNamespace(notices=[])
        self.executed = [SimpleNamespace(begin=model.begin + 200 + i, graph_node=1 + i, launch=span(model.begin + 10), capture=model,
                                         step=step)
                         for step, model in enumerate(self.models[1:]) for i in range(USUAL)]

    def outermost_models(self):
        return self.models

    def kernels(self):
        return self.executed

    def of_steps(self, first):
        return [kernel for kernel in self.executed if kernel.step >= first]


class GiveWayWithGraphs(unittest.TestCase):
    def judged(self, trace, zero_times=0):
        """Subjects of the rows that failed."""
        verdicts = Verdicts()
        quality = Table({"columns": [{"name": n} for n in ("quantity", "level", "value")], "rows": [["zero_time", "device",
                                                                                                    zero_times]]})
        acceptance = SimpleNamespace(tables=lambda path, analyses: {"Q1": quality})
        with mock.patch("check_give_way.DeviceTrace", lambda path: trace):
            check_give_way.judge_replays(acceptance, CheckVerdicts(verdicts, "it"), "trace", USUAL)
        self.rows = verdicts.rows
        return [row.subject for row in verdicts.rows if row.verdict == FAILED]

    def test_a_good_one(self):
        self.assertEqual(self.judged(MadeUpTrace()), [])
        self.assertEqual(sum(row.verdict == OK for row in self.rows), 8)

    def test_launches_left_open_have_to_be_told(self):
        trace = MadeUpTrace()
        for kernel in trace.of_steps(LATER_STEP):
            kernel.launch = None
        self.assertEqual(self.judged(trace), ["launches that are left open"])
        trace.host.notices.append("cupti: before CUDA 13.1 Update 1 …")
        self.assertEqual(self.judged(trace), [])
        trace.devices[0]["cupti_version"] = 130101
        self.assertEqual(self.judged(trace), ["launches that are left open"])

    def test_a_wrong_launch(self):
        trace = MadeUpTrace()
        for kernel in trace.of_steps(LATER_STEP):
            kernel.launch = span(kernel.launch.begin - STEP_NS)
        self.assertEqual(self.judged(trace), ["launches of the graphs' kernels"])

    def test_missing_kernels(self):
        trace = MadeUpTrace()
        trace.executed = [kernel for kernel in trace.executed if kernel.step != LATER_STEP]
        missing = ["XSP after session 1: kernels of a replay"]
        self.assertEqual(self.judged(trace), missing)
        self.assertEqual(self.judged(trace, zero_times=USUAL), [])
        self.assertEqual(self.judged(trace, zero_times=USUAL - 1), missing)
        trace.devices[0]["cupti_version"] = 130100
        self.assertEqual(self.judged(trace, zero_times=USUAL), missing)

    def test_zero_times_explain_nothing_before_the_first_session(self):
        trace = MadeUpTrace()
        trace.executed = [kernel for kernel in trace.executed if kernel.step != check_give_way.WARMUP]
        self.assertEqual(self.judged(trace, zero_times=USUAL), ["XSP before: kernels of a replay"])

    def test_zero_times_explain_only_once(self):
        zero = check_give_way.ZeroTimes({("zero_time", "device"): 3}, 24)
        steps = [USUAL] * (check_give_way.STEPS - 1)
        self.assertTrue(zero.explain([0, *steps], USUAL))
        self.assertFalse(zero.explain([0, *steps], USUAL))
        self.assertTrue(zero.explain([1, *steps], USUAL))
        self.assertFalse(check_give_way.ZeroTimes({("zero_time", "device"): 3}, 23).explain([0, *steps], USUAL))


class Kills(unittest.TestCase):
    OUTPUT = '{"pid": 7}\n{"finished": 20, "ns": 100}\n{"finished": 40, "ns": 200}\nno JSON\n{"finished": 60, "ns": 300}\n{"fini'

    def test_what_had_finished(self):
        self.assertEqual([check_kill.finished_before(self.OUTPUT, at) for at in (50, 150, 250, 1000)], [0, 20, 40, 60])

    def test_how_late_a_trace_is(self):
        self.assertEqual(check_kill.how_late(self.OUTPUT, 21, int(1e9) + 200), "the trace ends 1.00 s before the kill")
        self.assertEqual(check_kill.how_late(self.OUTPUT, 61, 0), "kernels are missing")


class Memory(unittest.TestCase):
    def test_of_a_programs_processes(self):
        memory = check_graphs.DeviceMemory()
        memory.add("12, 500\n13, 20\n99, 7000\n14, [N/A]\nNo running processes found\n", [12, 13, 14])
        self.assertEqual(memory.most_mib, 520)
        memory.add("12, 100\n", [12])
        self.assertEqual(memory.most_mib, 520)

    def test_where_nobody_says(self):
        memory = check_graphs.DeviceMemory()
        memory.add("", [12])
        self.assertIsNone(memory.most_mib)


class SideBySide(unittest.TestCase):
    def test_threads_of_a_check_have_its_limits(self):
        with tempfile.TemporaryDirectory() as folder:
            acceptance = Acceptance(folder, folder, "cpu", sys.executable, time.monotonic() + 60, print, Evidence(folder, folder))
            limits = acceptance.running.begin_check(time.monotonic() + 30)
            barrier = threading.Barrier(2)  # they do run at the same time

            def task():
                barrier.wait(10)
                return acceptance.run(f"sleep-{threading.get_ident()}", ["sleep", "30"], timeout=1).timed_out

            self.assertEqual(acceptance.running.side_by_side([task, task], 2), [True, True])
            self.assertEqual(len(limits.timed_out), 2)


if __name__ == "__main__":
    unittest.main()

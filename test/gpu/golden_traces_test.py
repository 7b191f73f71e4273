"""Golden traces of a GPU (test/data, left by scripts/gpu-acceptance): xsp-report gives what torch.profiler counted then."""
import json
import os
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path

import comparison
from executions import DeviceTrace
from report import parse

SOURCE = Path(__file__).resolve().parents[2]
REPORT = Path(os.environ.get("XSP_BUILD_DIR", SOURCE / "build")) / "analysis/xsp-report"
DATA = SOURCE / "test/data"


def golden_answers():
    """(trace, its answers) of what is there; of several processes one each."""
    for known in sorted(DATA.glob("*/golden.json")):
        for entry in json.loads(known.read_text(encoding="utf-8")).values():
            if "file" not in entry:
                continue
            answers = entry["answers"]
            several = all(isinstance(value, dict) for value in answers.values())
            for one in answers.values() if several else [answers]:
                yield known.parent / entry["file"], one


def tables(trace, analyses, options):
    done = subprocess.run([REPORT, "--analysis", ",".join(analyses), "--format", "json", *options, trace],
                          capture_output=True, text=True, check=True, timeout=60)
    return parse(done.stdout)


class Golden(unittest.TestCase):
    def test_steps(self):
        """Kernels of a step: number, names, time; A10 = A11 = A15."""
        for trace, answers in golden_answers():
            if "kernels" not in answers:
                continue
            with self.subTest(trace=trace.name, options=answers["options"]):
                found = tables(trace, ["A8", "A10", "A11", "A15"], answers["options"])
                self.assertEqual(comparison.of_model(found, "kernel_count"), answers["kernels"])
                names = sorted(comparison.demangle(name) for name in found["A8"].values("kernel_name"))
                self.assertEqual(names, answers["names"])
                latency = comparison.of_model(found, "kernel_latency_ms")
                self.assertAlmostEqual(latency, answers["kernel_latency_ms"], places=6)
                if "profiler_ms" in answers:  # the runs had the device for themselves
                    self.assertLessEqual(comparison.relative(latency, answers["profiler_ms"]), 0.02)
                self.assertTrue(comparison.identity(found)[2])

    def test_repeated_steps(self):
        """Where there is no model call to tell the steps: the trace has at least the kernels of all steps."""
        for trace, answers in golden_answers():
            if "kernels_of_a_step" not in answers:
                continue
            with self.subTest(trace=trace.name):
                found = Counter(kernel.name for kernel in DeviceTrace(trace).kernels())
                asked = Counter({name: n * answers["steps"] for name, n in Counter(answers["names"]).items()})
                self.assertFalse(asked - found)
                self.assertGreater(sum(asked.values()), 0)

    def test_traces_are_small(self):
        for trace, _ in golden_answers():
            self.assertLessEqual(trace.stat().st_size, 300_000, trace.name)


if __name__ == "__main__":
    if not list(golden_answers()):
        print("skipped: no golden trace of a GPU in test/data")
        sys.exit(77)
    unittest.main()

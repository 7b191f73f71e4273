"""What a check does to the others, and what is left behind: programs that crash, hang or print too much."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import acceptance as acceptance_module
from acceptance import Acceptance
from checks import CHECKS, Check, chosen
from command import Course, seconds
from verdict import (FAILED, OK, SKIPPED, CheckVerdicts, Verdicts, as_json, in_order, markdown)

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/gpu-acceptance"


class Courses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.verdicts = Verdicts()

    def course(self, checks, budget):
        """Row outcomes by check, with `budget` seconds of all."""
        self.acceptance = Acceptance(self.folder, self.folder, self.folder, "cpu", sys.executable,
                                     time.monotonic() + budget, lambda text: None)
        Course(self.acceptance, self.verdicts, lambda text: None).run(checks)
        return {row.check: row.verdict for row in self.verdicts.rows}

    def test_a_check_that_crashes_costs_itself(self):
        def crash(acceptance, verdicts):
            raise KeyError("A8")

        def good(acceptance, verdicts):
            verdicts.judge("it", 1, 1, True)

        outcomes = self.course([Check("crash", "", crash), Check("good", "", good)], 60)
        self.assertEqual(outcomes, {"crash": FAILED, "good": OK})
        self.assertIn("course_test.py", [r.why for r in self.verdicts.rows if r.check == "crash"][0])
        self.assertEqual(self.verdicts.exit_status(), 1)

    def test_a_program_that_hangs_is_ended_with_its_children(self):
        pids = self.folder / "pids"
        code = ("import os, subprocess, time; p = subprocess.Popen(['sleep', '1000']); "
                f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{p.pid}}'); time.sleep(1000)")

        def hang(acceptance, verdicts):
            outcome = acceptance.run("hang", [sys.executable, "-c", code], timeout=2)
            verdicts.judge("it", "an end", "none", not outcome.timed_out, outcome.why())

        begin = time.monotonic()
        self.assertEqual(self.course([Check("hang", "", hang)], 60), {"hang": FAILED})
        self.assertLess(time.monotonic() - begin, 30)
        for pid in pids.read_text().split():
            until = time.monotonic() + 10
            while self.is_running(pid) and time.monotonic() < until:
                time.sleep(0.02)
            self.assertFalse(self.is_running(pid), pid)

    @staticmethod
    def is_running(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_the_checks_that_run_alone_have_their_time(self):
        def long(acceptance, verdicts):
            outcome = acceptance.run("long", ["sleep", "1000"], timeout=1000)
            verdicts.judge("it", "an end", "none", outcome.good, "ended")

        def alone(acceptance, verdicts):
            verdicts.judge("it", 1, 1, acceptance.running.left() > 2)

        self.assertEqual(self.course([Check("long", "", long), Check("alone", "", alone, alone=True)], 20),
                         {"long": FAILED, "alone": OK})

    def test_a_bundle_with_a_check_that_skips_is_well(self):
        outcomes = self.course([Check("none", "", lambda a, v: v.skip("it", "not here"))], 60)
        self.assertEqual((outcomes, self.verdicts.exit_status()), ({"none": SKIPPED}, 0))

    def test_results_are_few_and_small(self):
        self.course([Check("much", "", lambda a, v: a.run("much", [sys.executable, "-c", "print('x' * (1 << 22))"]))], 60)
        big, small = self.folder / "big.pb", self.folder / "small.pb"
        big.write_bytes(b"x" * (acceptance_module.LARGEST_GOLDEN_BYTES + 1))
        small.write_bytes(b"x")
        self.acceptance.output = self.folder / "output"
        self.acceptance.output.mkdir()
        for path in (big, small):
            self.acceptance.keep_golden(f"of_{path.stem}", path, {"kernels": 3})
        rows = in_order(self.verdicts.rows, [check.name for check in CHECKS])
        self.acceptance.write_results(markdown(rows, [("GPU", "none")]), as_json(rows, [("GPU", "none")]))
        files = sorted(path.name for path in self.acceptance.output.iterdir())
        self.assertEqual(files, ["evidence.tar.gz", "golden.json", "of_small.pb", "verdict.json", "verdict.md"])
        golden = json.loads((self.acceptance.output / "golden.json").read_text())
        self.assertEqual(golden["of_small"], {"bytes": 1, "answers": {"kernels": 3}, "file": "of_small.pb"})
        self.assertNotIn("file", golden["of_big"])
        self.assertLess(sum(path.stat().st_size for path in self.acceptance.output.iterdir()), 1 << 20)

    def test_a_table_survives_any_text(self):
        CheckVerdicts(self.verdicts, "check").judge("a|b", "1\n2", "x" * 1000, False, "why | not")
        lines = markdown(self.verdicts.rows, []).splitlines()
        self.assertEqual(lines[-1].replace("\\|", "").count("|"), 7)
        self.assertEqual(json.loads(as_json(self.verdicts.rows, []))["verdicts"][0]["subject"], "a|b")


class CommandLine(unittest.TestCase):
    def script(self, *arguments, **environment):
        return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True,
                              env=dict(os.environ, **environment), timeout=60)

    def test_names(self):
        checks, unknown = chosen(["eager", "kill"])
        self.assertEqual([check.name for check in checks], ["eager_resnet50", "eager_transformer", "kill"])
        self.assertEqual(chosen(["nonsense"])[1], ["nonsense"])
        self.assertEqual(len({check.name for check in CHECKS}), len(CHECKS))

    def test_times(self):
        self.assertEqual([seconds(text) for text in ("8m", "90s", "30")], [480, 90, 30])

    def test_list(self):
        listed = self.script("--list")
        self.assertEqual(listed.returncode, 0)
        self.assertEqual(len(listed.stdout.splitlines()), len(CHECKS))

    def test_unknown_check(self):
        done = self.script("--only", "nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no check is called nonsense", done.stderr)

    def test_no_gpu_is_one_line(self):
        if Path("/proc/driver/nvidia/version").exists():
            self.skipTest("there is a GPU")
        with tempfile.TemporaryDirectory() as folder:
            for name in ("xsp-run", "xsp-report"):
                (Path(folder) / "bin").mkdir(exist_ok=True)
                (Path(folder) / "bin" / name).touch()
            done = self.script("--bundle", folder, "--output", f"{folder}/output")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (77, 1), done.stdout + done.stderr)
        self.assertTrue(done.stdout.startswith("no GPU here: "), done.stdout)


if __name__ == "__main__":
    unittest.main()

"""What a check does to the others, and what is left behind: programs that crash, hang or print too much."""
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

from acceptance import Acceptance
from checks import CHECKS, STAGES, Check, chosen
from command import parse, seconds
from course import Course
from evidence import LARGEST_GOLDEN_BYTES, Evidence
from results import Earlier, Results
from running import Outcome
from verdict import FAILED, OK, SKIPPED, CheckVerdicts, Verdicts, as_json, exit_status, last_line, markdown

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/gpu-acceptance"


class Courses(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.verdicts = Verdicts()

    def course(self, checks, budget, earlier=None):
        """Row outcomes by check, with `budget` seconds of all."""
        self.output = self.folder / "output"
        self.output.mkdir(exist_ok=True)
        self.acceptance = Acceptance(self.folder, self.folder, "cpu", sys.executable, time.monotonic() + budget,
                                     lambda text: None, Evidence(self.folder, self.output))
        names = [check.name for check in checks]
        self.results = Results(self.output, names, names, self.verdicts, self.acceptance, earlier)
        Course(self.acceptance, self.verdicts, self.results, lambda text: None).run(STAGES, checks)
        self.results.write_all()
        return {row.check: row.verdict for row in self.verdicts.rows}

    def written(self):
        return json.loads((self.output / "verdict.json").read_text())

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

        self.assertEqual(self.course([Check("long", "", long), Check("alone", "", alone, stage="alone")], 40),
                         {"long": FAILED, "alone": OK})
        self.assertEqual({name: progress["state"] for name, progress in self.written()["checks"].items()},
                         {"long": "cut", "alone": "done"})
        self.assertIn("the time was over for long", [row.why for row in self.verdicts.rows][0])

    def test_a_bundle_with_a_check_that_skips_is_well(self):
        outcomes = self.course([Check("none", "", lambda a, v: v.skip("it", "not here"))], 60)
        self.assertEqual((outcomes, self.verdicts.exit_status()), ({"none": SKIPPED}, 0))

    def test_results_are_few_and_small(self):
        def much(acceptance, verdicts):
            acceptance.run("much", [sys.executable, "-c", "print('x' * (1 << 22))"])
            big, small, recording = (self.folder / name for name in ("big.pb", "small.pb", "recorded.1.txt"))
            big.write_bytes(b"x" * (LARGEST_GOLDEN_BYTES + 1))
            small.write_bytes(b"x")
            recording.write_text("recording\n" * 100)
            for path in (big, small):
                acceptance.evidence.keep_golden(f"of_{path.stem}", path, {"kernels": 3})
            acceptance.evidence.keep_recording(recording)

        self.course([Check("much", "", much)], 60)
        files = sorted(path.name for path in self.output.iterdir())
        self.assertEqual(files, ["evidence.tar.gz", "recordings.tar", "verdict.json", "verdict.md"])
        with tarfile.open(self.output / "evidence.tar.gz") as archive:
            names = archive.getnames()
            golden = json.load(archive.extractfile("evidence/golden/golden.json"))
        self.assertIn("evidence/golden/of_small.pb", names)
        self.assertIn("evidence/log.txt", names)
        self.assertEqual(golden["of_small"], {"bytes": 1, "answers": {"kernels": 3}, "file": "of_small.pb"})
        self.assertNotIn("file", golden["of_big"])
        with tarfile.open(self.output / "recordings.tar") as archive:
            self.assertEqual(archive.getnames(), ["recordings/recorded.1.txt.gz"])
        self.assertLess(sum(path.stat().st_size for path in self.output.iterdir()), 1 << 20)

    def test_results_are_written_after_each_check(self):
        seen = []

        def first(acceptance, verdicts):
            verdicts.judge("it", 1, 1, True)

        def second(acceptance, verdicts):
            seen.append(self.written())
            seen.append((self.output / "evidence.tar.gz").exists())

        self.course([Check("first", "", first, stage="facts"), Check("second", "", second, stage="smoke"),
                     Check("third", "", first)], 60)
        during, evidence = seen
        self.assertEqual({name: progress["state"] for name, progress in during["checks"].items()},
                         {"first": "done", "second": "running", "third": "not reached"})
        self.assertEqual([row["check"] for row in during["verdicts"]], ["first"])
        self.assertTrue(evidence, "no evidence after the first stage")
        self.assertEqual(len(self.written()["verdicts"]), 2)

    def test_another_run_goes_on_where_one_ended(self):
        calls = []

        def good(acceptance, verdicts):
            calls.append("good")
            verdicts.judge("it", 1, 1, True)

        def slow(acceptance, verdicts):
            calls.append("slow")
            timeout = 1 if calls.count("slow") == 1 else 60
            outcome = acceptance.run("slow", ["sleep", "3"], timeout=timeout)
            verdicts.judge("it", "an end", outcome.returncode, outcome.good, outcome.why())

        def bad(acceptance, verdicts):
            calls.append("bad")
            verdicts.judge("it", 1, 2, False, "it is so")

        checks = [Check("good", "", good, stage="facts"), Check("slow", "", slow, stage="smoke"),
                  Check("bad", "", bad, stage="smoke"), Check("late", "", good, stage="alone")]
        self.course(checks[:3], 60)
        states = {name: progress["state"] for name, progress in self.written()["checks"].items()}
        self.assertEqual(states, {"good": "done", "slow": "timed out", "bad": "done"})
        earlier = Earlier(self.output)
        rest = [check for check in checks if earlier.is_to_run(check.name)]
        self.assertEqual([check.name for check in rest], ["slow", "late"])
        self.verdicts = Verdicts()
        calls[:] = ["slow"]
        self.course(rest, 60, earlier)
        self.assertEqual(calls, ["slow", "slow", "good"])
        rows = {row["check"]: row["verdict"] for row in self.written()["verdicts"]}
        self.assertEqual(rows, {"good": OK, "slow": OK, "bad": FAILED, "late": OK})
        self.assertEqual(len(self.written()["verdicts"]), 4)
        self.assertEqual({progress["state"] for progress in self.written()["checks"].values()}, {"done"})

    def test_a_run_that_comes_no_further_keeps_what_was_seen(self):
        def slow(acceptance, verdicts):
            verdicts.fact("first part", "seen")
            acceptance.run("slow", ["sleep", "30"], timeout=1)

        self.course([Check("slow", "", slow, stage="smoke")], 60)
        self.verdicts = Verdicts()
        self.course([Check("slow", "", slow, stage="smoke")], 1, Earlier(self.output))
        written = self.written()
        self.assertEqual(written["checks"]["slow"]["state"], "timed out")
        self.assertEqual([row["subject"] for row in written["verdicts"]], ["first part"])

    def test_after_two_hangs_at_kernel_level_the_others_get_less(self):
        limits = []

        def hang(acceptance, verdicts):
            acceptance.device = "cuda"
            acceptance.xsp_command = lambda trace, command, *options: command
            acceptance.running.run = lambda name, command, env, timeout, **options: (
                limits.append(timeout) or Outcome(name, command, -9, "", "", timeout, "hang" in name))
            acceptance.profile("hang-1", ["true"], "--level", "library", timeout=150)
            acceptance.profile("hang-2", ["true"], "--level", "kernel", timeout=150)
            acceptance.profile("hang-3", ["true"], timeout=150)
            acceptance.profile("hang-4", ["true"], "--level", "kernel", timeout=150)
            acceptance.profile("hang-5", ["true"], "--level", "model", timeout=150)
            acceptance.profile("hang-6", ["true"], "--level", "kernel", timeout=20)

        self.course([Check("hang", "", hang)], 60)
        self.assertEqual(limits, [150, 150, 150, 45, 150, 20])
        self.assertIn("hang-3", self.acceptance.facts["limits"])

    def test_a_skip_on_a_device_is_loud(self):
        CheckVerdicts(self.verdicts, "part").skip("it", "not here")
        self.assertEqual(exit_status(self.verdicts.rows, ["known_kernels"]), 0)
        CheckVerdicts(self.verdicts, "known_kernels").skip("it", "no nvcc")
        self.assertEqual(exit_status(self.verdicts.rows, ["known_kernels"]), 3)
        self.assertEqual(last_line(self.verdicts.rows, ["known_kernels"]), "0 ok, 0 FAILED, 2 skipped, 0 not seen (skipped, "
                         "wholly or in part: part, known_kernels; known_kernels MUST RUN HERE)")
        CheckVerdicts(self.verdicts, "kill").fail("it", "an end", "none")
        self.assertEqual(exit_status(self.verdicts.rows, ["known_kernels"]), 1)

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
        self.assertEqual([check.name for check in checks], ["kill", "kill_ahead", "eager_resnet50", "eager_transformer"])
        self.assertEqual(chosen(["nonsense"])[1], ["nonsense"])
        self.assertEqual(len({check.name for check in CHECKS}), len(CHECKS))

    def test_a_python_is_found_from_where_the_command_was_given(self):
        self.assertEqual(parse(["--python", "a/python"]).python, os.path.abspath("a/python"))
        self.assertEqual(parse(["--python", "python3"]).python, "python3")

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

    def test_every_check_has_a_stage(self):
        self.assertEqual({check.stage for check in CHECKS}, {stage.name for stage in STAGES})

    def test_nothing_to_go_on_from(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.script("--bundle", folder, "--continue", folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot go on from", done.stderr)

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

"""scripts/gpu-acceptance on the stand-in GPU (test/fake_cuda): it finds nothing wrong there, and finds what is."""
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("XSP_BUILD_DIR", SOURCE / "build"))
FAKE_CUDA = BUILD / "test/fake_cuda"
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
PROGRAM = """
import dataclasses, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import acceptance, check_graphs, check_recorder, command
if sys.argv[2]:
    acceptance.PROGRAMS = Path(sys.argv[2])
check_graphs.BURST, check_graphs.LONG = (200, 40), (200, 60)
check_recorder.RECORDINGS = [dataclasses.replace(recording, arguments=recording.arguments and (20, 20))
                             for recording in check_recorder.RECORDINGS]
check_recorder.PROGRAMS = Path(sys.argv[3])
check_recorder.READER = Path(sys.argv[3]) / "recording.py"
command.main(sys.argv[4:])
"""


NOWHERE = "/nowhere"
# In the recorder's place: a library that writes one line as the interface says.
WRITES_A_LINE = """
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <unistd.h>
extern "C" int InitializeInjection() {
  std::string path = getenv("CUPTI_RECORDER_OUTPUT");
  path.replace(path.find("%p"), 2, std::to_string(getpid()));
  FILE* file = fopen(path.c_str(), "w");
  fprintf(file, "recording variant=%s library=%s\\n", getenv("CUPTI_RECORDER"), getenv("CUPTI_RECORDER_LIBRARY"));
  fclose(file);
  return 1;
}
"""
READS_A_LINE = """
import json, sys
line = open(sys.argv[1]).read().strip().partition(" ")[2]
print(json.dumps([{"question": "What was written?", "answer": line, "evidence": "1 line"},
                  {"question": "Anything else?", "answer": "not in this recording", "evidence": ""}]))
"""


class StandIn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bundle/bin").mkdir(parents=True)
        for program in ("inject/launch/xsp-run", "analysis/xsp-report", "bound/xsp-bound"):
            (self.folder / "bundle/bin" / Path(program).name).symlink_to(BUILD / program)

    def accept(self, checks, programs="", recorder=NOWHERE, **more):
        """(exit status, rows) of these checks."""
        environment = {k: v for k, v in os.environ.items() if k not in ("CUDA_HOME", "CUDA_PATH", "LD_PRELOAD")}
        environment.update(LD_LIBRARY_PATH=f"{FAKE_CUDA}/driver:{FAKE_CUDA}/cupti:{FAKE_CUDA}", FAKE_CUDA=str(FAKE_CUDA),
                           XSP_CUPTI=f"{FAKE_CUDA}/cupti/libcupti.so.13", **more)
        output = self.folder / "output"
        done = subprocess.run([sys.executable, "-c", PROGRAM, Path(__file__).parent, str(programs), recorder, "--bundle",
                               self.folder / "bundle", "--output", output, "--only", checks], env=environment,
                              capture_output=True, text=True, timeout=300)
        self.assertTrue((output / "verdict.json").exists(), done.stdout + done.stderr)
        self.done = done
        self.written = json.loads((output / "verdict.json").read_text())
        return done.returncode, self.written["verdicts"]

    def golden(self):
        """golden.json of the evidence."""
        with tarfile.open(self.folder / "output/evidence.tar.gz") as archive:
            known = json.load(archive.extractfile("evidence/golden/golden.json"))
            self.assertLessEqual({f"evidence/golden/{entry['file']}" for entry in known.values()}, set(archive.getnames()))
            return known

    def test_an_inference_loop_agrees_with_its_profile(self):
        status, rows = self.accept("eager_resnet50", Path(__file__).parent / "stand_in")
        self.assertEqual(status, 0, self.done.stdout)
        self.assertEqual({row["verdict"] for row in rows}, {"ok"})
        self.assertEqual(len(rows), 10, self.done.stdout)
        answers = self.golden()["eager_resnet50"]["answers"]
        self.assertEqual((answers["kernels"], len(answers["names"]), "profiler_ms" in answers), (8, 8, False))

    def test_durations_are_of_runs_alone(self):
        status, rows = self.accept("durations_eager_resnet50", Path(__file__).parent / "stand_in")
        self.assertEqual((status, [row["verdict"] for row in rows]), (0, ["ok"]), self.done.stdout)
        self.assertIn("1 pairs", rows[0]["seen"])
        self.assertAlmostEqual(self.golden()["eager_resnet50"]["answers"]["profiler_ms"], 0.08, places=3)

    def test_durations_that_differ_are_measured_again(self):
        status, rows = self.accept("durations_eager_resnet50", Path(__file__).parent / "stand_in", MADE_UP_US="11")
        self.assertEqual((status, [row["verdict"] for row in rows]), (1, ["FAILED"]), self.done.stdout)
        self.assertIn("3 pairs", rows[0]["seen"])

    def test_durations_of_a_shared_device_say_nothing(self):
        status, rows = self.accept("durations_eager_resnet50", Path(__file__).parent / "stand_in", MADE_UP_COMPANY="1")
        self.assertEqual((status, [row["verdict"] for row in rows]), (0, ["not seen"]), self.done.stdout)

    def test_a_kernel_in_another_layer_is_found(self):
        status, rows = self.accept("eager_resnet50", Path(__file__).parent / "stand_in", MADE_UP_LAYER="3")
        self.assertEqual(status, 1)
        self.assertEqual([row["subject"] for row in rows if row["verdict"] == "FAILED"], ["resnet50: layers"])

    def test_bounds_are_below_what_a_model_takes(self):
        status, rows = self.accept("bounds", Path(__file__).parent / "stand_in", FAKE_CUDA_KERNELS="sm90_xmma=2us",
                                   XDG_CACHE_HOME=str(self.folder))
        self.assertEqual(status, 0, self.done.stdout)
        seen = {row["subject"]: row for row in rows}
        for model in ("resnet50", "transformer"):
            for dtype in ("f32", "f16", "bf16"):
                self.assertRegex(seen[f"{model} {dtype}: bound"]["seen"], r"0\.002 ms .*100 % of the layers")
                self.assertRegex(seen[f"{model} {dtype}: bound"]["asked"], r"<= 1\.05 x \d+\.\d+ ms")
        self.assertRegex(seen["benchmarks of cublaslt"]["seen"], r"\d+ ok")
        self.assertRegex(seen["benchmarks of cublas"]["seen"], r"\d+ ok")

    def test_a_bound_above_what_a_model_takes_is_found(self):
        status, rows = self.accept("bounds", Path(__file__).parent / "stand_in", FAKE_CUDA_KERNELS="sm90_xmma=5ms",
                                   XDG_CACHE_HOME=str(self.folder))
        self.assertEqual(status, 1, self.done.stdout)
        self.assertIn("resnet50 f32: bound", [row["subject"] for row in rows if row["verdict"] == "FAILED"])

    def test_a_back_end_whose_benchmarks_all_fail_is_found(self):
        status, rows = self.accept("bounds", Path(__file__).parent / "stand_in", FAKE_CUBLASLT_ALGORITHMS="refuse,refuse",
                                   XDG_CACHE_HOME=str(self.folder))
        self.assertEqual(status, 1, self.done.stdout)
        failed = {row["subject"]: row["seen"] for row in rows if row["verdict"] == "FAILED"}
        self.assertIn("benchmarks of cublaslt", failed)
        self.assertIn("CUBLAS_STATUS_NOT_SUPPORTED", failed["benchmarks of cublaslt"])

    @unittest.skipIf(NVCC is None, "no nvcc")
    def test_programs_of_nvcc(self):
        status, rows = self.accept("known_kernels,smoke_endings,smoke_metrics,options,endings,own_subscriber,graph_burst,long_graph,"
                                   "kill_ahead", FAKE_CUDA_KERNELS="_Z15ahead_of_devicePfi=200us")  # few enough for two cores
        self.assertEqual([r for r in rows if r["verdict"] == "FAILED"], [], self.done.stdout)
        # The stand-in has no memory for the static runtime of every toolkit: that is loud.
        skipped = [(row["check"], row["subject"]) for row in rows if row["verdict"] == "skipped"]
        self.assertEqual(status, 3 if skipped else 0)
        self.assertLessEqual(set(skipped), {("known_kernels", "static cudart")})
        self.assertEqual("MUST RUN HERE" in self.done.stdout.splitlines()[-1], bool(skipped))
        self.assertGreaterEqual(sum(r["verdict"] == "ok" for r in rows), 50)
        seen = {(row["check"], row["subject"]): row["seen"] for row in rows}
        self.assertEqual(seen["graph_burst", "burst: kernels"], "before_burst 10, node_of_burst 8000")
        self.assertEqual(seen["long_graph", "long: kernels"], "before_burst 10, node_of_burst 12000")
        self.assertGreater(int(seen["kill_ahead", "run-ahead: kernels queued"].split(" to ")[1]), 500)

    @unittest.skipIf(NVCC is None, "no nvcc")
    def test_a_recorder_that_cannot_be_built_is_one_row(self):
        folder = self.recorder("int main() { return no_such_thing; }")
        status, rows = self.accept("recorder,smoke_endings", recorder=folder)
        failed = [row for row in rows if row["verdict"] == "FAILED"]
        self.assertEqual([(row["check"], row["subject"]) for row in failed], [("recorder", "the recorder is built")])
        self.assertIn("no_such_thing", failed[0]["why"])
        self.assertEqual({row["verdict"] for row in rows if row["check"] == "smoke_endings"}, {"ok"})

    @unittest.skipIf(NVCC is None, "no nvcc")
    def test_recordings_are_read_and_kept(self):
        folder = self.recorder(WRITES_A_LINE)
        (folder / "recording.py").write_text(READS_A_LINE)
        status, rows = self.accept("recorder", recorder=folder)
        with tarfile.open(self.folder / "output/recordings.tar") as archive:
            names = archive.getnames()
        answers = {answer["recording"]: answer["answer"] for answer in self.written["answers"]}
        self.assertEqual(answers["known_kernels_shared runtime_kinds"],
                         f"variant=runtime_kinds,limit=48 library={FAKE_CUDA}/cupti/libcupti.so.13")
        self.assertIn("| What was written? | variant=limit=48 library=", (self.folder / "output/verdict.md").read_text())
        self.assertNotIn("not in this recording", self.done.stdout + (self.folder / "output/verdict.md").read_text())
        for name in ("known-kernels-shared.", "known-kernels-shared-runtime-kinds.", "graph-burst-flush-0."):
            self.assertTrue([n for n in names if n.startswith(f"recordings/{name}")], (names, self.done.stdout))
        self.assertNotIn("known_kernels_shared", " ".join(row["why"] for row in rows))

    def recorder(self, source):
        folder = self.folder / "recorder"
        folder.mkdir()
        (folder / "cupti_recorder.cc").write_text(source)
        return folder


if __name__ == "__main__":
    if not (FAKE_CUDA / "driver/libcuda.so.1").exists():
        print("skipped: the stand-in CUDA is not built")
        sys.exit(77)
    unittest.main()

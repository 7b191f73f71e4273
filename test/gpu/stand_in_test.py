"""scripts/gpu-acceptance on the stand-in GPU (test/fake_cuda): it finds nothing wrong there, and finds what is."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("XSP_BUILD_DIR", SOURCE / "build"))
FAKE_CUDA = BUILD / "test/fake_cuda"
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import acceptance, command
if sys.argv[2]:
    acceptance.PROGRAMS = Path(sys.argv[2])
command.main(sys.argv[3:])
"""


class StandIn(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bundle/bin").mkdir(parents=True)
        for program in ("inject/launch/xsp-run", "analysis/xsp-report"):
            (self.folder / "bundle/bin" / Path(program).name).symlink_to(BUILD / program)

    def accept(self, checks, programs="", **more):
        """(exit status, rows) of these checks."""
        environment = {k: v for k, v in os.environ.items() if k not in ("CUDA_HOME", "CUDA_PATH", "LD_PRELOAD")}
        environment.update(LD_LIBRARY_PATH=f"{FAKE_CUDA}/driver:{FAKE_CUDA}/cupti:{FAKE_CUDA}", FAKE_CUDA=str(FAKE_CUDA),
                           XSP_CUPTI=f"{FAKE_CUDA}/cupti/libcupti.so.13", **more)
        output = self.folder / "output"
        done = subprocess.run([sys.executable, "-c", PROGRAM, Path(__file__).parent, str(programs), "--bundle",
                               self.folder / "bundle", "--output", output, "--only", checks], env=environment,
                              capture_output=True, text=True, timeout=300)
        self.assertTrue((output / "verdict.json").exists(), done.stdout + done.stderr)
        self.done = done
        return done.returncode, json.loads((output / "verdict.json").read_text())["verdicts"]

    def test_an_inference_loop_agrees_with_its_profile(self):
        status, rows = self.accept("eager_resnet50", Path(__file__).parent / "stand_in")
        self.assertEqual(status, 0, self.done.stdout)
        self.assertEqual({row["verdict"] for row in rows}, {"ok"})
        self.assertEqual(len(rows), 11, self.done.stdout)
        golden = json.loads((self.folder / "output/golden.json").read_text())["eager_resnet50"]
        self.assertEqual((golden["answers"]["kernels"], len(golden["answers"]["names"])), (8, 8))
        self.assertTrue((self.folder / "output" / golden["file"]).exists())

    def test_a_kernel_in_another_layer_is_found(self):
        status, rows = self.accept("eager_resnet50", Path(__file__).parent / "stand_in", MADE_UP_LAYER="3")
        self.assertEqual(status, 1)
        self.assertEqual([row["subject"] for row in rows if row["verdict"] == "FAILED"], ["resnet50: layers"])

    @unittest.skipIf(NVCC is None, "no nvcc")
    def test_programs_of_nvcc(self):
        status, rows = self.accept("known_kernels,options,endings,own_subscriber")
        self.assertEqual((status, [r for r in rows if r["verdict"] == "FAILED"]), (0, []))
        self.assertGreaterEqual(sum(r["verdict"] == "ok" for r in rows), 30)


if __name__ == "__main__":
    if not (FAKE_CUDA / "driver/libcuda.so.1").exists():
        print("skipped: the stand-in CUDA is not built")
        sys.exit(77)
    unittest.main()

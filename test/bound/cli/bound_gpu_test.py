"""xsp-bound on the stand-in GPU (test/fake_cuda): bound_gpu_test.py XSP_BOUND SOURCE_ROOT FOLDER_OF_THE_STAND_INS"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

BOUND, ROOT, FAKE = [os.path.abspath(p) for p in sys.argv[1:4]]
sys.path.insert(0, ROOT + "/test/bound/support")
import onnx_bytes  # noqa: E402

GPU = "Stand-in GPU 0, sm_90, 132 multiprocessors, 80 GiB"


def product(rows=8, inner=16, columns=4):
    nodes = [onnx_bytes.node("MatMul", ["x", "w"], ["y"], "product")]
    inputs = [onnx_bytes.value("x", [rows, inner]), onnx_bytes.value("w", [inner, columns])]
    return onnx_bytes.model(nodes, inputs, [onnx_bytes.value("y", [rows, columns])])


class BoundOnGpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.database = self.folder + "/bounds.sqlite"
        self.model = self.folder + "/product.onnx"
        with open(self.model, "wb") as file:
            file.write(product())
        self.environment = dict(os.environ, LD_LIBRARY_PATH=f"{FAKE}/driver:{FAKE}", XDG_DATA_HOME=self.folder,
                                XDG_CACHE_HOME=self.folder, CUDA_HOME="/nowhere", PYTHONPATH="")

    def run_bound(self, *args, code=0, **more):
        command = [BOUND, *args, "--database", self.database, "--budget", "2"]
        done = subprocess.run(command, env={**self.environment, **more}, capture_output=True, text=True, timeout=170)
        self.assertEqual(done.returncode, code, done)
        return done

    def report(self, *args, **more):
        report = json.loads(self.run_bound(self.model, *args, "--format", "json", "-q", **more).stdout)
        names = [column["name"] for column in report["B1"]["columns"]]
        self.notes = report["B3"]["notes"]
        return [dict(zip(names, row)) for row in report["B1"]["rows"]]

    def rows(self):
        text = self.run_bound("--export-csv", "-").stdout
        return list(csv.DictReader(io.StringIO(text)))

    def ordered(self, behaviours, *args):
        """Rows of cuBLASLt by algorithm, where each behaves as told; of plain weights alone."""
        self.report("--backend", "cublaslt", *args, FAKE_CUBLASLT_ALGORITHMS=behaviours)
        return {row["implementation"].split(",")[0]: row for row in self.rows()
                if row["layout"] == "plain" and row["cache"] == "hot"}

    def test_a_product_is_bound_by_the_gpu_where_there_is_one(self):
        layer, = self.report("--library", "cublas=13", "--library", "cublaslt=13", FAKE_CUDA_KERNELS="sm90=40us")
        self.assertAlmostEqual(layer["bound_ms"], 0.04, delta=0.001)
        self.assertAlmostEqual(layer["expected_ms"], 0.04, delta=0.001)
        self.assertTrue(any(GPU in note for note in self.notes), self.notes)
        self.assertFalse(any("thread" in note for note in self.notes), self.notes)
        rows = self.rows()
        self.assertLessEqual({"cublas", "cublaslt"}, {row["backend"] for row in rows})
        self.assertEqual({(row["system"], row["isa"], row["cores"]) for row in rows}, {(GPU, "sm_90", "132")})
        self.assertEqual({row["threads"] for row in rows}, {"1"})
        self.assertEqual({row["cpu_min_ns"] for row in rows}, {""})
        self.assertIn("CUDA 13.0", rows[0]["driver"])
        self.assertIn("cold", {row["cache"] for row in rows})

    def test_a_second_run_measures_nothing(self):
        self.report("--backend", "cublas,cublaslt")
        count = len(self.rows())
        begin = time.monotonic()
        layer, = self.report("--backend", "cublas,cublaslt")
        self.assertLess(time.monotonic() - begin, 2)
        self.assertGreater(layer["bound_ms"], 0)
        self.assertEqual(len(self.rows()), count)

    def test_algorithms_that_fail_are_rows_and_all_others_are_measured(self):
        rows = self.ordered("right,wrong,refuse,abort,break,right")
        self.assertEqual([rows[f"algorithm {21 + i}"]["status"] for i in range(6)],
                         ["ok", "error", "error", "error", "error", "ok"], rows)
        self.assertIn("wrong result", rows["algorithm 22"]["message"])
        self.assertEqual(rows["algorithm 23"]["message"], "cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED")
        self.assertIn("an assertion of the algorithm failed", rows["algorithm 24"]["message"])
        self.assertIn("ended with exit code 3 while making: ", rows["algorithm 25"]["message"])

    def test_what_hangs_is_killed(self):
        rows = self.ordered("hang,right")
        self.assertEqual((rows["algorithm 21"]["status"], rows["algorithm 22"]["status"]), ("timeout", "ok"))

    def test_a_type_with_fewer_bits_is_a_problem_of_its_own(self):
        self.run_bound(self.model, "--generate", self.folder + "/todo.jsonl")
        with open(self.folder + "/todo.jsonl") as file:
            item = json.loads(file.readline())
        lines = [json.dumps(dict(item, problem=item["problem"].replace("dtype=f32", f"dtype={dtype}")))
                 for dtype in ("tf32", "f16", "bf16")]
        with open(self.folder + "/todo.jsonl", "w") as file:
            file.write("\n".join(lines) + "\n")
        self.run_bound("--run", self.folder + "/todo.jsonl", "--backend", "cublas,cublaslt")
        rows = self.rows()
        self.assertEqual({row["system"] for row in rows}, {GPU})
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertEqual({row["numerics"] for row in rows if row["dtype"] == "tf32"}, {"reduced"})
        self.assertIn("exact", {row["numerics"] for row in rows if row["dtype"] == "f16"})

    def test_times_of_a_processor_and_of_a_gpu_are_never_mixed(self):
        done = self.run_bound(self.model, "--backend", "onednn,cublaslt", code=2)
        self.assertIn("--backend names libraries of the processor (onednn) and of a GPU (cublaslt)", done.stderr)
        self.assertIn("never added", done.stderr)

    def test_processor_libraries_by_name_are_of_the_processor(self):
        self.report("--backend", "onednn,blas,onnxruntime", "--threads", "1", "--no-run")
        self.assertFalse(any("Stand-in" in note for note in self.notes), self.notes)

    def test_the_gpu_of_this_machine_by_its_name_is_measured(self):
        self.report("--backend", "cublaslt")
        with open(self.model, "wb") as file:
            file.write(product(inner=32))
        layer, = self.report("--backend", "cublaslt", "--system", "Stand-in GPU")
        self.assertGreater(layer["bound_ms"], 0)

    def test_rows_of_a_gpu_are_found_from_a_machine_without_one(self):
        layer, = self.report("--backend", "cublaslt", FAKE_CUDA_KERNELS="sm90=40us")
        there, = self.report("--no-run", "--system", GPU, LD_LIBRARY_PATH="")
        self.assertEqual(there["bound_ms"], layer["bound_ms"])

    def test_without_a_device_nothing_is_said(self):
        for environment in ({"LD_LIBRARY_PATH": ""}, {"FAKE_CUDA_DEVICES": "0"}):
            done = self.run_bound(self.model, "--no-run", "--threads", "1", **environment)
            for word in ("CUDA", "cublas", "cudnn", "GPU"):
                self.assertNotIn(word, done.stdout + done.stderr)
            named = self.run_bound(self.model, "--no-run", "-a", "B3", "--backend", "cublas", **environment)
            self.assertIn("cublas: there is no CUDA driver with a device", named.stdout + named.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])

"""What reports take for models and layers of imported profiles with known answers:
imported_roles_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT. Skipped where the files are not at hand.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
DATA = os.environ.get("XSP_SHARED_DATA", os.path.join(ROOT, "..", "shared", "data"))
if not os.path.exists(os.path.join(DATA, "kineto", "resnet50_v100_workers0_a.json.gz")):
    print(f"skipped: {DATA} is not there (XSP_SHARED_DATA names it)")
    sys.exit(77)


class ImportedRoles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def imported(self, name, *options):
        trace = os.path.join(self.folder.name, os.path.basename(name) + "".join(options).replace("/", "_") + ".pb")
        if not os.path.exists(trace):
            subprocess.run([IMPORT, os.path.join(DATA, name), "-q", "-o", trace, *options], check=True, capture_output=True)
        return trace

    def tables(self, traces, *options):
        command = [REPORT, *traces, "-q", "--format", "json", *options]
        report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        result = {}
        for name, table in report.items():
            if name in ("xsp", "verdict", "findings"):
                continue
            columns = [column["name"] for column in table["columns"]]
            result[name] = [dict(zip(columns, row)) for row in table["rows"]]
        return result

    def test_steps_of_a_training_run(self):
        trace = self.imported("kineto/resnet50_v100_workers0_a.json.gz")
        tables = self.tables([trace], "-a", "A1,A2,A8,A11,A15", "--skip", "0")
        (model,) = tables["A1"]
        self.assertEqual((model["model"], model["batch_size"], model["n"]), ("ProfilerStep", 32, 6))
        self.assertEqual(len(tables["A8"]), 1462)
        types = [layer["type"] for layer in tables["A2"]]
        self.assertEqual(types.count("aten::conv2d"), 53)
        self.assertEqual(types.count("aten::batch_norm"), 53)
        self.assertEqual(types.count("Optimizer"), 2)
        # Backward work is linked to its forward layer, so that nothing is left over.
        self.assertEqual(tables["A11"][-1]["layer_name"], "(unattached)")
        self.assertEqual(tables["A11"][-1]["kernel_count"], 0)
        self.assertEqual(sum(layer["kernel_count"] for layer in tables["A11"]), 1462)
        self.assertEqual([row["kernel_count"] for row in tables["A15"]], [1462])
        phases = {(kernel["layer_name"], kernel["phase"]) for kernel in tables["A8"]}
        self.assertIn(("conv2d 512→128 1×1 /28²", "forward"), phases)
        self.assertIn(("conv2d 512→128 1×1 /28²", "backward"), phases)
        self.assertIn(("SGD.step", "optimizer"), phases)
        self.assertIn(("bookkeeping", "backward"), phases)
        self.assertEqual([layer["name"] for layer in tables["A2"]].index("bookkeeping"), len(tables["A2"]) - 1)
        self.assertEqual({layer["n"] for layer in tables["A2"]}, {6})

    def test_one_step_by_name(self):
        trace = self.imported("kineto/resnet50_v100_workers0_a.json.gz")
        (model,) = self.tables([trace], "-a", "A15", "--model-span", "ProfilerStep#5")["A15"]
        self.assertEqual(model["n"], 1)
        self.assertEqual(round(model["kernel_latency_ms"] * 1000), 98598)

    def test_modules_of_an_inference(self):
        trace = self.imported("kineto/tl_vit_h100.json.gz")
        tables = self.tables([trace], "-a", "A1,A2,A11,A15")
        (model,) = tables["A1"]
        self.assertEqual((model["model"], model["batch_size"]), ("ViTModel", 4))
        types = [layer["type"] for layer in tables["A2"]]
        self.assertEqual((types.count("Linear"), types.count("Conv2d"), types.count("LayerNorm")), (73, 1, 25))
        self.assertEqual(types.count("aten::scaled_dot_product_attention"), 12)
        (kernels,) = tables["A15"]
        self.assertEqual(kernels["kernel_count"], 154)
        self.assertAlmostEqual(kernels["kernel_latency_ms"], 1.220926, places=6)
        self.assertEqual(tables["A11"][-1]["kernel_count"], 0)

    def test_choices_of_the_import_and_of_the_report(self):
        name = "kineto/tl_vit_h100.json.gz"
        of_import = self.tables([self.imported(name, "--layers=op")], "-a", "A2")["A2"]
        of_report = self.tables([self.imported(name)], "-a", "A2", "--layers", "op")["A2"]
        self.assertEqual(of_import, of_report)
        self.assertNotIn("Linear", [layer["type"] for layer in of_report])
        (model,) = self.tables([self.imported(name)], "-a", "A1", "--model-span", "ViTEncoder_0")["A1"]
        self.assertAlmostEqual(model["host_ms"], 7.219496, places=6)

    def test_without_a_model_everything_is_shown(self):
        (kernel,) = self.tables([self.imported("kineto/hta_triton.json.gz")], "-a", "A8")["A8"]
        self.assertEqual(kernel["layer_name"], "Torch-Compiled Region: 0/0")
        self.assertEqual(len(self.tables([self.imported("kineto/hta_simple_add.json.gz")], "-a", "A8")["A8"]), 79)

    def test_tables_are_of_the_iterations_where_no_model_is_known(self):
        tables = self.tables([self.imported("nsys/mxnet_v100_model17_b1.sqlite.gz")], "-a", "A1,A2,A15")
        (model,) = tables["A1"]
        self.assertEqual((model["model"], model["n"]), ("iteration (288 operations)", 9))
        self.assertEqual(tables["A15"][0]["kernel_count"], 288)
        self.assertEqual({layer["n"] for layer in tables["A2"]}, {9})

    def test_library_calls_as_layers(self):
        trace = self.imported("nsys/mxnet_v100_model17_b1.sqlite.gz")
        tables = self.tables([trace], "-a", "A2,A8,A11", "--per", "trace")
        layers = {layer["name"]: layer["n"] for layer in tables["A2"]}
        self.assertEqual(
            layers,
            {
                "cudnnConvolutionForward": 530,
                "cudnnAddTensor": 320,
                "cudnnPoolingForward": 20,
                "cublasSgemmStridedBatched": 10,
            },
        )
        self.assertEqual(len(tables["A8"]), 3073)
        in_cudnn = [kernel for kernel in tables["A8"] if (kernel["library_call"] or "").startswith("cudnn")]
        self.assertEqual(len(in_cudnn), 1130)
        share = sum(k["latency_ms"] for k in in_cudnn) / sum(k["latency_ms"] for k in tables["A8"])
        self.assertAlmostEqual(share, 0.778, places=3)

    def test_models_side_by_side(self):
        traces = [
            self.imported("kineto/resnet50_v100_workers0_a.json.gz"),
            self.imported("kineto/tl_vit_h100.json.gz"),
        ]
        rows = self.tables(traces, "-a", "M1", "--baseline", "ViTModel")["M1"]
        self.assertEqual([row["name"] for row in rows], ["ProfilerStep", "ViTModel"])
        self.assertEqual([row["system"] for row in rows], ["Tesla V100-DGXS-32GB", "NVIDIA H100 80GB HBM3"])
        self.assertEqual(rows[1]["model_latency_ms_x"], 1)
        self.assertGreater(rows[0]["convolution_pct"], rows[1]["convolution_pct"])

    def test_choices_that_find_nothing(self):
        trace = self.imported("kineto/hta_triton.json.gz")
        for options in (["--layers", "module"], ["--model-span", "nothing"], ["--layers", "what"]):
            done = subprocess.run([REPORT, trace, *options], capture_output=True)
            self.assertEqual(done.returncode, 2, done)
            self.assertTrue(done.stderr.startswith(b"xsp-report: error: "), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

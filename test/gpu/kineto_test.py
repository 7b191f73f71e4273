"""Reads real traces of torch.profiler (../shared/data/kineto), whose answers are known."""
import sys
import unittest
from collections import Counter
from pathlib import Path

import kineto
from comparison import agreement, step_total_us

DATA = Path(__file__).resolve().parents[3] / "shared/data/kineto"


class Vit(unittest.TestCase):
    """tl_vit_h100: one step of ViT inference with modules, Python functions and kernels."""

    @classmethod
    def setUpClass(cls):
        cls.events = kineto.load(DATA / "tl_vit_h100.json.gz")
        cls.steps = kineto.steps_of(cls.events, "ProfilerStep")

    def test_all_kernels_are_in_the_step(self):
        self.assertEqual([len(step.kernels) for step in self.steps], [154])

    def test_kernel_time(self):
        self.assertAlmostEqual(step_total_us(self.steps), 1220.926, places=3)

    def test_every_kernel_has_a_launch(self):
        self.assertEqual(sum(kernel.launch_us is None for kernel in kineto.kernels_of(self.events)), 0)

    def test_modules_by_looking_at_every_event(self):
        """The innermost module around each launch, found without any sorting."""
        modules = [(e["ts"], e["ts"] + e["dur"], e["name"], e["tid"]) for e in self.events
                   if e.get("cat") == "python_function" and e["name"].startswith("nn.Module: ")]
        for kernel in self.steps[0].kernels:
            around = [(end - begin, name) for begin, end, name, thread in modules
                      if thread == kernel.thread and begin <= kernel.launch_us < end]
            self.assertEqual(kernel.module, min(around)[1][len("nn.Module: "):] if around else None)

    def test_leaves_are_the_modules_without_modules_inside(self):
        kinds = Counter(name.rsplit("_", 1)[0] for name in self.steps[0].leaves)
        for container in ("ViTModel", "ViTEncoder", "ViTLayer", "ViTAttention"):
            self.assertNotIn(container, kinds)
        self.assertEqual((kinds["Linear"], kinds["LayerNorm"], kinds["Conv2d"]), (73, 25, 1))
        in_layers = [k for k in self.steps[0].kernels if k.leaf is not None]
        for kernel in in_layers:
            self.assertEqual(self.steps[0].leaves[kernel.leaf], kernel.module)
        self.assertGreater(len(in_layers), 100)

    def test_one_wrong_layer_in_154_is_seen(self):
        pairs = [(kernel.name, kernel.leaf) for kernel in self.steps[0].kernels]
        self.assertEqual(agreement(pairs, pairs), 1)
        wrong = [(name, layer if i else -1) for i, (name, layer) in enumerate(pairs)]
        self.assertAlmostEqual(agreement(wrong, pairs), 153 / 154)


class OtherTraces(unittest.TestCase):
    def test_steps_of_training(self):
        """Kernels of the backward pass are launched by another thread: they belong to the step by time."""
        steps = kineto.read_steps(DATA / "resnet50_v100_workers0_a.json.gz", "ProfilerStep")
        self.assertEqual(sum(len(step.kernels) == 1462 for step in steps), len(steps))

    def test_driver_launch(self):
        kernels = kineto.kernels_of(kineto.load(DATA / "hta_triton.json.gz"))
        self.assertEqual([(k.name, k.duration_us) for k in kernels], [("triton_poi_fused_add_cos_sin_0", 1.76)])
        self.assertIsNotNone(kernels[0].launch_us)

    def test_counts(self):
        self.assertEqual(len(kineto.kernels_of(kineto.load(DATA / "hta_simple_add.json.gz"))), 79)
        self.assertEqual(len(kineto.kernels_of(kineto.load(DATA / "hta_cpu_only.json.gz"))), 0)


if __name__ == "__main__":
    if not DATA.is_dir():
        print("skipped: no ../shared/data/kineto")
        sys.exit(77)
    unittest.main()

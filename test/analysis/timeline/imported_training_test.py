"""What PyTorch's profiles tell of training, models, shapes and devices stands in the report: imported_training_test.py
XSP_IMPORT XSP_REPORT. The profiles are made here, so that every number is known.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

IMPORT, REPORT = [os.path.abspath(path) for path in sys.argv[1:3]]
MAIN, ENGINE = 1, 2  # threads
MS = 1000


class Profile:
    """Events of one process; times in microseconds."""

    def __init__(self):
        self.events, self.ids, self.functions, self.correlations = [], 0, 0, 0

    def add(self, category, name, begin, end, thread=MAIN, **arguments):
        self.events.append({"ph": "X", "cat": category, "pid": 9, "tid": thread, "name": name, "ts": begin + 0.25,
                            "dur": end - begin, "args": arguments})  # fmt: skip

    def op(self, name, begin, end, thread=MAIN, **arguments):
        self.ids += 1
        self.add("cpu_op", name, begin, end, thread, **{"External id": self.ids, **arguments})

    def note(self, name, begin, end, **arguments):
        self.ids += 1
        self.add("user_annotation", name, begin, end, **{"External id": self.ids, **arguments})

    def module(self, name, begin, end):
        self.functions += 1
        self.add("python_function", f"nn.Module: {name}", begin, end, **{"Python id": self.functions})

    def kernel(self, begin, end, call, device=0):
        self.correlations += 1
        self.add("cuda_runtime", "cudaLaunchKernel", call, call + 1, correlation=self.correlations)
        self.add("kernel", "gemm", begin, end, 7, correlation=self.correlations, device=device, stream=7)

    def training_step(self, number, at, optimizer=True):
        """100 ms: input 10, forward 30 with zero_grad 5 in it, backward 20 on the engine's thread, a step 15."""
        self.note(f"ProfilerStep#{number}", at, at + 100 * MS)
        self.note("enumerate(DataLoader)#_BaseDataLoaderIter.__next__", at + 1 * MS, at + 11 * MS)
        shapes = {"Input Dims": [[8, 3, 4, 4], [5, 3, 3, 3], []], "Input type": ["float", "float", "Scalar"]}
        self.op("aten::conv2d", at + 15 * MS, at + 25 * MS, **shapes, **{"Sequence number": number, "Fwd thread id": 0})
        self.note("Optimizer.zero_grad#SGD.zero_grad", at + 30 * MS, at + 35 * MS)
        link = {"Sequence number": number, "Fwd thread id": 1}
        self.op("autograd::engine::evaluate_function: ConvolutionBackward0", at + 45 * MS, at + 55 * MS, ENGINE, **link)
        self.op("ConvolutionBackward0", at + 46 * MS, at + 54 * MS, ENGINE, **link)
        self.op("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", at + 60 * MS, at + 70 * MS, ENGINE)
        if optimizer:
            self.note("Optimizer.step#SGD.step", at + 75 * MS, at + 90 * MS)


class ImportedTraining(unittest.TestCase):
    def report(self, profile, *options, devices=None, raw=None):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "profile.json")
            document = {"traceEvents": raw if raw is not None else profile.events}
            if devices:
                document["deviceProperties"] = [{"id": i, "name": name, "computeMajor": 8, "computeMinor": 0, "numSms": 108}
                                                for i, name in enumerate(devices)]  # fmt: skip
            with open(path, "w") as file:
                json.dump(document, file)
            trace = os.path.join(folder, "trace.pb")
            done = subprocess.run([IMPORT, path, "-o", trace], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.said = done.stderr
            command = [REPORT, trace, "--skip", "0", "--top", "0", "-v", *options]
            self.text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            self.header = self.text.split("\n\n")[0]
            command += ["-a", "A1,A2,A6,A8,A12,A13,A15,D1,D4,Q1", "--format", "json"]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            report = json.loads(done.stdout)
        tables = {}
        for name, table in report.items():
            if name not in ("xsp", "verdict", "findings"):
                columns = [column["name"] for column in table.get("columns", [])]
                tables[name] = [dict(zip(columns, row)) for row in table.get("rows", [])]
        self.notes = {name: " ".join(table.get("notes", [])) for name, table in report.items()
                      if name not in ("xsp", "verdict", "findings")}
        return tables

    def test_phases_of_training_steps(self):
        profile = Profile()
        for number in range(3):
            profile.training_step(number, number * 100 * MS)
        (row,) = self.report(profile)["A1"]
        phases = [row[name] for name in ("n", "mode", "forward_ms", "backward_ms", "optimizer_ms")]
        # From 15 to 45 without zero_grad; the nested function counts once; the step and zero_grad.
        self.assertEqual(phases, [3, "training", 25, 20, 20])
        self.assertIn("zero_grad", self.notes["A1"])

    def test_steps_that_accumulate_gradients_have_no_optimizer(self):
        profile = Profile()
        for number in range(4):
            profile.training_step(number, number * 100 * MS, optimizer=number % 2 == 1)
        rows = self.report(profile)["A1"]
        self.assertEqual(sorted((row["n"], row["optimizer_ms"] is None) for row in rows), [(2, False), (2, True)])

    def test_forward_work_between_backward_work_counts(self):
        profile = Profile()
        profile.note("ProfilerStep#1", 0, 100 * MS)
        for at in (0, 40 * MS):
            profile.op("aten::linear", at + 5 * MS, at + 15 * MS, **{"Fwd thread id": 0})
            profile.op("AddmmBackward0", at + 20 * MS, at + 30 * MS, ENGINE)
        (row,) = self.report(profile)["A1"]
        self.assertEqual([row["mode"], row["forward_ms"], row["backward_ms"]], ["training", 30, 20])

    def test_steps_without_backward_work_are_inference(self):
        profile = Profile()
        for at in (0, 100 * MS):
            profile.note(f"ProfilerStep#{at}", at, at + 90 * MS)
            profile.op("aten::linear", at + 5 * MS, at + 15 * MS)
        (row,) = self.report(profile)["A1"]
        self.assertEqual([row["mode"], row["forward_ms"], row["backward_ms"]], ["inference", None, None])

    def test_a_step_without_operators_is_neither(self):
        profile = Profile()
        profile.note("ProfilerStep#1", 0, 50 * MS)
        profile.note("ProfilerStep#2", 60 * MS, 100 * MS)
        profile.op("aten::linear", 65 * MS, 70 * MS)
        modes = {(row["n"], row["mode"]) for row in self.report(profile)["A1"]}
        self.assertEqual(modes, {(1, None), (1, "inference")})

    def test_outermost_modules_that_backward_work_follows_are_training(self):
        profile = Profile()
        for number in range(3):
            at = number * 100 * MS
            profile.module("Net_0", at, at + 20 * MS)
            profile.op("aten::linear", at + 5 * MS, at + 15 * MS, **{"Sequence number": number, "Fwd thread id": 0})
            profile.op("autograd::engine::evaluate_function: AddmmBackward0", at + 30 * MS, at + 40 * MS, ENGINE,
                       **{"Sequence number": number, "Fwd thread id": 1})  # fmt: skip
            profile.note("Optimizer.step#SGD.step", at + 50 * MS, at + 60 * MS)
        (row,) = self.report(profile)["A1"]
        self.assertEqual([row["model"], row["mode"], row["n"], row["latency_ms"]], ["Net", "training", 3, 60])
        self.assertEqual(row["forward_ms"] + row["backward_ms"] + row["optimizer_ms"], 60)

    def test_shapes_are_those_of_inputs_and_said_to_be(self):
        profile = Profile()
        profile.training_step(1, 0)
        shapes = {"Input Dims": [[[2, 3], [4, 3]], [6]], "Input type": ["TensorList", "float"]}
        profile.op("aten::cat", 36 * MS, 37 * MS, **shapes)
        layers = {layer["type"]: layer["shape"] for layer in self.report(profile)["A2"]}
        self.assertEqual(layers["aten::conv2d"], "[8,3,4,4];[5,3,3,3]")
        self.assertEqual(layers["aten::cat"], "([2,3],[4,3]);[6]")
        self.assertIsNone(layers["DataLoader"])
        self.assertIn("PyTorch's profiler does not record outputs", self.notes["A2"])

    def test_a_module_has_the_shapes_of_its_first_operator(self):
        profile = Profile()
        profile.module("Net_0", 0, 50)
        profile.module("Linear_0", 10, 40)
        for name, begin, dims in [("aten::linear", 12, [[2, 8], [4, 8]]), ("aten::relu", 30, [[2, 4]])]:
            profile.op(name, begin, begin + 8, **{"Input Dims": dims, "Input type": ["float"] * len(dims)})
        profile.op("aten::addmm", 13, 18, **{"Input Dims": [[4], [2, 8]], "Input type": ["float"] * 2})
        (layer,) = self.report(profile)["A2"]
        self.assertEqual((layer["name"], layer["shape"]), ("Linear_0", "[2,8];[4,8]"))

    def test_only_devices_on_which_something_ran_are_named(self):
        profile = Profile()
        profile.note("ProfilerStep#1", 0, 100)
        profile.op("aten::linear", 5, 15)
        profile.kernel(20, 30, 7, device=2)
        (row,) = self.report(profile, devices=["NVIDIA A100"] * 8)["A1"]
        self.assertEqual(row["gpu"], "NVIDIA A100")
        self.assertIn("GPU: 1 of 8 NVIDIA A100", self.header)
        (row,) = self.report(profile, devices=["NVIDIA A100", "Tesla T4", "Tesla V100"])["A1"]
        self.assertEqual(row["gpu"], "Tesla V100")
        self.assertIn("GPU: 1 of 3: Tesla V100", self.header)

    def test_devices_on_which_nothing_ran_are_no_models(self):
        profile = Profile()
        profile.note("ProfilerStep#1", 0, 100)
        profile.op("aten::linear", 5, 15)
        (row,) = self.report(profile, devices=["NVIDIA A100"] * 2)["A1"]
        self.assertIsNone(row["gpu"])
        self.assertIn("nothing ran on them", self.header)

    def test_a_step_is_named_after_the_module_with_most_time(self):
        profile = Profile()
        for number in range(3):
            at = number * 200
            profile.note(f"ProfilerStep#{number}", at, at + 190)
            profile.module("GPT_0", at + 10, at + 110)
            profile.op("aten::linear", at + 20, at + 100)
            profile.module("LogitsProcessor_0", at + 120, at + 124)
            profile.module("CrossEntropyLoss_0", at + 130, at + 150)
        (row,) = self.report(profile)["A1"]
        self.assertEqual((row["model"], row["n"]), ("GPT", 3))
        self.assertIn("GPT 80.6 %, CrossEntropyLoss 16.1 %, LogitsProcessor 3.2 %", self.notes["A1"])

    def test_steps_of_two_models_in_turn_have_their_names(self):
        profile = Profile()
        for number in range(6):
            at = number * 100
            profile.note(f"ProfilerStep#{number}", at, at + 90)
            profile.module("Generator_0" if number % 2 else "Critic_0", at + 10, at + (80 if number % 2 else 50))
            profile.op("aten::linear", at + 20, at + 40)
        rows = self.report(profile)["A1"]
        self.assertEqual(sorted((row["model"], row["n"]) for row in rows), [("Critic", 3), ("Generator", 3)])

    def test_layers_called_one_by_one_name_no_step(self):
        profile = Profile()
        profile.note("ProfilerStep#1", 0, 100)
        for place in range(6):
            profile.module(f"Conv2d_{place}", 10 + 10 * place, 19 + 10 * place)
        self.assertEqual(self.report(profile)["A1"][0]["model"], "ProfilerStep")

    def test_a_sampler_beside_a_model_is_no_model(self):
        profile = Profile()
        for number in range(4):
            at = number * 200
            profile.module("GPT_0", at, at + 150)
            profile.op("aten::linear", at + 20, at + 100)
            profile.module("LogitsProcessor_0", at + 160, at + 163)
            profile.op("aten::argmax", at + 161, at + 162)
        tables = self.report(profile)
        self.assertEqual([(row["model"], row["n"]) for row in tables["A1"]], [("GPT", 4)])
        self.assertIn("LogitsProcessor 2.0 %", self.notes["A1"])

    def test_two_models_of_some_size_stay_two(self):
        profile = Profile()
        for number in range(4):
            at = number * 200
            profile.module("Encoder_0", at, at + 20)
            profile.module("Decoder_0", at + 30, at + 180)
            profile.op("aten::linear", at + 40, at + 100)
        self.assertEqual(len(self.report(profile)["A1"]), 2)

    def waiting_steps(self, waits, name="cudaDeviceSynchronize", **around):
        """Three steps of 90 ms; those in `waits` wait for the device from 70 to 88 ms."""
        profile = Profile()
        for number in range(3):
            at = number * 100 * MS
            profile.note(f"ProfilerStep#{number}", at, at + 90 * MS)
            profile.op("aten::linear", at + 5 * MS, at + 15 * MS)
            if number in waits:
                for function in around.get("functions", []):
                    profile.add("python_function", function, at + 69 * MS, at + 89 * MS, **{"Python id": 1})
                if around.get("operator"):
                    profile.op("aten::item", at + 69 * MS, at + 89 * MS)
                profile.add("cuda_runtime", name, at + 70 * MS, at + 88 * MS, correlation=number + 1)
        return profile

    def test_the_profilers_own_waiting_is_not_of_the_last_step(self):
        # 90, 90 and 70 ms: the interquartile range is that of 80 to 90.
        (row,) = self.report(self.waiting_steps({2}))["A1"]
        self.assertIn("the last without the profiler's own waiting at its end (20 ms)", self.notes["A1"])
        self.assertAlmostEqual(row["spread"], 10, places=6)

    def test_what_the_program_waits_for_stays_in_its_steps(self):
        for profile in (
            self.waiting_steps({0, 1, 2}),  # in every step
            self.waiting_steps({1}),  # not in the last
            self.waiting_steps({2}, operator=True),
            self.waiting_steps({2}, functions=["train.py(10): main"]),
            self.waiting_steps({2}, name="cudaStreamSynchronize"),
        ):
            (row,) = self.report(profile)["A1"]
            self.assertNotIn("own waiting", self.notes["A1"])
            self.assertEqual((row["latency_ms"], row["spread"]), (90, 0))

    def test_functions_of_the_profiler_are_none_of_the_program(self):
        self.report(self.waiting_steps({2}, functions=["torch/profiler/profiler.py(200): stop_trace"]))
        self.assertIn("own waiting", self.notes["A1"])

    def counted(self, kernels, ranges):
        """A step with two operators, a launch each; `kernels` and `ranges` are names, in order of launch."""
        profile = Profile()
        profile.note("ProfilerStep#1", 0, 1000)
        for place in range(2):
            profile.op("aten::mm", 100 + 200 * place, 200 + 200 * place)
            profile.add("cuda_runtime", "cudaLaunchKernel", 110 + 200 * place, 120 + 200 * place, correlation=place + 1)
        for place, name in enumerate(kernels):
            profile.add("kernel", name, 150 + 200 * place, 180 + 200 * place, 7, correlation=place + 1, device=0, stream=7)
        for place, name in enumerate(ranges):
            metrics = {f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum": count * (place + 1)
                       for op, count in (("fadd", 1e6), ("fmul", 2e6), ("ffma", 3e6))}  # fmt: skip
            profile.events.append({"ph": "X", "cat": "cuda_profiler_range", "name": name, "pid": 0, "tid": 0,
                                   "ts": 500 * place, "dur": 499, "args": {**metrics, "dram__bytes_read.sum": 2**20, "dram__bytes_write.sum": 2**21}})  # fmt: skip
        return profile

    def test_ranges_of_counters_are_those_of_the_kernels(self):
        rows = self.report(self.counted(["gemm", "add"], ["gemm", "add"]))["A8"]
        self.assertEqual([(row["kernel_name"], row["layer_index"], row["source"], row["latency_ms"], row["dram_read_mib"])
                          for row in rows], [("gemm", 0, "counters", 0.03, 1), ("add", 1, "counters", 0.03, 1)])  # fmt: skip
        for place, row in enumerate(rows):
            self.assertAlmostEqual(row["gflops"], 0.009 * (place + 1))

    def test_ranges_without_kernels_are_kernels_without_times(self):
        tables = self.report(self.counted([], ["gemm", "add"]))
        self.assertEqual([(row["kernel_name"], row["layer_index"], row["source"], row["latency_ms"]) for row in tables["A8"]],
                         [("gemm", 0, "counters", 0), ("add", 1, "counters", 0)])  # fmt: skip
        self.assertAlmostEqual(tables["A12"][1]["gflops"], 0.018)
        self.assertEqual([layer["gpu_ms"] for layer in tables["A2"]], [None, None])
        self.assertNotIn("no kernel runs", self.text)

    def test_ranges_that_are_not_the_kernels_are_left_out_and_said_to_be(self):
        for kernels, ranges in ((["gemm", "add"], ["gemm"]), (["gemm", "add"], ["add", "gemm"]), ([], ["gemm"] * 3)):
            rows = self.report(self.counted(kernels, ranges))["A8"]
            self.assertNotIn("counters", [row["source"] for row in rows])
            self.assertIn("whose counters are left out", self.said)

    def test_profiles_cut_anywhere_are_reported(self):
        whole = Profile()
        for number in range(4):
            whole.training_step(number, number * 100 * MS)
            whole.kernel(number * 100 * MS + 30 * MS, number * 100 * MS + 40 * MS, number * 100 * MS + 20 * MS)
        for first in range(0, len(whole.events), 5):
            for last in (len(whole.events), len(whole.events) - 7, first + 4):
                if events := whole.events[first:last]:
                    self.report(None, raw=events)

    def test_one_step_and_none(self):
        for steps in (0, 1):
            profile = Profile()
            profile.op("aten::linear", 5, 15)
            if steps:
                profile.note("ProfilerStep#3", 0, 100)
            self.assertEqual(len(self.report(profile)["A1"]), steps)

    def test_damaged_durations_are_counted_and_the_rest_is_reported(self):
        profile = Profile()
        for number in range(3):
            profile.training_step(number, number * 100 * MS)
        for event in profile.events[3::9]:
            event["dur"] = 0
        for event in profile.events[5::9]:
            event["dur"] = -event["dur"]
        negative = sum(event["dur"] < 0 for event in profile.events)
        tables = self.report(profile)
        self.assertIn(f"event with a negative duration: {negative}", self.said + str(tables["Q1"]))

    def test_coarse_clocks(self):
        for unit in (1, 1000):
            profile = Profile()
            for number in range(3):
                profile.training_step(number, number * 100 * MS)
            for event in profile.events:
                event["ts"] = int(event["ts"]) // unit * unit
                event["dur"] = int(event["dur"]) // unit * unit
            (row,) = self.report(profile)["A1"]
            self.assertEqual((row["mode"], row["n"], row["backward_ms"]), ("training", 3, 20))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

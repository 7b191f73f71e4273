"""Profiles of ONNX Runtime, TensorFlow, XLA and MXNet, imported and reported: framework_profiles_test.py XSP_IMPORT XSP_REPORT
SOURCE_ROOT. What a report makes of the seeds of the fuzzers: runs and steps as models, executed nodes as their layers, also
those on other threads, and kernels in the nodes that launched them.
"""
import json
import os
import subprocess
import sys
import tempfile

IMPORT, REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
failures = []


def report(seed):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.pb")
        subprocess.run([IMPORT, os.path.join(ROOT, "test/fuzz/seeds", seed), "-o", trace], check=True, capture_output=True)
        command = [REPORT, trace, "--analysis", "A1,A2,A8,Q1", "--skip", "0", "--top", "0", "--format", "json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rows(table, *names):
    columns = [column["name"] for column in table["columns"]]
    return [tuple(row[columns.index(name)] for name in names) for row in table["rows"]]


def check(got, expected, what):
    if got != expected:
        failures.append(f"{what}\n  expected: {expected}\n  got:      {got}")


ort = report("onnxruntime.json")
check(rows(ort["A1"], "model", "batch_size", "latency_ms"), [("model_run", 1, 0.2)], "a run of ONNX Runtime")
nodes = [("conv1", "Conv", "[1,8,16,16]"), ("split", "Split", "[1,2];[]"), ("gemm", "Gemm", None), ("other", "Relu", None)]
check(rows(ort["A2"], "name", "type", "shape"), nodes, "its nodes, one of them on another thread")

kernels = report("onnxruntime_kernels.json")
check(rows(kernels["A8"], "kernel_name", "layer_name"), [("gemm<float>", "a"), ("relu", "b")], "its kernels")

step = report("step_stats.binpb")
check(rows(step["A1"], "model"), [("Session.run",)], "a step of TensorFlow")
check(rows(step["A2"], "name", "type"), [("x", "Placeholder"), ("w", "Const"), ("dense/MatMul", "MatMul")], "its nodes")
check(rows(step["A8"], "kernel_name", "layer_name"), [("sgemm", "dense/MatMul")], "its kernel")

timeline = report("tensorflow_timeline.json")
check(rows(timeline["A8"], "kernel_name", "layer_name"), [("MatMul", "mul")], "a kernel of TensorFlow's timeline")

xla = report("xplane.binpb")
check(rows(xla["A1"], "model", "latency_ms"), [("train", 0.0009)], "a step that a program marked for XLA's profiler")
check(rows(xla["A2"], "name"), [("dense/MatMul",), ("dot.3",)], "what ran on another thread in it")
check(rows(xla["A8"], "kernel_name", "layer_name"), [("fusion", None)], "a kernel launched by the step's own thread")

mxnet = report("mxnet.json")
check(rows(mxnet["A2"], "name"), [("Convolution",), ("Activation",), ("CopyCPU2GPU",)], "operators of MXNet")

for name, tables in [("onnxruntime", ort), ("step_stats", step), ("xplane", xla)]:
    loose = [row for row in rows(tables["Q1"], "quantity", "level", "value") if row[0] == "unattached" and row[1] == "layer"]
    check(loose, [("unattached", "layer", 0)], f"{name}: every layer has its model")

NODE = ('{"cat": "Node", "pid": 1, "tid": 1, "ts": 9, "dur": 5, "ph": "X", "name": "conv_kernel_time", '
        '"args": {"op_name": "Conv", "provider": "CPUExecutionProvider"}}')
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "nodes.json")
    with open(path, "w") as file:
        file.write(f"[{NODE}]")
    loose = report(path)
check("1 node of ONNX Runtime is outside every model_run of the profile" in str(loose["A1"]["notes"]), True, "nodes without a run")
check("PyTorch" in str(loose["A2"]["notes"]), False, "PyTorch's options are none of ONNX Runtime's")

for failure in failures:
    print("FAILED " + failure)
sys.exit(1 if failures else 0)

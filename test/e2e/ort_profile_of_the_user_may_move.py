"""A program that asks ORT for a profile owns that file: it may move it as soon as it has it, and the layers are in the
trace all the same. A program that asked for none gets the answer it gets without XSP, and keeps its layers.
"""
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import branching_onnx, check_equal, ort_python, run, work_folder, xsp_run

PROGRAM = """
import os, sys
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
options.enable_profiling = sys.argv[2] == "profile"
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
inputs = session.get_inputs()
feed = {i.name: numpy.ones([d if isinstance(d, int) else 1 for d in i.shape], numpy.float32) for i in inputs}
for _ in range(3):
    session.run(None, feed)
path = session.end_profiling()
print(bool(path), session.get_session_options().enable_profiling)
if path:
    os.rename(path, "moved.json")
for _ in range(2):
    session.run(None, feed)
"""

python = ort_python()
model = branching_onnx(python)
work_folder()
for choice, profiled_runs in (("profile", 3), ("none", 5)):
    done = xsp_run(python, "-c", PROGRAM, model, choice).check_success()
    check_equal(done.stdout, run(python, "-c", PROGRAM, model, choice).stdout, f"stdout with {choice}")
    trace = done.trace
    check_equal(len(trace.of_kind(ORT_RUN)), 5, f"runs with {choice}")
    nodes = len(trace.of_kind(ORT_NODE))
    check_equal(nodes > 0 and nodes % profiled_runs == 0, True, f"layers of {profiled_runs} runs with {choice}: {nodes}")

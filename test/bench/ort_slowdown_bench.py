"""Median milliseconds of an ONNX Runtime run: ort_slowdown_bench.py MODEL [--profile]; --profile turns on ORT's own."""

import statistics
import sys
import tempfile
import time

import numpy
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
if "--profile" in sys.argv:
    options.enable_profiling = True
    options.profile_file_prefix = tempfile.mkdtemp() + "/profile"
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
feed = {session.get_inputs()[0].name: numpy.ones((1, 3, 224, 224), numpy.float32)}
times = []
for _ in range(40):
    begin = time.perf_counter_ns()
    session.run(None, feed)
    times.append((time.perf_counter_ns() - begin) / 1e6)
print(f"{min(times[5:]):.4f} {statistics.median(times[5:]):.4f}")

"""ort_loop.py MODEL RUNS: inference; prints when each run began and ended (CLOCK_MONOTONIC, ns)."""
import sys
import time

import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
model_input = session.get_inputs()[0]
shape = [1 if isinstance(size, str) else size for size in model_input.shape]
image = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
for _ in range(int(sys.argv[2])):
    begin = time.monotonic_ns()
    time.sleep(0.01)  # the image is loaded
    session.run(None, {model_input.name: image})
    print(begin, time.monotonic_ns())

"""ort_infer.py MODEL RUNS [profile]: unmodified ONNX Runtime inference; with `profile` the user's own profiling is on and
the name of its file is the last line.
"""
import hashlib
import sys

import numpy as np
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
if "profile" in sys.argv[3:]:
    options.enable_profiling = True
    options.profile_file_prefix = "user"
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
model_input = session.get_inputs()[0]
shape = [1 if isinstance(size, str) else size for size in model_input.shape]
for i in range(int(sys.argv[2])):
    image = np.random.default_rng(i).standard_normal(shape).astype(np.float32)
    outputs = session.run(None, {model_input.name: image})
    print(i, hashlib.sha256(outputs[0].tobytes()).hexdigest())
if "profile" in sys.argv[3:]:
    print(session.end_profiling())

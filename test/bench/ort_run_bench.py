"""What XSP adds to a run of ONNX Runtime's session in Python: ort_run_bench.py [RUNS], the fastest of many batches, in nanoseconds a run.

Run it plainly and under xsp-run, in turn, and take the difference: the net does next to nothing, so that the run is ONNX Runtime's own
way into it. XSP_SAMPLE chooses what is recorded; with 1/1000000 it is what a run costs that is not sampled. The first runs of a session,
which have its profile, are over before the timing begins.
"""
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

BATCHES = 400
WARM_UP = 64


def smallest_model():
    shape = [1, 3, 8, 8]
    node = helper.make_node("Identity", ["x"], ["y"])
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "y")]
    model = helper.make_model(
        helper.make_graph([node], "identity", value[:1], value[1:]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    return model.SerializeToString(), np.ones(shape, np.float32)


def nanoseconds_per_run(session, feed, runs):
    best = float("inf")
    for _ in range(BATCHES):
        begin = time.perf_counter_ns()
        for _ in range(runs):
            session.run(None, feed)
        best = min(best, (time.perf_counter_ns() - begin) / runs)
    return best


model, x = smallest_model()
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
for _ in range(WARM_UP):
    session.run(None, {"x": x})
print(round(nanoseconds_per_run(session, {"x": x}, int(sys.argv[1]) if len(sys.argv) > 1 else 50)))

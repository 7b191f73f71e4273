"""timed_inference.py torch SIZE EVALUATIONS | ort MODEL EVALUATIONS: ResNet-50 on one image again and again, timed by the
program itself. The last line is a JSON object: the nanoseconds of each call ("wall") and of the processor in it ("cpu").
"""
import json
import sys
import time
from pathlib import Path

EVALUATIONS = int(sys.argv[3])


def torch_model(size):
    import torch

    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
    from resnet50_torch import ResNet50

    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    model = ResNet50().eval()
    image = torch.randn(1, 3, size, size)
    return lambda: model(image)


def ort_model(path):
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    image = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)
    name = session.get_inputs()[0].name
    return lambda: session.run(None, {name: image})


evaluate = torch_model(int(sys.argv[2])) if sys.argv[1] == "torch" else ort_model(sys.argv[2])
wall = []
cpu = []
for _ in range(EVALUATIONS):
    busy = time.thread_time_ns()
    begin = time.perf_counter_ns()
    evaluate()
    wall.append(time.perf_counter_ns() - begin)
    cpu.append(time.thread_time_ns() - busy)
print(json.dumps({"wall": wall, "cpu": cpu}))

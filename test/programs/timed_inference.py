"""timed_inference.py torch SIZE EVALUATIONS [profile] | ort MODEL EVALUATIONS [profile]: ResNet-50 on one image again and
again, timed by the program itself. With "profile" under the framework's own profiler. The last line is a JSON object: the
nanoseconds of each call ("wall") and of the processor in it ("cpu").
"""
import contextlib
import json
import sys
import tempfile
import time
from pathlib import Path

EVALUATIONS = int(sys.argv[3])
IS_PROFILED = sys.argv[4:] == ["profile"]


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


def ort_model(path, folder):
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    if IS_PROFILED:
        options.enable_profiling = True
        options.profile_file_prefix = f"{folder}/profile"
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    image = np.random.default_rng(0).standard_normal((1, 3, 224, 224)).astype(np.float32)
    name = session.get_inputs()[0].name
    return lambda: session.run(None, {name: image})


def own_profiler():
    """Of PyTorch: ONNX Runtime's is an option of the session."""
    if not IS_PROFILED or sys.argv[1] != "torch":
        return contextlib.nullcontext()
    import torch

    return torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])


def time_calls(evaluate):
    wall = []
    cpu = []
    for _ in range(EVALUATIONS):
        busy = time.thread_time_ns()
        begin = time.perf_counter_ns()
        evaluate()
        wall.append(time.perf_counter_ns() - begin)
        cpu.append(time.thread_time_ns() - busy)
    return {"wall": wall, "cpu": cpu}


with tempfile.TemporaryDirectory() as scratch:
    model = torch_model(int(sys.argv[2])) if sys.argv[1] == "torch" else ort_model(sys.argv[2], scratch)
    with own_profiler():
        times = time_calls(model)
    del model  # ONNX Runtime writes its profile
print(json.dumps(times))

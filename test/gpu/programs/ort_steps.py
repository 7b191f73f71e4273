"""Runs of an ONNX Runtime session."""
import argparse
import json
import time

import numpy
import onnxruntime
from gpu_turn import GpuTurn

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--provider", default="CUDAExecutionProvider")
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--result", required=True)
arguments = parser.parse_args()

session = onnxruntime.InferenceSession(arguments.model, providers=[arguments.provider])
if session.get_providers()[0] != arguments.provider:
    raise SystemExit(f"{arguments.provider} cannot be used: the session has {session.get_providers()}")
feed = {session.get_inputs()[0].name: numpy.ones((1, 3, 224, 224), numpy.float32)}
for _ in range(3):
    session.run(None, feed)
steps = []
with GpuTurn():
    for _ in range(arguments.steps):
        begin = time.monotonic_ns()
        session.run(None, feed)
        steps.append((begin, time.monotonic_ns()))
with open(arguments.result, "w") as file:
    json.dump({"steps_ns": steps, "onnxruntime": onnxruntime.__version__}, file)

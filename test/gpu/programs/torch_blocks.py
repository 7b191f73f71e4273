"""Runs blocks of inference steps as stdin says and answers with one line of JSON each: `steps BATCH COUNT`, `memory`. It
says `{"ready": true}` first.
"""
import argparse
import contextlib
import json
import sys
import time

import torch
from torch.profiler import ProfilerActivity, profile
from torch_models import make

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="resnet50")
parser.add_argument("--device", default="cuda")
parser.add_argument("--profiler", action="store_true")
arguments = parser.parse_args()
cuda = arguments.device == "cuda"
inputs = {}


def synchronize():
    if cuda:
        torch.cuda.synchronize()


def step_times(batch, count):
    if batch not in inputs:
        inputs[batch] = make(arguments.model, arguments.device, batch)[1]
        for _ in range(3):
            model(inputs[batch])
    x, times = inputs[batch], []
    session = contextlib.nullcontext()
    if arguments.profiler:
        session = profile(activities=[ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if cuda else []))
    synchronize()
    with session:
        for _ in range(count):
            begin = time.perf_counter_ns()
            model(x)
            synchronize()
            times.append((time.perf_counter_ns() - begin) / 1e6)
    return times


def memory():
    found = {}
    with open("/proc/self/status") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.startswith("Rss"):
                found[name] = int(value.split()[0]) * 1024
    return found


def answer(value):
    print(json.dumps(value), flush=True)


with torch.no_grad():
    model, inputs[1] = make(arguments.model, arguments.device, 1)
    for _ in range(3):
        model(inputs[1])
    synchronize()
    answer({"ready": True})
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["steps"]:
            answer({"ms": step_times(int(words[1]), int(words[2]))})
        elif words == ["memory"]:
            answer(memory())

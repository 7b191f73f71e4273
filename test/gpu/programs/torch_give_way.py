"""Steps outside and inside of torch.profiler's sessions in turn."""
import argparse
import time

import torch
from torch.profiler import ProfilerActivity, profile, record_function
from torch_models import Replay, make

parser = argparse.ArgumentParser()
parser.add_argument("--mode", choices=["eager", "graph"], default="eager")
parser.add_argument("--device", default="cuda")
parser.add_argument("--warmup", type=int, default=3)
parser.add_argument("--steps", type=int, default=8)
parser.add_argument("--sessions", type=int, default=2)
parser.add_argument("--pause", type=float, default=1.5, help="seconds after a session, in which another profiler may come back")
parser.add_argument("--output", required=True)
arguments = parser.parse_args()
cuda = arguments.device == "cuda"


def step(model, x):
    model(x)
    if cuda:
        torch.cuda.synchronize()


with torch.no_grad():
    model, x = make("resnet50", arguments.device, 4)
    if arguments.mode == "graph":
        model = Replay(model, x)
    for _ in range(arguments.warmup + arguments.steps):
        step(model, x)
    for session in range(arguments.sessions):
        with profile(activities=[ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if cuda else [])) as profiler:
            for i in range(arguments.steps):
                with record_function(f"xsp step {i}"):
                    model(x)
                if cuda:
                    torch.cuda.synchronize()
        profiler.export_chrome_trace(f"{arguments.output}.{session}.json")
        time.sleep(arguments.pause)
        for _ in range(arguments.steps):
            step(model, x)

"""What XSP adds to a torch module call, in nanoseconds a call: run plainly and under xsp-run by scripts/bench.

Prints one line: plain call time, or with --empty-hooks the time with hooks that do nothing, which is what PyTorch itself
charges for having any.
"""

import inspect
import sys
import time

import torch
import torch.nn as nn
from torch.nn.modules import module as modules

CALLS = 200
ROUNDS = 40


def nanoseconds_per_call(model, x):
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        model(x)
        best = min(best, (time.perf_counter_ns() - begin) / CALLS)
    return best


def register_empty_hooks():
    keywords = {}
    if "always_call" in inspect.signature(modules.register_module_forward_hook).parameters:
        keywords = {"with_kwargs": True, "always_call": True}
    modules.register_module_forward_pre_hook(lambda *arguments: None)
    modules.register_module_forward_hook(lambda *arguments: None, **keywords)


if "--empty-hooks" in sys.argv:
    register_empty_hooks()
model = nn.Sequential(*[nn.Identity() for _ in range(CALLS)])
with torch.no_grad():
    print(round(nanoseconds_per_call(model, torch.ones(1))))

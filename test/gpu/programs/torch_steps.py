"""Inference steps of a model in one of the ways that PyTorch runs it; with --profile, steps under torch.profiler and the
order of the modules too. Prints nothing but a digest of the result; --result takes a JSON file.
"""
import argparse
import hashlib
import json
import os
import time

import torch
from gpu_turn import GpuTurn
from torch.profiler import ProfilerActivity, profile, record_function
from torch_models import Replay, make

parser = argparse.ArgumentParser()
parser.add_argument("--model", choices=["resnet50", "transformer"], default="resnet50")
parser.add_argument("--mode", choices=["eager", "compile", "graph"], default="eager")
parser.add_argument("--device", default="cuda")
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--warmup", type=int, default=5, help="at least 1")
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--events", action="store_true", help="time each step by two events on the stream")
parser.add_argument("--profile", help="prefix of the profiler's traces")
parser.add_argument("--whole-turn", action="store_true", help="use the device only while no other program does")
parser.add_argument("--result")
arguments = parser.parse_args()
cuda = arguments.device == "cuda"
rank = os.environ.get("RANK")
result = {"torch": torch.__version__, "cuda": torch.version.cuda, "step_ms": [], "event_ms": []}


def of_rank(path):
    return path if rank is None else f"{path}.rank{rank}"


def synchronize():
    if cuda:
        torch.cuda.synchronize()


def timed_step(model, x):
    events = cuda and arguments.events and [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    begin = time.perf_counter_ns()
    if events:
        events[0].record()
    y = model(x)
    if events:
        events[1].record()
    synchronize()
    result["step_ms"].append((time.perf_counter_ns() - begin) / 1e6)
    if events:
        result["event_ms"].append(events[0].elapsed_time(events[1]))
    return y


def profiled_steps(model, x, path, steps, with_stack):
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if cuda else [])
    with profile(activities=activities, with_stack=with_stack) as session:
        for i in range(steps):
            with record_function(f"xsp step {i}"):
                y = model(x)
            synchronize()
    session.export_chrome_trace(path)
    return y


def order_of_leaves(model, x):
    """Qualified names of the module calls that contain no module call, in order of their begin."""
    calls, open_calls = [], []
    names = {module: name for name, module in model.named_modules()}

    def begin(module, *_):
        if open_calls:
            open_calls[-1][1] = False
        call = [names[module], True]
        calls.append(call)
        open_calls.append(call)

    def end(*_):
        open_calls.pop()

    handles = []
    for module in names:
        handles += [module.register_forward_pre_hook(begin), module.register_forward_hook(end)]
    model(x)
    for handle in handles:
        handle.remove()
    return [name for name, is_leaf in calls if is_leaf]


def main():
    if rank is not None:
        torch.distributed.init_process_group("gloo")
    # Memory and kernels of the first call too: another program is measuring meanwhile.
    with torch.no_grad(), GpuTurn(arguments.whole_turn) as turn:
        result["alone"] = turn.alone
        eager, x = make(arguments.model, arguments.device, arguments.batch)
        model = eager
        if arguments.mode == "compile":
            model = torch.compile(eager)
        elif arguments.mode == "graph":
            model = Replay(eager, x) if cuda else eager
        model(x)  # compiles, loads kernels: nothing to keep others waiting for
        synchronize()
        run(eager, model, x)
    if arguments.result:
        with open(of_rank(arguments.result), "w") as file:
            json.dump(result, file)
    if rank is not None:
        torch.distributed.barrier()
        torch.distributed.destroy_process_group()


def run(eager, model, x):
    """The steps that are measured, the first call of `model` among the warm-up."""
    with GpuTurn(not arguments.whole_turn):
        for _ in range(arguments.warmup - 1):
            y = model(x)
            synchronize()
        if arguments.profile:
            y = profiled_steps(model, x, of_rank(f"{arguments.profile}.plain.json"), arguments.steps, with_stack=False)
            # Inside compiled code and graphs the profiler sees no module: what these run is attributed by the eager model.
            eager(x)
            synchronize()
            profiled_steps(eager, x, of_rank(f"{arguments.profile}.stack.json"), 2, with_stack=True)
            result["leaves"] = order_of_leaves(eager, x)
        else:
            for _ in range(arguments.steps):
                y = timed_step(model, x)
        digest = hashlib.sha256(repr(y.float().cpu().flatten().tolist()).encode()).hexdigest()  # NumPy need not be there
        print(digest if rank is None else f"rank {rank} is done", flush=True)


if __name__ == "__main__":
    main()

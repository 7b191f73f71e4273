"""What continuous recording costs a model, beside what the guest measures of itself:
continuous_cost.py BUILD CALLS SAMPLES PYTHON MODEL [SIZE]. MODEL: "resnet50" (PyTorch, images of SIZE pixels) or a file for ONNX Runtime.

Processes without XSP, and with it for each of SAMPLES (values of XSP_SAMPLE, "off": everything is recorded), take turns on one
processor, a call each, so that what else the machine does befalls all alike. Compared is the processor time of a call with that of the
call without XSP in the same turn. Of 1/N the sampled calls and the others apart, and what both make together.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "e2e"), str(ROOT / "models")]
WARM_UP = 3


def model_call(model, size):
    if model == "resnet50":
        import torch
        from resnet50_torch import ResNet50

        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        network, image = ResNet50().eval(), torch.randn(1, 3, size, size)
        return lambda: network(image)
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    first = session.get_inputs()[0]
    image = numpy.ones([1 if isinstance(n, str) else n for n in first.shape], dtype=numpy.float32)
    return lambda: session.run(None, {first.name: image})


def take_turns(model, size):
    call = model_call(model, size)
    for _ in range(WARM_UP):
        call()
    print("ready", flush=True)
    while sys.stdin.readline():
        begin = time.thread_time_ns()
        call()
        print(time.thread_time_ns() - begin, flush=True)


class Turns:
    def __init__(self, command, environment):
        self.times = []
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def take(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.times.append(int(self.process.stdout.readline()))


def line_of(sample, ratios, is_sampled):
    """`is_sampled`: of each call, as the trace has it; None where there is none."""
    quartiles = statistics.quantiles(ratios, n=4)
    text = f"{sample}: {quartiles[1]:.4f} ({quartiles[0]:.4f} to {quartiles[2]:.4f})"
    if not sample.startswith("1/"):
        return text
    if len(is_sampled) != len(ratios):
        return f"{text}; {len(is_sampled)} of {len(ratios)} calls are in the trace"
    every = int(sample[2:])
    parts = [[r for r, full in zip(ratios, is_sampled) if full == sampled] for sampled in (True, False)]
    if not all(parts):
        return text
    full, other = (statistics.median(part) for part in parts)
    return f"{text}; sampled {full:.4f}, others {other:.4f}, all {(full + (every - 1) * other) / every:.4f}"


def main():
    from support.trace_reader import ORT_RUN, TORCH_ROOT, read_trace

    build, calls, samples, python, arguments = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4], sys.argv[5:]
    folder = Path(tempfile.mkdtemp(prefix="xsp-continuous-cost-"))
    program = ["taskset", "-c", "0", python, __file__, "--turns", *arguments]
    turns = {}
    for i, sample in enumerate(["alone", "alone again", *samples]):
        recorded = [build / "inject/launch/xsp-run", "-f", "-o", folder / f"{i}.pb", "--"] if i > 1 else []
        turns[sample] = Turns([*recorded, *program], {**os.environ, "OMP_NUM_THREADS": "1", "XSP_SAMPLE": sample})
    for _ in range(calls):
        for process in turns.values():
            process.take()
    alone = turns["alone"].times
    print(f"alone: median {statistics.median(alone) / 1e6:.3f} ms, {calls} calls")
    for i, (sample, process) in enumerate(turns.items()):
        process.process.stdin.close()
        process.process.wait()
        if i == 0:
            continue
        ratios = [a / b for a, b in zip(process.times, alone)]
        if i == 1:
            print(line_of(sample, ratios, None))
            continue
        trace = read_trace(folder / f"{i}.pb")
        recorded = max(trace.processes.values(), key=lambda p: len(p.spans))
        models = [span for span in recorded.spans if span.kind in (TORCH_ROOT, ORT_RUN)]
        calls_of_turns = sorted(models, key=lambda span: span.begin)[WARM_UP:]
        print(line_of(sample, ratios, [not span.shallow for span in calls_of_turns]))
        cost, names = recorded.overhead, ("hooks_ns", "calls_ns", "threads_ns")
        shares = ", ".join(f"{name[:-3]} {100 * cost.get(name, 0) / cost['cpu_ns']:.2f} %" for name in names)
        print(f"    by itself, of the processor time: {shares}; {recorded.sampling}, {len(recorded.spans)} spans")


if sys.argv[1] == "--turns":
    take_turns(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 224)
else:
    main()

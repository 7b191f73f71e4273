#!/usr/bin/env python3
"""Whether the number of threads that E2 advises is the one that plain runs are fastest with:

    PYTHON thread_advice.py BUILD [MODEL...] [--threads 1,2] [--runs 20] [--calls 10] [--plain]

where PYTHON has torch for "mlp", "resnet50" (torchvision's, or where that is missing a net of the same layers), and
onnxruntime for FILE.onnx. A model is measured once by XSP: in PyTorch by xsp-run --concurrency measure; in ONNX Runtime by
xsp-bench --threads, and by xsp-bench --threads --inter for FILE.onnx:inter. Then plain runs, without XSP, are made of each
number of --threads, by turns, so that what else the machine does befalls all alike. A run's value is the median latency of
its calls after the warm-up. Compared are the runs of one turn: the ratio to the first number of threads is the median over
turns, with its 95 % interval by order statistics. --plain leaves XSP out.

Advice is "right" if plain runs are fastest with the advised number, "as good" if the interval of the ratio between that and
the fastest number includes 1, else "wrong"; six runs are the least that tell. A machine with other work says little: the load is printed.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WARM_UP = 3
TYPES = {"tensor(float)": "float32", "tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(double)": "float64",
         "tensor(bool)": "bool", "tensor(uint8)": "uint8"}


# The program.


def resnet50():
    import torch
    try:
        import torchvision
        return torchvision.models.resnet50(weights=None).eval(), torch.randn(1, 3, 224, 224)
    except ImportError:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))
        from resnet50_torch import ResNet50
        return ResNet50().eval(), torch.randn(1, 3, 224, 224)


def mlp():
    import torch
    sizes = (784, 2048, 2048, 512, 10)
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1]), torch.randn(32, sizes[0])


def torch_call(model):
    import torch
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    network, batch = {"resnet50": resnet50, "mlp": mlp}[model]()
    return lambda: network(batch)


def ort_call(path, threads, inter):
    import numpy
    import onnxruntime
    settings = onnxruntime.SessionOptions()
    if threads and inter:
        settings.intra_op_num_threads, settings.inter_op_num_threads = 1, threads
        settings.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
    elif threads:
        settings.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    feed = {}
    for given in session.get_inputs():
        shape = [n if isinstance(n, int) and n > 0 else 1 for n in given.shape]
        feed[given.name] = numpy.ones(shape, TYPES[given.type])
    return lambda: session.run(None, feed)


def run_program(model, calls, threads):
    """Prints the median latency in ms. `threads`: 0: as it is without any setting, but for the environment's."""
    path, _, way = model.partition(":")
    call = ort_call(path, threads, way == "inter") if path.endswith(".onnx") else torch_call(model)
    times = []
    for _ in range(WARM_UP + calls):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e3)
    print(statistics.median(times[WARM_UP:]))


# What XSP says.


def advice_of(options, model, folder):
    """E2's row of the whole run; None where there is none."""
    trace = folder / "threads"
    path, _, way = model.partition(":")
    program = [sys.executable, os.path.abspath(__file__), "--program", model, "--calls", str(options.measured_calls)]
    if path.endswith(".onnx"):
        command = [options.build / "inject/bench/xsp-bench", "--threads", *(["--inter"] if way == "inter" else []), "-o", trace,
                   "--", *program]
    else:
        trace = trace.with_suffix(".pb")
        command = [options.build / "inject/launch/xsp-run", "--concurrency", "measure", "-o", trace, "--", *program]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    report = subprocess.run([options.build / "analysis/xsp-report", trace, "-a", "E2", "--format", "json"], check=True,
                            capture_output=True, text=True)
    table = json.loads(report.stdout)["E2"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    whole = [row for row in rows if row["rule"] == "whole_run"]
    if not whole:
        print(f"{model}: E2 has no advice for the whole run: {'; '.join(table.get('notes', []))}")
    return whole[0] if whole else None


# What plain runs take.


def plain_run(options, model, threads):
    variables = {name: str(threads) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    command = [sys.executable, os.path.abspath(__file__), "--program", model, "--calls", str(options.calls), "--own", str(threads)]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{model} with {threads} threads ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return float(done.stdout.split()[-1])


def plain_runs(options, model):
    """By number of threads, a value of each turn. Every other turn goes backwards."""
    times = {threads: [] for threads in options.threads}
    for turn in range(options.runs):
        for threads in options.threads[:: 1 if turn % 2 == 0 else -1]:
            times[threads].append(plain_run(options, model, threads))
    return times


def median_with_interval(values):
    """The 95 % interval of the median by order statistics: exact for any distribution. Too few values have none."""
    ordered = sorted(values)
    count = len(ordered)
    cut, below = 0, 0.0
    while cut < count // 2:
        below += math.comb(count, cut) / 2**count
        if below > 0.025:
            break
        cut += 1
    interval = (ordered[cut - 1], ordered[count - cut]) if cut > 0 else (-math.inf, math.inf)
    return statistics.median(ordered), *interval


def ratio(times, threads, base):
    return median_with_interval([a / b for a, b in zip(times[threads], times[base])])


def with_interval(middle, low, high, digits=3):
    return f"{middle:.{digits}f}" + ("" if math.isinf(low) else f" ({low:.{digits}f} to {high:.{digits}f})")


def judge(times, advised):
    fastest = min(times, key=lambda threads: statistics.median(times[threads]))
    if advised not in times:
        return "was not run"
    if advised == fastest:
        return "right"
    _, low, high = ratio(times, advised, fastest)
    if math.isinf(low):
        return "too few runs to tell"
    return "as good" if low <= 1 <= high else "wrong"


def print_row(model, times, advice):
    first = next(iter(times))
    for threads, values in times.items():
        beside = "" if threads == first else with_interval(*ratio(times, threads, first))
        print(f"{Path(model).name:24} {threads:7} {statistics.median(values):11.3f}  {beside}", flush=True)
    if advice is None:
        return
    now, best, gain = advice["threads_now"], advice["threads_best"], advice["gain_pct"]
    # Other than `change`, it says to keep what the program has.
    advised = best if advice["verdict"] == "change" else now
    text = "" if gain is None else f", predicted gain {gain:.1f} %"
    if now in times and best in times and now != best:
        text += ", measured in % " + with_interval(*[100 * (value - 1) for value in ratio(times, now, best)], digits=1)
    print(f"{'':24} {now} -> {best}, {advice['verdict']}{text}: {judge(times, advised)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, nargs="?")
    parser.add_argument("models", nargs="*", default=["mlp", "resnet50"])
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--calls", type=int, default=10, help="of a plain run, after the warm-up")
    parser.add_argument("--measured-calls", type=int, default=60, help="of the run that XSP measures")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    parser.add_argument("--own", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.program:
        run_program(options.program, options.calls, options.own)
        return
    if options.build is None:
        parser.error("BUILD is missing")
    load = os.getloadavg()[0]
    print(f"{len(os.sched_getaffinity(0))} processors, load {load:.1f}, {options.runs} runs of {options.calls} calls each")
    print(f"{'model':24} threads  median (ms)  ratio to {options.threads[0]} (95 % interval)")
    for model in options.models:
        with tempfile.TemporaryDirectory(prefix="xsp-thread-advice-") as folder:
            advice = None if options.plain else advice_of(options, model, Path(folder))
            print_row(model, plain_runs(options, model), advice)
    print(f"load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()

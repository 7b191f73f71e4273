"""The guest's parts, each next to what it cannot be below: the record path, lookups, hooks, imports, start-up."""

import os
import statistics
import subprocess
import time

LAUNCHES = 25
IMPORTS = 5


def record_path(bench, figures, options):
    figures.section = "the guest's own paths"
    with bench.undisturbed():
        inner(bench, figures)
        lookup(bench, figures)


def inner(bench, figures):
    figures.command = "guest_bench"
    chosen = "--benchmark_filter=^(two_clock_reads|record_span|api_span)/"
    pinned = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
    times = bench.repetitions([*pinned, bench.path("test", "bench", "guest_bench"), chosen])
    least = {name: min(values) for name, values in times.items()}
    floor = least["two_clock_reads"]
    figures.add("recording a span, inside the guest", least["record_span"], "ns", f"of 9 repetitions the least; two clock reads {floor:.1f}")
    figures.at_most("recording a span / two clock reads", least["record_span"] / floor, 1.15)
    figures.at_most("a span by the C API's functions / two clock reads", least["api_span"] / floor, 1.3)


def lookup(bench, figures):
    figures.command = "lookup_bench, plainly and preloaded"
    program = bench.path("test", "bench", "lookup_bench")
    ratios = {"in_handle": [], "in_global_scope": []}
    for _ in range(9):
        plain = bench.figures_of([program])
        preloaded = bench.figures_of([program], LD_PRELOAD=bench.guest)
        for name, values in ratios.items():
            values.append(preloaded[name] / plain[name])
    figures.at_most("dlsym of another name, in a handle", statistics.median(ratios["in_handle"]), 1.2)
    figures.at_most("dlsym of another name, in the global scope", statistics.median(ratios["in_global_scope"]), 1.2)


def startup(bench, figures, options):
    figures.section = "start-up"
    figures.command = "xsp-run true; true"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}

    def milliseconds(command):
        begin = time.perf_counter()
        subprocess.run(command, **quiet)
        return (time.perf_counter() - begin) * 1000

    bench.say(f"xsp-run true, {LAUNCHES} times")
    added = []
    with bench.undisturbed():
        for _ in range(LAUNCHES):
            plain = milliseconds(["true"])
            added.append(milliseconds(bench.xsp_run("true")[0]) - plain)
    figures.at_most("xsp-run true over true", statistics.median(added), 30, "ms", f"least {min(added):.1f}")
    imports(bench, figures)


def imports(bench, figures):
    def seconds(python, **environment):
        begin = time.perf_counter()
        bench.output([python, "-c", "import torch"], **environment)
        return time.perf_counter() - begin

    figures.command = "python3 -c 'import torch', with LD_PRELOAD and without"
    for python, label in bench.torch_pythons():
        plain, preloaded = [], []
        with bench.undisturbed():
            for _ in range(IMPORTS):
                plain.append(seconds(python))
                preloaded.append(seconds(python, LD_PRELOAD=bench.guest))
        figures.at_most(f"import torch, preloaded / plain ({label})", statistics.median(preloaded) / statistics.median(plain), 1.03)


def hooks(bench, figures, options):
    figures.section = "a call of a PyTorch module"
    figures.command = "test/bench/module_hook_bench.py, plainly and under xsp-run"
    for python, label in bench.torch_pythons():
        script = [python, bench.source("test", "bench", "module_hook_bench.py")]
        plain = min(int(bench.output(script)) for _ in range(3))
        empty = min(int(bench.output([*script, "--empty-hooks"])) for _ in range(3))
        hooked = min(int(bench.output(bench.xsp_run(*script)[0])) for _ in range(3))
        figures.at_most(f"added in all ({label})", (hooked - plain) / 1000, 2, "us")
        figures.at_most(f"over hooks that do nothing ({label})", (hooked - empty) / 1000, 1, "us")

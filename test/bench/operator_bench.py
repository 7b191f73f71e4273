"""What XSP adds to PyTorch, as medians of interleaved runs of a plain program: nanoseconds to an operator (torch.add of two
small tensors) and to a module call (Identity), processor seconds to `import torch`.

  operator_bench.py [--rounds N] [--python PYTHON] XSP_RUN [OPTION...]      OPTIONs go to xsp-run
"""
import argparse
import statistics
import subprocess
import tempfile

PROGRAM = """
import time
begin = time.process_time_ns()
import torch
imported = time.process_time_ns() - begin
torch.set_num_threads(1)
a, b = torch.ones(4), torch.ones(4)
calls = range(2000)
def best(work):
    times = []
    for _ in range(60):
        begin = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - begin) / len(calls))
    return min(times)
add = torch.add
def operators():
    for _ in calls: add(a, b)
layers = torch.nn.Sequential(*[torch.nn.Identity() for _ in calls])
def modules():
    layers(a)
with torch.no_grad():
    print(imported / 1e9, best(operators), best(modules))
"""

options = argparse.ArgumentParser()
options.add_argument("--rounds", type=int, default=7)
options.add_argument("--python", default="python3")
options.add_argument("xsp_run")
options.add_argument("xsp_options", nargs=argparse.REMAINDER)
options = options.parse_args()
with tempfile.TemporaryDirectory() as folder:
    ways = {"bare": [], "xsp": [options.xsp_run, "-o", folder + "/trace.pb", "-f", *options.xsp_options, "--"]}
    results = {way: [] for way in ways}
    for _ in range(options.rounds):
        for way, prefix in ways.items():
            done = subprocess.run([*prefix, options.python, "-c", PROGRAM], capture_output=True, text=True, check=True)
            results[way].append([float(word) for word in done.stdout.split()[:3]])
bare, xsp = ([statistics.median(values) for values in zip(*results[way])] for way in ("bare", "xsp"))
print(f"import torch: {bare[0]:.3f} s, {xsp[0]:.3f} s: {100 * (xsp[0] / bare[0] - 1):+.1f} %")
print(f"an operator: {bare[1]:.0f} ns, {xsp[1]:.0f} ns: {xsp[1] - bare[1]:+.0f} ns")
print(f"a module call: {bare[2]:.0f} ns, {xsp[2]:.0f} ns: {xsp[2] - bare[2]:+.0f} ns")

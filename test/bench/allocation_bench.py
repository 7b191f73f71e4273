"""What counting PyTorch's allocations adds to a block that is made and freed (torch.empty(4)), as the median of interleaved
runs of a plain program at --level model, where operators are not recorded: nanoseconds of its CPU time.

  allocation_bench.py [--rounds N] [--python PYTHON] [--inside] XSP_RUN      --inside: in a model call, which keeps its peak
"""
import argparse
import statistics
import subprocess
import tempfile

PROGRAM = """
import sys, time, torch
torch.set_num_threads(1)
blocks = range(2000)
def best():
    times = []
    for _ in range(100):
        begin = time.process_time_ns()
        for _ in blocks: empty(4)
        times.append((time.process_time_ns() - begin) / len(blocks))
    return min(times)
empty = torch.empty
class Allocates(torch.nn.Module):
    def forward(self, x):
        print(best())
if sys.argv[1:] == ["inside"]:
    Allocates()(torch.zeros(1))
else:
    print(best())
"""

options = argparse.ArgumentParser()
options.add_argument("--rounds", type=int, default=15)
options.add_argument("--python", default="python3")
options.add_argument("--inside", action="store_true")
options.add_argument("xsp_run")
options = options.parse_args()
command = [options.python, "-c", PROGRAM] + (["inside"] if options.inside else [])
bare, xsp = [], []
with tempfile.TemporaryDirectory() as folder:
    prefix = [options.xsp_run, "--level", "model", "-o", folder + "/trace.pb", "-f", "--"]
    for _ in range(options.rounds):
        for results, way in ((bare, command), (xsp, prefix + command)):
            results.append(float(subprocess.run(way, capture_output=True, text=True, check=True).stdout))
print(f"a block made and freed: {statistics.median(bare):.0f} ns, "
      f"{statistics.median(x - b for b, x in zip(bare, xsp)):+.0f} ns, ratio {statistics.median(xsp) / statistics.median(bare):.3f}")

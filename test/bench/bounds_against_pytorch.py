#!/usr/bin/env python3
"""Benchmarks of xsp-bound beside the calls that PyTorch makes into its own oneDNN, one thread:

    PYTHON bounds_against_pytorch.py XSP_BOUND

where PYTHON has torch. A ResNet-50 in channels last runs with ONEDNN_VERBOSE, first as a network, then each convolution
again and again. A line a convolution that went to oneDNN, and the sums: the least times in the log, once inside the
network and once repeated, against the least hot and cold benchmark of each version of oneDNN that xsp-bound finds.
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

RUNS = 25  # of the network, then of each convolution

PROGRAM = r"""
import sys, torch
from torch import nn
torch.set_num_threads(1)

class Block(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.one, self.two = nn.Conv2d(inputs, width, 1, bias=False), nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.three = nn.Conv2d(width, 4 * width, 1, bias=False)
        same = stride == 1 and inputs == 4 * width
        self.beside = nn.Identity() if same else nn.Conv2d(inputs, 4 * width, 1, stride, bias=False)

    def forward(self, x):
        return self.three(self.two(self.one(x).relu()).relu()) + self.beside(x)

layers, inputs = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
    for block in range(blocks):
        layers.append(Block(inputs, width, stride if block == 0 else 1))
        inputs = 4 * width
network = nn.Sequential(*layers).eval().to(memory_format=torch.channels_last)
image = torch.randn(1, 3, 224, 224).contiguous(memory_format=torch.channels_last)
seen = {}
for module in network.modules():
    if isinstance(module, nn.Conv2d):
        module.register_forward_pre_hook(lambda module, given: seen.setdefault(module, given[0]))
with torch.inference_mode():
    for _ in range(int(sys.argv[1])):
        network(image)
    print("repeated", flush=True)
    for module, given in seen.items():
        for _ in range(int(sys.argv[1])):
            module(given)
"""

SHAPE = re.compile(r"(?:g(?P<g>\d+))?mb(?P<n>\d+)_ic(?P<c>\d+)oc(?P<k>\d+)_ih(?P<ih>\d+)oh(?P<oh>\d+)kh(?P<kh>\d+)sh(?P<sh>\d+)"
                   r"dh(?P<dh>\d+)ph(?P<ph>\d+)_iw(?P<iw>\d+)ow\d+kw(?P<kw>\d+)sw(?P<sw>\d+)dw\d+pw(?P<pw>\d+)$")


def problem_of(text):
    """The canonical text of a convolution as oneDNN logs it."""
    f = {name: int(value or 1) for name, value in SHAPE.match(text).groupdict().items()}
    return (f"conv src={f['n']}x{f['c']}x{f['ih']}x{f['iw']} wei={f['k']}x{f['c'] // f['g']}x{f['kh']}x{f['kw']} "
            f"strides={f['sh']}x{f['sw']} pads={f['ph']},{f['pw']},{f['ph']},{f['pw']} dil={f['dh'] + 1}x{f['dh'] + 1} "
            f"groups={f['g']} bias=0 post= dtype=f32")


def observed():
    """Of each problem how often the network has it, and the least ms inside the network and repeated."""
    environment = dict(os.environ, ONEDNN_VERBOSE="profile_exec", OMP_NUM_THREADS="1")
    log = subprocess.run([sys.executable, "-c", PROGRAM, str(RUNS)], env=environment, capture_output=True, text=True,
                         check=True).stdout
    counts, network, repeated = collections.Counter(), {}, {}
    into = network
    for line in log.splitlines():
        if line == "repeated":
            into = repeated
        fields = line.split(",")
        if "exec" not in fields or "convolution" not in fields:
            continue
        shape = next(field for field in fields if SHAPE.match(field))
        problem = problem_of(shape)
        counts[problem] += into is network
        into[problem] = min(into.get(problem, float("inf")), float(fields[-1]))
    return {problem: round(count / RUNS) for problem, count in counts.items()}, network, repeated


def benchmarked(program, problems, folder):
    """The least ms by version, problem and cache, exact implementations only."""
    with open(folder + "/list", "w", encoding="utf-8") as file:
        for problem in problems:
            file.write(json.dumps({"problem": problem, "model": "", "flops": 1, "bytes": 1, "of": ""}) + "\n")
    database = folder + "/bounds.sqlite"
    subprocess.run([program, "--run", folder + "/list", "--database", database, "--threads", "1", "--backend", "onednn", "-q"],
                   check=True)
    subprocess.run([program, "--export-csv", folder + "/rows", "--database", database, "-q"], check=True)
    least = {}
    with open(folder + "/rows", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["status"] != "ok" or row["numerics"] != "exact":
                continue
            key = row["library_version"], row["problem"], row["cache"]
            least[key] = min(least.get(key, float("inf")), float(row["cpu_min_ns"] or row["min_ns"]) / 1e6)
    return least


def main():
    counts, network, repeated = observed()
    with tempfile.TemporaryDirectory() as folder:
        least = benchmarked(os.path.abspath(sys.argv[1]), list(counts), folder)
    versions = sorted({version for version, _, _ in least})
    sums = collections.Counter()
    for problem, count in counts.items():
        times = {"network": network[problem], "repeated": repeated[problem]}
        for version in versions:
            for cache in ("hot", "cold"):
                times[f"{version} {cache}"] = least.get((version, problem, cache), float("nan"))
        sums.update({name: count * ms for name, ms in times.items()})
        print(f"{count} x " + ", ".join(f"{name} {ms:.3f}" for name, ms in times.items()) + "  " + problem)
    print("sums: " + ", ".join(f"{name} {ms:.2f} ms" for name, ms in sums.items()))
    for name, ms in sums.items():
        if name not in ("network", "repeated"):
            print(f"{name}: {ms / sums['repeated']:.3f} of repeated, {ms / sums['network']:.3f} of those in the network")


if __name__ == "__main__":
    main()

"""Launches one Triton kernel a known number of times."""
import argparse
import json

import torch
import triton
import triton.language as tl
from gpu_turn import GpuTurn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--result", required=True)
arguments = parser.parse_args()


@triton.jit
def add_of_triton(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


with GpuTurn():
    n = 1 << 20
    x, y = torch.rand(n, device="cuda"), torch.rand(n, device="cuda")
    z = torch.empty_like(x)
    for _ in range(arguments.steps):
        add_of_triton[(triton.cdiv(n, 1024),)](x, y, z, n, BLOCK=1024)
    torch.cuda.synchronize()
    assert torch.equal(z, x + y)
with open(arguments.result, "w") as file:
    json.dump({"kernel": "add_of_triton", "launches": arguments.steps, "triton": triton.__version__}, file)

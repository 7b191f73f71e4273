"""Work whose flops and bytes are known: `torch_counted.py --work WORK --device D --result FILE`. Nothing else that it runs
on the device adds, multiplies or moves much. FILE: what it did, and what that takes by arithmetic.
"""
import argparse
import json

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--work", choices=("gemm_fp32", "gemm_bf16", "convolution", "copy"), required=True)
parser.add_argument("--device", default="cuda")
parser.add_argument("--result", required=True)
arguments = parser.parse_args()
device = torch.device(arguments.device)
cuda = device.type == "cuda"
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
TIMES = 3


def filled(*shape, dtype=torch.float32):
    return torch.full(shape, 0.5, dtype=dtype, device=device)


def gemm(dtype):
    m, n, k = (4096, 2048, 1024) if cuda else (64, 32, 16)
    # Not every processor has it.
    dtype = dtype if cuda else torch.float32
    a, b = filled(m, k, dtype=dtype), filled(k, n, dtype=dtype)
    return (lambda: a @ b), {"flops": 2 * m * n * k}


def convolution():
    """Of 1x1: a matrix product, for which there is no algorithm with fewer multiplications."""
    batch, channels, outputs, size = (32, 256, 512, 56) if cuda else (1, 4, 8, 8)
    x, weight = filled(batch, channels, size, size), filled(outputs, channels, 1, 1)
    return (lambda: torch.nn.functional.conv2d(x, weight)), {"flops": 2 * batch * outputs * channels * size * size}


def copy():
    """By a kernel, and of more than stays in a cache: what was written and is still there is missing in the count."""
    elements = min(1 << 30, torch.cuda.get_device_properties(device).total_memory // 24) if cuda else 1 << 10
    x, y = filled(elements), filled(elements)
    return (lambda: torch.neg(x, out=y)), {"read": 4 * elements, "written": 4 * elements}


works = {"gemm_fp32": lambda: gemm(torch.float32), "gemm_bf16": lambda: gemm(torch.bfloat16),
         "convolution": convolution, "copy": copy}  # fmt: skip
work, takes = works[arguments.work]()
with torch.no_grad():
    for _ in range(TIMES):
        work()
if cuda:
    torch.cuda.synchronize()
with open(arguments.result, "w") as file:
    json.dump({"times": TIMES, **takes}, file)

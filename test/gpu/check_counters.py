"""Check: hardware counters of a matrix product, a convolution and a copy against arithmetic; that the two runs agree on their
kernels; and what the driver permits.
"""
import json
import re

from comparison import relative
from executions import read_segments

LARGEST_DIFFERENCE = 0.03
FP32 = {"fadd": 1, "fmul": 1, "ffma": 2, "fadd2": 2, "fmul2": 2, "ffma2": 4}
WORKS = {"gemm_fp32": "roofline-fp32", "gemm_bf16": "roofline-bf16", "convolution": "roofline-fp32", "copy": "roofline-fp32"}


def fp32_flops(values):
    return sum(weight * values.get(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum", 0) for op, weight in FP32.items())


def tensor_flops(values):
    return sum(value for metric, value in values.items() if re.fullmatch(r"sm__ops_path_tensor_\w*src_\w+\.sum", metric))


def dram_bytes(values, direction):
    return sum(values.get(f"dram__bytes_{which}{direction}.sum", 0) for which in ("", "op_"))


def quantities(work, takes, counted):
    """(what, asked, seen) of all kernels of a run. The fills before it write as much as they must, and compute nothing."""
    times = takes["times"]
    if work == "copy":
        kernels = [row for row in counted if dram_bytes(row.values, "read") > takes["read"] / 2]
        for direction, key in (("read", "read"), ("write", "written")):
            yield f"bytes {key}", times * takes[key], sum(dram_bytes(row.values, direction) for row in kernels)
    else:
        flops = tensor_flops if work == "gemm_bf16" else fp32_flops
        yield "flops", times * takes["flops"], sum(flops(row.values) for row in counted)


def joined_share(first, counted):
    """Of the counted kernels, how many have the name of the kernel with their ordinal in the run that was not counted."""
    by_device = {}
    for kernel in sorted(first.kernels, key=lambda k: (k.launch.begin if k.launch else k.begin, k.begin)):
        by_device.setdefault(kernel.device, []).append(kernel.name)
    found = sum(by_device.get(row.device, [])[row.ordinal : row.ordinal + 1] == [row.name] for row in counted)
    return found / len(counted)


def run(acceptance, verdicts):
    check = acceptance.run("counters-check", [acceptance.bundle / "bin/xsp-run", "--check"], timeout=60)
    rows = [line.strip() for line in check.stdout.splitlines() if line.startswith("counters ")]
    verdicts.fact("xsp-run --check", rows[0] if rows else "has no row for counters")
    for work, metrics in WORKS.items():
        name = f"counters-{work}"
        result = acceptance.work / f"{name}.json"
        command = acceptance.program("torch_counted.py", "--work", work, "--device", acceptance.device, "--result", result)
        traced, trace = acceptance.profile(name, command, "--metrics", metrics, timeout=150)
        if not traced.good or trace is None:
            verdicts.fail(f"{work}: runs under xsp-run --metrics", "exit status 0 and a trace", traced.why())
            continue
        takes = json.loads(result.read_text())
        segments = read_segments(trace)
        counted = [row for segment in segments if segment.header["counted"] for row in segment.counters]
        said = "; ".join(notice for segment in segments for notice in segment.notices if "counters" in notice)
        verdicts.fact(f"{work}: counters", said or "nothing was said of them")
        if not counted:
            verdicts.not_seen(f"{work}: counts", "within 3 % of arithmetic", said or traced.why())
            continue
        for what, asked, seen in quantities(work, takes, counted):
            verdicts.judge(f"{work}: {what}", f"{asked:.4g} +- 3 %", f"{seen:.4g}", relative(seen, asked) <= LARGEST_DIFFERENCE,
                           f"{seen / asked:.4f} of what arithmetic says, {len(counted)} kernels")
        share = joined_share(segments[0], counted)
        verdicts.judge(f"{work}: kernels of the two runs", "every counted kernel is found by its ordinal and name",
                       f"{100 * share:.1f} % of {len(counted)}", share == 1, "the runs differ, or ordinals do")

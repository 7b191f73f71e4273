"""The flops of matrix products, convolutions and attention, forward and backward, are those that PyTorch's own counter gives
for the same calls: torch_flops_test.py OPERATOR_WORK_LINES SOURCE_ROOT. The calls are those of recorded profiles, where
these are at hand, and random ones. PyTorch makes the outputs itself, on its meta device. Skipped without a PyTorch that
has the counter (scripts/setup --frameworks all).
"""
import gzip
import json
import os
import random
import subprocess
import sys

LINES, ROOT, PYTHON = (os.path.abspath(path) for path in sys.argv[1:4])
if os.environ.get("XSP_TORCH_FLOPS") is None:
    if not os.path.exists(PYTHON):
        print("skipped: no PyTorch in the build folder (scripts/setup --frameworks all)")
        sys.exit(77)
    os.environ["XSP_TORCH_FLOPS"] = "1"
    os.execv(PYTHON, [PYTHON, *sys.argv])
try:
    import torch
    from torch.utils.flop_counter import FlopCounterMode
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

FOLDER = os.path.join(os.environ.get("XSP_SHARED_DATA", ROOT + "/../shared/data"), "kineto")
TYPES = {"c10::BFloat16": "bf16", "float": "f32", "c10::Half": "f16", "double": "f64"}
TORCH_TYPES = {"bf16": torch.bfloat16, "f32": torch.float32, "f16": torch.float16, "f64": torch.float64}
# What adds a bias adds an output's elements here, which PyTorch's counter leaves out.
NAMES = ("mm", "bmm", "addmm", "baddbmm", "convolution", "convolution_backward", "_scaled_dot_product_flash_attention")


def recorded_calls():
    """Calls of known operators with what they were given: (name, element types and shapes, values)."""
    for name in ("tl_vit_h100", "hta_simple_add", "hta_sampled_rank0"):
        path = f"{FOLDER}/{name}.json.gz"
        if not os.path.exists(path):
            continue
        with gzip.open(path) as file:
            events = json.load(file)["traceEvents"]
        for event in events:
            operator = event.get("name", "").removeprefix("aten::")
            arguments = event.get("args", {})
            if event.get("cat") != "cpu_op" or operator not in NAMES or "Input Dims" not in arguments:
                continue
            values = arguments.get("Concrete Inputs", [])
            tensors = [(TYPES[type], dims) if type in TYPES and dims else None
                       for type, dims in zip(arguments["Input type"], arguments["Input Dims"])]  # fmt: skip
            if operator.startswith("convolution") and not values:
                continue  # PyTorch could not be told the strides
            yield operator, tensors, values


def random_calls(source):
    for _ in range(60):
        m, n, k, b = (source.randint(1, 40) for _ in range(4))
        yield "mm", [("f32", [m, k]), ("f32", [k, n])], []
        yield "bmm", [("f16", [b, m, k]), ("f16", [b, k, n])], []
        yield "addmm", [("f32", [n]), ("f32", [m, k]), ("f32", [k, n]), None, None], ["", "", "", "1", "1"]
        yield "baddbmm", [("f32", [b, m, n]), ("f32", [b, m, k]), ("f32", [b, k, n]), None, None], ["", "", "", "1", "1"]
        groups, spatial = source.randint(1, 3), source.randint(1, 3)
        transposed = source.random() < 0.3
        channels, filters = groups * source.randint(1, 4), groups * source.randint(1, 4)
        size, window = [source.randint(8, 14) for _ in range(spatial)], [source.randint(1, 3) for _ in range(spatial)]
        stride, pad = [source.randint(1, 3) for _ in range(spatial)], [source.randint(0, 1) for _ in range(spatial)]
        dilation = [source.randint(1, 2) for _ in range(spatial)]
        x = ("f32", [source.randint(1, 3), channels, *size])
        w = ("f32", [channels, filters // groups, *window] if transposed else [filters, channels // groups, *window])
        zeros = [0] * spatial
        values = ["", "", "", str(stride), str(pad), str(dilation), str(transposed), str(zeros), str(groups)]
        yield "convolution", [x, w, *[None] * 7], values
        mask = [True, True, False] if source.random() < 0.5 else [source.random() < 0.5, True, False]
        if groups != 1:
            continue  # PyTorch counts the gradient of the weight as if there were no groups: groups times too much
        y = torch.convolution(torch.empty(x[1], device="meta"), torch.empty(w[1], device="meta"), None, stride, pad, dilation,
                              transposed, zeros, groups)  # fmt: skip
        yield "convolution_backward", [("f32", list(y.shape)), x, w, *[None] * 8], ["", *values, str(mask)]
        q, s = ("f16", [b, 4, m, 8]), ("f16", [b, 4, k, 8])
        yield "_scaled_dot_product_flash_attention", [q, s, s, None, None, None, None], ["", "", "", "0.", "False", "False", ""]


def parsed(value):
    return json.loads(value.replace("True", "true").replace("False", "false"))


def torch_flops(operator, tensors, values):
    made = [torch.empty(t[1], dtype=TORCH_TYPES[t[0]], device="meta") if t else None for t in tensors]
    with FlopCounterMode(display=False) as counter:
        if operator.startswith("convolution"):
            is_backward = operator.endswith("backward")
            if is_backward:
                torch.ops.aten.convolution_backward(*made[:3], None, *map(parsed, values[4:11]))
            else:
                torch.ops.aten.convolution(*made[:3], *map(parsed, values[3:9]))
        elif "attention" in operator:
            torch.ops.aten._scaled_dot_product_flash_attention(*made[:3])
        else:
            getattr(torch.ops.aten, operator)(*[tensor for tensor in made if tensor is not None])
    return counter.get_total_flops()


def bias_flops(operator, tensors):
    """What PyTorch's counter leaves out."""
    if operator == "addmm":
        return tensors[1][1][0] * tensors[2][1][1]
    if operator == "baddbmm":
        return tensors[1][1][0] * tensors[1][1][1] * tensors[2][1][2]
    return 0


calls = {}
for call in [*recorded_calls(), *random_calls(random.Random(5))]:
    calls.setdefault(json.dumps(call), call)
calls = list(calls.values())
lines = []
for operator, tensors, values in calls:
    inputs = ";".join(f"{t[0]}{json.dumps(t[1], separators=(',', ':'))}" if t else "" for t in tensors)
    lines.append(f"aten::{operator}\t{inputs}\t\t{json.dumps(values) if values else ''}")
done = subprocess.run([LINES], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
failures, compared = [], {}
for (operator, tensors, values), line, answer in zip(calls, lines, done.stdout.splitlines()):
    expected = torch_flops(operator, tensors, values) + bias_flops(operator, tensors)
    if operator == "convolution" and tensors[2] is not None:  # a bias, of bf16
        expected += int(answer.split("\t")[2]) // 2
    if answer == "none" or float(answer.split("\t")[0]) != expected:
        failures.append(f"{line}: {answer}, PyTorch {expected}")
    compared[operator] = compared.get(operator, 0) + 1
print("compared:", compared)
if min(compared.get(name, 0) for name in NAMES) < 10:
    failures.append("too few calls")
sys.exit("\n".join(failures[:20]) if failures else 0)

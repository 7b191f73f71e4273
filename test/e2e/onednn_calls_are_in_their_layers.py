"""The calls of oneDNN inside TensorFlow and MXNet are those that oneDNN itself prints (ONEDNN_VERBOSE), and each lies inside the layer
that makes it, on its thread.
"""
import os
from collections import Counter

from support.trace_reader import LIBRARY_CALL, OPERATOR
from support.xsp_e2e import PROGRAMS, check, check_equal, clean_environment, framework_python, work_folder, xsp_run

MXNET = os.environ.get("XSP_TEST_FOLDER") == "mxnet"
# What a layer of this type calls; what else it may call, reorders, converts its arguments.
CALLS = {"Convolution": "convolution", "Activation": "eltwise", "BatchNorm": "batch_normalization", "FullyConnected": "inner_product",
         "_MklNativeFusedConv2D": "convolution", "_MklNativeFusedMatMul": "inner_product"}  # fmt: skip

python = framework_python("mxnet", "MXNet 1.9", "mxnet") if MXNET else framework_python("tensorflow", "newest TensorFlow", "tensorflow")
work_folder()
command = ["mxnet_calls.py", "names"] if MXNET else ["tensorflow_calls.py", "function"]
env = clean_environment(ONEDNN_VERBOSE="1", DNNL_VERBOSE="1", TF_ENABLE_ONEDNN_OPTS="1")
recorded = xsp_run(python, PROGRAMS / command[0], *command[1:], env=env).check_success()
# "onednn_verbose,v1,primitive,exec,cpu,convolution,…" and, older, "dnnl_verbose,exec,cpu,convolution,…".
lines = [line.split(",") for line in recorded.stdout.decode().splitlines() if "nn" in line and "_verbose," in line]
printed = Counter(line[line.index("exec") + 2] for line in lines if "exec" in line)
printed.pop("gemm_api", None)  # no primitive: called for a small product
calls = [span for span in recorded.trace.of_kind(LIBRARY_CALL) if span.type.startswith("onednn")]
check(sum(printed.values()) >= 10, f"oneDNN prints its calls: {printed}")
names = Counter(span.name for span in calls)
check_equal(names, printed, "calls of oneDNN")

layers = [span for span in recorded.trace.of_kind(OPERATOR) if span.level == "layer"]
seen = set()
for call in calls:
    around = [layer for layer in layers if layer.thread == call.thread and layer.begin <= call.begin and call.end <= layer.end]
    check(len(around) <= 1, f"{call.name} lies in {len(around)} layers")
    if around and around[0].type in CALLS and call.name != "reorder":
        check_equal(call.name, CALLS[around[0].type], f"what {around[0].name} calls")
        seen.add(call.name)
check({"convolution", "inner_product"} <= seen, f"calls inside of layers: {seen}")

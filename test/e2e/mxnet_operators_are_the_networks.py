"""The layers of a call are the operators that MXNet itself knows: the nodes of the network's symbol with their types and
shapes, once it is hybridized, and, as long as it is not, the operators that MXNet's profiler has of the same call.
"""
import json
from math import prod

from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import PROGRAMS, check_equal, mxnet_python, work_folder, xsp_run

# What the engine does for itself.
OF_THE_ENGINE = {"DeleteVariable", "WaitForVar"}


def layers_of_last_call(recorded):
    calls = sorted(recorded.trace.of_kind(proto.KIND_RUN), key=lambda span: span.begin)
    check_equal({call.name for call in calls}, {"net"}, "calls")
    last = calls[-1]
    check_equal(last.input, "[4,3,32,32]", "input shapes")
    layers = [span for span in recorded.trace.of_kind(OPERATOR) if last.begin <= span.begin and span.end <= last.end]
    check_equal({span.level for span in layers}, {"layer"}, "levels")
    check_equal({span.scope for span in layers}, {last.scope}, "scopes")
    return sorted(layers, key=lambda span: span.begin)


def check_bytes(layers):
    """All arrays of the network are of 32-bit floats."""
    for layer in layers:
        expected = sum(4 * prod(json.loads(shape)) for shape in layer.shape.split(";"))
        check_equal((layer.has_bytes, layer.bytes), (True, expected), f"bytes of the outputs of {layer.name}, {layer.shape}")


python = mxnet_python()
work_folder()
recorded = xsp_run(python, PROGRAMS / "mxnet_calls.py", "names").check_success()
truth = json.loads(recorded.stdout.splitlines()[-1])
layers = layers_of_last_call(recorded)
found = [[layer.name, layer.type, json.loads(layer.shape.split(";")[0])] for layer in layers]
check_equal(found, truth, "layers of a hybridized network")
check_bytes(layers)

recorded = xsp_run(python, PROGRAMS / "mxnet_calls.py", "profiler").check_success()
truth = [name for name in json.loads(recorded.stdout.splitlines()[-1]) if name not in OF_THE_ENGINE]
layers = layers_of_last_call(recorded)
check_equal(sorted(layer.type for layer in layers), truth, "operators of a network that is not hybridized")
check_bytes(layers)
blocks = ["net_conv0", "net_conv0_relu", "net_batchnorm0", "net_pool0", "net_dense0"]
check_equal([layer.name for layer in layers], blocks, "blocks that they are named by")

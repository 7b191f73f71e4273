"""Two networks that threads call at the same time: the operators of each call, which the engine's thread runs in turn, are those
of its own network, all of them and no others.
"""
from collections import Counter

from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import PROGRAMS, check, check_equal, mxnet_python, work_folder, xsp_run

python = mxnet_python()
work_folder()
recorded = xsp_run(python, PROGRAMS / "mxnet_calls.py", "threads").check_success()
calls = sorted((call for call in recorded.trace.of_kind(proto.KIND_RUN)), key=lambda call: call.begin)
check_equal(Counter(call.name for call in calls), Counter({"first": 101, "second": 101}), "calls")
operators = recorded.trace.of_kind(OPERATOR)
overlapping = 0
for call in calls[2:]:  # behind those that initialize
    others = [other for other in calls if other is not call and other.begin < call.end and call.begin < other.end]
    overlapping += bool(others)
    check(all(other.scope != call.scope for other in others), "calls at the same time have different scopes")
    own = [span for span in operators if span.scope == call.scope and call.begin <= span.begin and span.end <= call.end]
    check_equal(Counter(span.type for span in own),
                Counter(["Convolution", "Activation", "BatchNorm", "Pooling", "FullyConnected"]), call.name)
    check(all(span.name.startswith(call.name) for span in own), f"{call.name} has operators of another network")
check(overlapping > 20, f"only {overlapping} calls overlapped")

"""Calls that return long before their operators have run last until the last of these, at every level and in calls that are not
sampled; and each of several that wait in the engine has its own operators.
"""
import json

from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import PROGRAMS, check, check_equal, mxnet_python, work_folder, xsp_run

python = mxnet_python()
work_folder()
for option, level in (("--level", "model"), ("--level", "layer"), ("--sample", "1/3")):
    recorded = xsp_run(python, PROGRAMS / "mxnet_calls.py", "queue", options=[option, level]).check_success()
    times = json.loads(recorded.stdout.splitlines()[-1])
    calls = sorted(recorded.trace.of_kind(proto.KIND_RUN), key=lambda span: span.begin)[-5:]
    check_equal({call.input for call in calls}, {"[64,3,128,128]"}, "input shapes")
    spread = calls[-1].begin - calls[0].begin
    total = max(call.end for call in calls) - calls[0].begin
    check(times["returned_ns"] < 0.5 * times["all_ns"], f"the program did not wait: {times}")
    check(spread < 1.5 * times["returned_ns"], f"{level}: begins are {spread} ns apart, calls returned after {times}")
    check(0.8 * times["all_ns"] < total < 1.1 * times["all_ns"], f"{level}: calls took {total} ns, of {times}")
    operators = recorded.trace.of_kind(OPERATOR)
    if level == "model":
        check_equal(len(operators), 0, "operators at level model")
        continue
    check_equal(any(call.shallow for call in calls), option == "--sample", f"{level}: calls that are not sampled")
    for call in calls:
        if call.shallow:
            continue
        own = [span for span in operators if span.scope == call.scope and call.begin <= span.begin and span.end <= call.end]
        check_equal([span.type for span in sorted(own, key=lambda span: span.begin)],
                    ["Convolution", "Activation", "BatchNorm", "Pooling", "FullyConnected"], "operators of a call")
        check(abs(call.end - max(span.end for span in own)) < 1_000_000, "the call ends with the last one")

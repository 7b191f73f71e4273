"""Two functions that threads call at the same time: the kernels of each call, which run on threads of a pool, are those of its
own network, all of them and no others.
"""
from collections import Counter

from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import PROGRAMS, check, check_equal, tensorflow_python, work_folder, xsp_run

python = tensorflow_python()
work_folder()
recorded = xsp_run(python, PROGRAMS / "tensorflow_calls.py", "threads").check_success()
calls = recorded.trace.of_kind(proto.KIND_RUN)
check_equal(Counter(call.name for call in calls), Counter({"first": 101, "second": 101}), "calls")
kernels = recorded.trace.of_kind(OPERATOR)
overlapping = 0
expected = {}
for call in sorted(calls, key=lambda call: call.begin):
    others = [other for other in calls if other is not call and other.begin < call.end and call.begin < other.end]
    overlapping += bool(others)
    check(all(other.scope != call.scope for other in others), "calls at the same time have different scopes")
    own = [k for k in kernels if k.scope == call.scope and call.begin <= k.begin and k.end <= call.end]
    check(all(kernel.name.startswith(call.name) for kernel in own),
          f"{call.name} has kernels of another network: {[kernel.name for kernel in own]}")
    names = Counter(kernel.name for kernel in own)
    check_equal(names, expected.setdefault(call.name, names), f"kernels of {call.name}")
check(all(expected.values()), "calls have kernels")
check(overlapping > 20, f"only {overlapping} calls overlapped")

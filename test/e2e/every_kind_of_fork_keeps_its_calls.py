"""fork, _Fork, a raw fork and vfork with exec, inside and outside of a library call: handlers of fork run in one of them
only. Each process that calls is in the trace with its calls, once, and the program's results are its own.
"""
from collections import Counter

from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
for how in ("fork", "_Fork", "raw", "vfork", "spawn"):
    outcome = compare(fake("forks"), how).check_unchanged()
    calls = Counter((s.pid, s.name) for s in outcome.trace.spans if s.name == "cublasSgemm_v2")
    check_equal(sorted(calls.values()), [2, 3], f"{how}: products of the parent and of the child")
    used = Counter(pid for pid, library, _ in outcome.trace.used_libraries if library == "cublas")
    check_equal(used, Counter({pid: 1 for pid, _ in calls}), f"{how}: processes that say which file they called")

inside = compare(fake("calls_back"), "fork").check_unchanged()
products = Counter(s.pid for s in inside.spans("cublasSgemm_v2"))
check_equal(sorted(products.values()), [1, 2], "a fork inside a call: products of the child and of the parent")

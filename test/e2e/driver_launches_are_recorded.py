"""Launches past the runtime, linked or looked up by cuGetProcAddress, of every kind: each is recorded once, in its layer, and
has its kernel.
"""
from collections import Counter

from support.fake_cuda import fake, run_on_device
from support.trace_reader import DRIVER_CALL, RUNTIME_CALL
from support.xsp_e2e import check_equal, work_folder

work_folder()
outcome = run_on_device(fake("driver_launches")).check_success().check_executions().check_launches()
check_equal(outcome.trace.of_kind(RUNTIME_CALL), [], "calls of the runtime in a program without it")
launches = Counter(span.name for span in outcome.trace.of_kind(DRIVER_CALL) if "Launch" in span.name)
check_equal(
    dict(launches),
    {"cuLaunchKernel": 2, "cuLaunchKernel_ptsz": 1, "cuLaunchCooperativeKernel": 1, "cuLaunchKernelEx": 1,
     "cuLaunchKernelEx_ptsz": 1},  # fmt: skip
    "recorded launches",
)
check_equal({span.type for span in outcome.trace.of_kind(DRIVER_CALL)}, {"cuda"}, "type of a driver call")

"""A call of the CUDA runtime, whose wrapper and whose callback both see it and which calls the driver, is one span; what a
library with a runtime of its own launches is a call of the driver.
"""
from collections import Counter

from support.fake_cuda import fake, run_on_device
from support.trace_reader import DRIVER_CALL, RUNTIME_CALL
from support.xsp_e2e import check_equal, work_folder

work_folder()
outcome = run_on_device(fake("inference"), 5).check_success()
for kind, expected in ((RUNTIME_CALL, {"cudaLaunchKernel": 10, "cudaLaunchKernelExC": 5, "cudaMemcpyAsync": 10,
                                       "cudaMemsetAsync": 5}),
                       (DRIVER_CALL, {"cuLaunchKernel": 25})):  # fmt: skip
    calls = Counter(span.name for span in outcome.trace.of_kind(kind))
    check_equal({name: calls[name] for name in expected}, expected, "recorded calls")
    launches = {name: count for name, count in calls.items() if "Launch" in name and name not in expected}
    check_equal(launches, {}, "launches beside those")

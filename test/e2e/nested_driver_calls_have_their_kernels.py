"""A driver call inside a call of the runtime that has its id is a part of it; one with an id of its own is a call of its own, inside
the other, and has the kernel. nvcc 13's __cudaLaunchKernel and a launch past the runtime have theirs, too.
"""
from support.played_recording import play
from support.trace_reader import DRIVER_CALL, RUNTIME_CALL
from support.xsp_e2e import check_equal, work_folder

work_folder()
played = play("nested_driver_calls").check_executions().check_losses()
calls = [(span.name, span.correlation) for span in played.trace.of_kind(RUNTIME_CALL, DRIVER_CALL)]
check_equal(calls, [("cudaLaunchKernel", 1), ("cudaLaunchKernel", 2), ("cuLaunchKernel", 3), ("__cudaLaunchKernel", 4),
                    ("cuLaunchKernelEx", 5)], "recorded calls")  # fmt: skip
check_equal(played.quality["unmatched_launch"], 0, "launches without a kernel")
launches = {e.name: e.launch for e in played.found()}
check_equal(launches["own_id"].above.name, "cudaLaunchKernel", "what the call with an id of its own is inside of")
check_equal({name: launch.above for name, launch in launches.items() if name != "own_id"},
            {"shared_id": None, "of_nvcc_13": None, "of_the_driver": None}, "calls around the others")  # fmt: skip

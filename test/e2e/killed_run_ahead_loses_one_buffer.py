"""A program that launches faster than its device runs always has work in flight, and CUPTI keeps a buffer until all in it have run:
a kill loses what the last buffer had, some thousand kernels, whenever CUPTI asks for buffers and whoever shares them.
"""
import os
import signal
import time

from support.fake_cuda import DeviceRun, fake, read_truth, start_on_device
from support.xsp_e2e import Profiled, check, check_equal, children_named, wait_until, work_folder

KERNELS_OF_A_BUFFER = (256 << 10) // 208  # the record of CUDA 13 has 216 bytes, that of 12.4 208
KERNEL_US, KERNELS = 200, 4500  # nearly all would be in a first buffer of 1 MiB
FLUSH_S, SLACK_S = 0.1, 0.3

work_folder()
for case in ({}, {"misbehave": ["asks_late"]}, {"misbehave": ["program_thread"]}, {"FAKE_CUPTI_VERSION": 22}):
    xsp = start_on_device(fake("run_ahead"), FAKE_CUDA_KERNELS=f"busy_kernel={KERNEL_US}us", **case)
    (pid,) = wait_until(lambda: children_named(xsp.pid, "run_ahead"), "the program")
    wait_until(lambda: len(read_truth()) >= KERNELS, f"{KERNELS} kernels")
    killed_at = time.monotonic_ns()
    os.kill(pid, signal.SIGKILL)
    _, stderr = xsp.communicate(timeout=60)

    class Done:
        returncode, stdout, stderr = xsp.returncode, b"", stderr

    outcome = DeviceRun(Profiled(Done, "trace.pb"), read_truth())
    check_equal(xsp.returncode, -signal.SIGKILL, f"{case}: exit status")
    kept = {execution.correlation for execution in outcome.trace.kernels}
    before = killed_at - int((FLUSH_S + SLACK_S) * 1e9)
    lost = [line for line in outcome.truth if line["begin"] + line["duration"] < before and line["correlation"] not in kept]
    print(f"{case}: {len(outcome.truth)} kernels had run, {len(kept)} are in the trace, {len(lost)} older ones are not")
    check(len(kept) > KERNELS / 2, f"{case}: only {len(kept)} kernels are in the trace")
    check(len(lost) <= KERNELS_OF_A_BUFFER, f"{case}: {len(lost)} kernels are missing that had run {FLUSH_S + SLACK_S} s before the kill")
    known = {line["correlation"]: line for line in outcome.truth}
    check(kept <= set(known), f"{case}: kernels that did not run")

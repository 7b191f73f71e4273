"""A program that replays graphs far ahead of its device takes more records than there are buffers: what has no place is lost, counted,
and told with what helps; with --on-full block launches wait for buffers, and all is there. A device that stands still lets them go on.
"""
import re

from support.fake_cuda import device_environment, fake, run_on_device
from support.xsp_e2e import check, check_equal, run, work_folder

KERNELS, REPLAYS = 200, 60  # 12,000 records; the buffers hold 9 each here, 2,880 in all
RECORDS_LOST = 8

work_folder()
conditions = {"misbehave": ["small=2048"], "FAKE_CUDA_KERNELS": "node_kernel=20us,slow_kernel=5000ms"}
plain = run(fake("replays_ahead"), KERNELS, REPLAYS, env=device_environment(**conditions))
for options, is_whole in (([], False), (["--on-full", "block"], True)):
    outcome = run_on_device(fake("replays_ahead"), KERNELS, REPLAYS, options=options, **conditions)
    check_equal((outcome.done.returncode, outcome.done.stdout), (plain.returncode, plain.stdout), f"{options}: how the program ends")
    lost = sum(process.losses.get(RECORDS_LOST, 0) for process in outcome.trace.processes.values())
    ran, found = len(outcome.truth_of("kernel")), len(outcome.trace.kernels)
    check_equal((ran, found + lost), (KERNELS * REPLAYS, KERNELS * REPLAYS), f"{options}: kernels that ran; in the trace and lost")
    check((lost == 0) == is_whole, f"{options}: {lost} lost")
    check(is_whole or "--on-full block" in outcome.done.stderr, f"{options}: what helps:\n{outcome.done.stderr}")
    if is_whole:
        outcome.check_executions("kernel")

outcome = run_on_device(fake("replays_ahead"), KERNELS, REPLAYS, "slow", options=["--on-full", "block"], **conditions).check_success()
(seconds,) = re.findall(r"launched in ([0-9.]+) s", outcome.done.stderr)
check(1.9 < float(seconds) < 4, f"launches behind a kernel of 5 s waited {seconds} s for buffers, not 2 s")

"""Where CUPTI tells of an error that ends it, as without memory on the device, the program runs on, what was recorded before is
there, and a notice and a gap say since when nothing is.
"""
from support.fake_cuda import device_environment, fake, run_on_device
from support.xsp_e2e import XSP_REPORT, check, check_equal, run, work_folder

CUPTI_FAILED = 6

work_folder()
plain = run(fake("inference"), 30, env=device_environment())
outcome = run_on_device(fake("inference"), 30, misbehave=["fatal=100"]).check_success()
check_equal((outcome.done.returncode, outcome.done.stdout), (plain.returncode, plain.stdout), "how the program ends")
gaps = [gap for gap in outcome.trace.gaps if gap.reason == CUPTI_FAILED]
check_equal(len(gaps), 1, f"gaps: {outcome.trace.gaps}")
ran = [line for line in outcome.truth if line["kind"] == "kernel"]
kernels = outcome.trace.kernels
check(0 < len(kernels) < len(ran), f"{len(kernels)} kernels of {len(ran)} in the trace")
check(all(kernel.launch is not None and kernel.launch.begin < gaps[0].begin for kernel in kernels), "kernels launched behind the error")
check(any("shut itself down" in notice for notice in outcome.trace.notices), outcome.trace.notices)
strict = run(XSP_REPORT, "--strict", "-a", "A10", outcome.done.path)
check_equal(strict.returncode, 4, f"xsp-report --strict: {strict.stderr.decode()}")
check("CUPTI hit a fatal error and shut itself down" in strict.stdout.decode(), f"no word of it in A10:\n{strict.stdout.decode()}")
q1 = str(outcome.tables("Q1")["Q1"])
check("CUPTI" in q1, f"no word of it in Q1: {q1[:2000]}")

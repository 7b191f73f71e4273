"""A program that returns with work in flight, calls _exit, aborts, is killed, forks after CUDA's start or resets the device
ends as without XSP, and what had finished on the device is in the trace.
"""
from collections import Counter

from support.fake_cuda import device_environment, fake, run_on_device
from support.xsp_e2e import check, check_equal, run, work_folder

work_folder()
for words, all_there in ((["_exit"], True), (["quick_exit"], True), (["abort"], False), (["kill"], False), (["unsynchronized"], False), (["fork"], True),
                         (["reset"], True), (["reset", "graph"], True)):  # fmt: skip
    plain = run(fake("inference"), 6, *words, env=device_environment())
    outcome = run_on_device(fake("inference"), 6, *words)
    check_equal((outcome.done.returncode, outcome.done.stdout), (plain.returncode, plain.stdout), f"{words}: how it ends")
    if all_there:
        outcome.check_executions().check_launches()
    ran = Counter((line["name"], line["correlation"], line["duration"]) for line in outcome.truth_of("kernel"))
    kept = Counter((e.name, e.correlation, e.duration) for e in outcome.trace.kernels)
    check_equal(kept - ran, Counter(), f"{words}: kernels that did not run so")

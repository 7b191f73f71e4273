"""xsp-run --concurrency apply=SET alternates the advised number of threads with the program's own, and leaves the program as it was.
What harms is switched off: most calls then have the program's own number.
"""
import json
import os

from support.trace_messages import packets
from support.xsp_e2e import PROGRAMS, check, check_equal, torch_python, work_folder, xsp_run

CALLS = 200
OWN, ADVISED = 1, 3
HARMFUL = 2
python = torch_python()
work_folder()


def apply(policy, *words):
    """The program's own words, and the calls of the trace, with a policy given by hand."""
    with open("policy", "w") as file:
        file.write("xsp-threads\t1\n" + policy)
    # As the launcher sets it, behind its own setting of the same.
    concurrency = f"apply={os.path.abspath('policy')} cores=2"
    done = xsp_run("env", f"XSP_CONCURRENCY={concurrency}", python, PROGRAMS / "torch_threads.py", CALLS, *words).check_success()
    counts = [p.thread_counts for _, p in packets(open("trace.pb", "rb").read()) if p.HasField("thread_counts")]
    return json.loads(done.stdout), [call for count in counts for call in count.call], counts


def check_left_alone(told, what):
    check_equal(told["between"], [2], f"{what}: number of threads between calls")
    check_equal(told["started"], [2], f"{what}: in threads that a layer started")
    check(told["largest_difference"] < 1e-5, f"{what}: outputs")


told, calls, _ = apply("own\t2\nwhole\t1\n", "set")
check_left_alone(told, "whole model")
check_equal(told["inside"], [1, 2], "whole model: in layers")
blocks = {setting: {call.block for call in calls if call.setting == setting} for setting in (OWN, ADVISED)}
check(all(len(numbers) >= 2 for numbers in blocks.values()), f"own and advised take turns in blocks: {blocks}")
check(not blocks[OWN] & blocks[ADVISED], f"a block has one setting: {blocks}")

told, calls, _ = apply("own\t2\nwhole\t0\ntype\tLooks\t1\n", "set")
check_left_alone(told, "by type")
check_equal(told["inside"], [1, 2], "by type: in its layers")

told, calls, counts = apply("own\t2\nwhole\t1\n", "slow-below", 2)
check(HARMFUL in [count.ended for count in counts], "what is slower is switched off")
settings = [call.setting for call in calls if call.setting]
check(settings.count(ADVISED) < 0.3 * len(settings), f"and stays off: {settings.count(ADVISED)} of {len(settings)}")

told, calls, _ = apply("own\t2\nwhole\t1\n", "raise")
check_left_alone(told, "with exceptions")

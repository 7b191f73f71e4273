"""The message at the end of a set: what each level costs, the numbers that matter, where the traces are and what to do with
them, in at most 15 lines; its commands work. --summary none leaves the numbers out, full is the report.
"""
import shlex

from support.run_sets import python_set
from support.xsp_e2e import check, check_equal, run, work_folder

work_folder()
LEVELED = ("--leveled", "--level", "library", "--runs", "2")


def end_message(done):
    lines = done.check_success().stderr.splitlines()
    return lines[max(i for i, line in enumerate(lines) if line.startswith("xsp: run ")) + 1 :]


lines = end_message(python_set("", options=LEVELED))
check(len(lines) <= 15, f"{len(lines)} lines:\n" + "\n".join(lines))
levels = [line for line in lines if line.startswith("xsp: model latency M ")]
check(len(levels) == 1 and ", M/L/library " in levels[0], f"what each level costs:\n{lines}")
check(any(line.startswith("xsp: model predict: ") for line in lines), f"the model is named:\n{lines}")
wrote = [line for line in lines if line.startswith("xsp: wrote set: 6 runs (2 M, 2 M/L, 2 M/L/library) in ")]
check_equal(len(wrote), 1, f"where the traces are:\n{lines}")
commands = [line for line in lines[lines.index("Next:") + 1 :]]
check_equal(len(commands), 2, f"commands: {commands}")
for command in commands:
    done = run(*shlex.split(command))
    check_equal(done.returncode, 0, f"{command}: {done.stderr.decode()}")

lines = end_message(python_set("", options=(*LEVELED, "--summary", "none"), output="none"))
check(lines[0].startswith("xsp: wrote none: 6 runs"), f"--summary none:\n{lines}")
lines = end_message(python_set("", options=("--runs", "2", "--summary", "full"), output="full"))
check(any(line.startswith("A2 layer information") for line in lines), f"--summary full:\n{lines}")
check(not any("L1" in line for line in lines), f"runs of one level say nothing of levels:\n{lines}")

"""A million operators of a hundred thousand shapes: the last tenth of them costs what the first did, and the program's memory
stays bounded. That not all of the shapes are recorded is told."""
import re

from support.fake_torch_hosts import EXIT_STATUS, LINKED
from support.xsp_e2e import check, check_equal, run, work_folder, xsp_run

MAX_GROWTH = 1.5
MAX_MEMORY_MIB = 96
MIN_TRACE_BYTES = 8_000_000
OPERATORS = 1_000_000
work_folder()


def cost_of(stderr):
    return (float(re.search(r"ratio ([\d.]+)", stderr).group(1)), int(re.search(r"memory (\d+) KiB", stderr).group(1)) / 1024)


costs = []
for _ in range(2):  # another program may disturb one
    done = xsp_run(LINKED, "cost", OPERATORS, options=("--level", "layer"))
    check_equal(done.returncode, EXIT_STATUS, f"exit status; stderr:\n{done.stderr}")
    check(done.path.stat().st_size > MIN_TRACE_BYTES, "the operators are recorded")
    check(b"different shapes: no others are recorded" in done.path.read_bytes(), "shapes that are not recorded are told of")
    costs.append(cost_of(done.stderr))
    if costs[-1][0] < MAX_GROWTH:
        break
alone = cost_of(run(LINKED, "cost", OPERATORS).stderr.decode())
print("last tenth over first, and memory in MiB: recorded", costs, "alone", alone)
check(min(costs)[0] < MAX_GROWTH, f"the last tenth costs {min(costs)[0]} times the first")
check(costs[-1][1] - alone[1] < MAX_MEMORY_MIB, f"recording takes {costs[-1][1] - alone[1]:.0f} MiB of the program's memory")

"""Counting runs each kernel alone, several times: one that waits for other ranks or kernels would never end. NCCL's, those that
--metrics-leave-out names and graphs that hold such are launched uncounted, the others have their counts under their ordinals, and
notices, Q1 and the tables say so. In a process group a graph whose kernels are not known is not counted either.
"""
import json
from pathlib import Path

from support.fake_cuda import device_environment, fake, read_truth
from support.trace_reader import read_segments
from support.xsp_e2e import XSP_REPORT, check, check_equal, run, work_folder, xsp_run

STEPS, NOT_COUNTED, COUNTERS_LOST = 40, 14, 12


def counted(program, *words, leave_out="my_flag", **environment):
    Path("truth.log").unlink(missing_ok=True)
    options = ["--strict", "--metrics", "roofline-fp32"] + (["--metrics-leave-out", leave_out] if leave_out else [])
    done = xsp_run(fake(program), *words, options=options, env=device_environment(**environment)).check_success()
    first, second = read_segments(done.path)
    losses = [sum(process.losses.get(reason, 0) for process in second.processes.values()) for reason in (NOT_COUNTED, COUNTERS_LOST)]
    (pid,) = {process.pid for process in second.processes.values()}
    ran = sorted((line for line in read_truth() if line["kind"] == "kernel" and line["pid"] == pid),
                 key=lambda line: (line["correlation"], line["begin"]))  # fmt: skip
    return done, second, losses, [line["name"] for line in ran]


def must_not_count(ran, parts):
    """Ordinals of the kernels that wait, and of those of their graphs: of the two kernels of a graph's launch both."""
    waits = {i for i, name in enumerate(ran) if any(part in name for part in parts)}
    return waits | {i - 1 for i in waits if "ReduceScatter" in ran[i]}


work_folder()
done, second, losses, ran = counted("collectives", STEPS)
left = must_not_count(ran, ("nccl", "my_flag"))
check_equal(len(ran), 8 * STEPS, "kernels that ran")
check_equal({row.ordinal: row.name for row in second.counters}, {i: name for i, name in enumerate(ran) if i not in left},
            "kernels that were counted")  # fmt: skip
check_equal(losses, [4 * STEPS, 0], "kernels left out, and lost")
check(any("are not measured" in notice and "ncclDevKernel_" in notice for notice in second.notices), second.notices)
check("160 kernels were not measured" in done.stderr and "xsp: lost" not in done.stderr, done.stderr)

tables = json.loads(run(XSP_REPORT, done.path, "-a", "A10,Q1", "--format", "json").stdout)
check(any(f"{4 * STEPS} kernels were not measured" in note for note in tables["A10"]["notes"]), tables["A10"]["notes"])
check(["not_counted", "device", 4 * STEPS] in [row[:3] for row in tables["Q1"]["rows"]], tables["Q1"]["rows"])

_, second, losses, ran = counted("collectives", STEPS, leave_out=None)
left = must_not_count(ran, ("nccl",))
check_equal({row.ordinal for row in second.counters}, set(range(len(ran))) - left, "without a list of one's own")
check_equal(losses, [3 * STEPS, 0], "kernels left out, and lost, without a list of one's own")

for group, expected in (("1", 0), ("2", 1)):
    _, second, losses, ran = counted("graph_nodes", leave_out=None, WORLD_SIZE=group)
    check_equal(losses[0] > 0, bool(expected), f"graphs of unknown kernels left out where WORLD_SIZE is {group}")
    check(not expected or not second.counters, f"kernels that were counted: {second.counters}")

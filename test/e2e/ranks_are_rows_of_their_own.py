"""Two ranks of one command, as torchrun starts them: A15 has a row for each, the other tables are of one rank, which
--process chooses.
"""
import sys

from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check, check_equal, work_folder

LAUNCHER = """
import os, subprocess, sys
ranks = [subprocess.Popen([sys.argv[1], steps], env=dict(os.environ, RANK=str(rank), WORLD_SIZE="2"))
         for rank, steps in enumerate(sys.argv[2:])]
sys.exit(max(rank.wait() for rank in ranks))
"""


def rows(tables, name):
    columns = [column["name"] for column in tables[name]["columns"]]
    return [dict(zip(columns, row)) for row in tables[name]["rows"]]


work_folder()
outcome = run_on_device(sys.executable, "-c", LAUNCHER, fake("inference"), 4, 40).check_success()
ids = ("A8", "A10", "A11", "A15", "C2")
expected = {"rank 0": 3, "rank 1": 39}  # evaluations without the warm-up; rank 1 takes most time, however loaded the machine is
ONE = ["--skip", "1"]  # whatever the machine was at
tables = outcome.tables(*ids, options=ONE)
models = {row["process"].split(" (pid")[0]: row for row in rows(tables, "A15")}
check_equal({rank: row["n"] for rank, row in models.items()}, expected, "A15: a row for each rank")
for rank, row in models.items():
    check_equal((row["kernel_count"], round(row["kernel_latency_ms"], 6)), (8, 0.445), f"A15 of {rank}")

for options, rank in (([], "rank 1"), (["--process", "rank0"], "rank 0"), (["--process", "rank1"], "rank 1")):
    tables = outcome.tables(*ids, options=options + ONE)
    check_equal({row["process"].split(" (pid")[0] for row in rows(tables, "A8")}, {rank}, f"{options}: processes of A8")
    check_equal({row["n"] for row in rows(tables, "A8")}, {expected[rank]}, f"{options}: evaluations of A8")
    check_equal(sum(row["count"] for row in rows(tables, "A10")), 8, f"{options}: kernels of A10")
    check_equal(sum(row["kernel_count"] for row in rows(tables, "A11")), 8, f"{options}: kernels of A11")
    launches = sum(row["count"] for row in rows(tables, "C2") if "LaunchKernel" in row["function"])
    check_equal(launches, 8, f"{options}: launches of C2")
    check(any(rank in note for note in tables["A8"]["notes"]), f"{options}: the notes do not name the rank")

kernels = sum(row["count"] for row in rows(outcome.tables("A10", options=["--per", "trace"]), "A10"))
check_equal(kernels, 8 * (4 + 40), "kernels of the whole trace")

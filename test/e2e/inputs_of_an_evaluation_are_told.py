"""Throughput counts the inputs of an evaluation that the user says: {batch} by itself, a number, or a product."""
import json

from support.sweep import bench, column
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, check, check_equal, work_folder

work_folder()
LATENCY_S = 0.02


def throughput(program_arguments, *options):
    """Of A1 at batch 1."""
    swept = bench(*options, "--export-json", "tables.json", "--", SYSTEM_PYTHON, PROGRAMS / "batch_law.py", *program_arguments,
                  BATCH_LAW_EVALUATIONS=4)
    check_equal(swept.returncode, 0, swept.stderr)
    with open("tables.json") as file:
        return column(json.load(file)["A1"], "throughput_per_s")[0]


sweep = ("-L", "batch", "1", "-L", "sequence", "128")
for options, expected in ((), 1), (("--inputs", "32"), 32), (("--inputs", "{batch}*{sequence}"), 128):
    got = throughput(("{batch}", "{sequence}"), *sweep, *options)
    check(got is not None, f"{options}: a throughput")
    check(0.8 * expected < got * LATENCY_S < 1.01 * expected, f"{options}: {got} inputs/s, {expected} expected")
got = throughput(("1", "{sequence}"), "-L", "sequence", "128")
check_equal(got, None, "no shape of the input was seen, and none is made up")

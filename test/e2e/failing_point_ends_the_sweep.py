"""A command that fails at a point ends the sweep with its status, and what was measured is reported; with -i the other
points go on.
"""
from support.sweep import LAW, bench
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
swept = bench("-L", "batch", "1,2,4", "--", *LAW, BATCH_LAW_FAILS=2)
check_equal(swept.returncode, 3, swept.stderr)
check_equal(swept.states(), [("1", "done"), ("2", "failed"), ("4", "planned")], "runs")
check_equal(swept.index["state"], "stopped", "the set")
check("exit status 3" in swept.stderr, swept.stderr)
check(swept.tables.startswith("A1"), f"what was measured is reported:\n{swept.tables}")

swept = bench("-i", "-r", "2", "-L", "batch", "1,2,4", "--", *LAW, folder="ignored", BATCH_LAW_FAILS=2)
check_equal(swept.returncode, 0, swept.stderr)
check_equal(swept.states(), [("1", "done"), ("2", "failed"), ("4", "done"), ("4", "done"), ("2", "dropped"), ("1", "done")],
            "with -i")

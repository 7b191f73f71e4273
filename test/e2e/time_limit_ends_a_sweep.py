"""Behind --time-limit no further run of a sweep is begun; what was measured is reported, and that is no failure."""
from support.sweep import LAW, bench
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
swept = bench("--time-limit", "1ms", "-L", "batch", "1,2,4", "--", *LAW)
check_equal(swept.returncode, 0, swept.stderr)
check_equal(swept.states(), [("1", "done"), ("2", "dropped"), ("4", "dropped")], "runs")
check_equal((swept.index["state"], swept.index["stopped_by"]), ("stopped", "--time-limit"), "the set")
check("2 runs were not made" in swept.stderr, swept.stderr)
check(swept.tables.startswith("A1"), f"what was measured is reported:\n{swept.tables}")

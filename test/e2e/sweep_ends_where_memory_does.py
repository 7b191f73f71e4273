"""Out of memory at a batch size is the end of the sweep, not an error: larger ones are not run, the rest is reported."""
from support.sweep import LAW, bench
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
swept = bench("-L", "batch", "1,4,8,2,16", "-r", "2", "--", *LAW, BATCH_LAW_MEMORY=8)
check_equal(swept.returncode, 0, swept.stderr)
first = [("1", "done"), ("4", "done"), ("8", "out of memory"), ("2", "done"), ("16", "dropped")]
second = [("16", "dropped"), ("2", "done"), ("8", "dropped"), ("4", "done"), ("1", "done")]
check_equal(swept.states(), first + second, "8 and more end, smaller ones go on")
check("out of memory at batch=8" in swept.stderr and "MemoryError" in swept.stderr, f"the reason is told:\n{swept.stderr}")
check("not run, as larger than batch=8: batch=16" in swept.stderr, swept.stderr)
check(swept.tables.startswith("A1"), f"what was measured is reported:\n{swept.tables}")

swept = bench("--auto", "--", *LAW, folder="auto", BATCH_LAW_MEMORY=4)
check_equal(swept.returncode, 0, swept.stderr)
check_equal(swept.states(), [("1", "done"), ("2", "done"), ("4", "out of memory")], "a doubling ends likewise")

swept = bench("-L", "batch", "1,2", "--", *LAW, folder="none", BATCH_LAW_MEMORY=1)
check_equal(swept.returncode, 1, "nothing measured: the status of the command")
check("nothing was measured" in swept.stderr, swept.stderr)

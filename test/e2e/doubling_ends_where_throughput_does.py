"""xsp-bench --auto doubles the batch until throughput rises by no more than 5 %, and stops at --max."""
from support.sweep import LAW, bench
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
swept = bench("--auto", "--", *LAW)
check_equal(swept.returncode, 0, swept.stderr)
check_equal(swept.states(), [("1", "done"), ("2", "done"), ("4", "done"), ("8", "done")], f"points; it said:\n{swept.stderr}")
check("batch=8 has" in swept.stderr and "over batch=4: no rise of more than 5 %" in swept.stderr, swept.stderr)
check("optimal batch size of Net" in swept.tables, swept.tables)

swept = bench("--auto", "-L", "batch", "2", "--max", "5", "--", *LAW, folder="bounded")
check_equal(swept.returncode, 0, swept.stderr)
check_equal(swept.states(), [("2", "done"), ("4", "done")], f"points up to --max; it said:\n{swept.stderr}")

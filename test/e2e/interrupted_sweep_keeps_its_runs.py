"""^C ends a sweep: what was measured is reported, the set says that it was stopped, and xsp-bench dies by the signal."""
import os
import signal

from support.sweep import LAW, Sweep, start_bench
from support.xsp_e2e import check, check_equal, wait_until, work_folder

work_folder()
process = start_bench("-L", "batch", "1,2,16", "--", *LAW, BATCH_LAW_EVALUATIONS=20)
wait_until(lambda: os.path.exists("set/003-batch-16-model.log"), "the third run")
os.killpg(process.pid, signal.SIGINT)
stdout, stderr = process.communicate(timeout=60)
swept = Sweep(process.returncode, stdout, stderr, "set")
check_equal(swept.returncode, -signal.SIGINT, f"exit status; it said:\n{swept.stderr}")
check_equal([state for _, state in swept.states()][:2], ["done", "done"], "runs")
check_equal(swept.index["state"], "stopped", "the set")
check(swept.tables.startswith("A1"), f"what was measured is reported:\n{swept.tables}")

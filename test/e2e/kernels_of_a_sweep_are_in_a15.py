"""Where there is a device, each point of a sweep is run at the model level, whose latencies A1 has, and down to the kernel level,
for the kernels of A15, whose times are known on the stand-in driver.
"""
import json

from support.fake_cuda import device_environment, fake
from support.sweep import XSP_BENCH, column
from support.xsp_e2e import check, check_equal, run, work_folder

folder = work_folder()
done = run(XSP_BENCH, "-o", "set", "-L", "evaluations", "4,6", "--inputs", "8", "--export-json", "tables.json", "--",
           fake("inference"), "{evaluations}", env=device_environment())
check_equal(done.returncode, 0, done.stderr.decode())
index = json.loads((folder / "set/set.json").read_text())
check_equal([(run["parameters"]["evaluations"], run["level"]) for run in index["runs"]],
            [("4", "model"), ("4", "kernel"), ("6", "model"), ("6", "kernel")], "runs")
tables = json.loads((folder / "tables.json").read_text())
a15 = tables["A15"]
check_equal(column(a15, "kernel_count"), [8, 8], "A15: kernels of an evaluation")
check_equal([round(ms * 1e3, 6) for ms in column(a15, "kernel_latency_ms")], [445, 445], "A15: time of the kernels, us")
check_equal(sorted(str(value) for value in column(a15, "evaluations")), ["4", "6"], "A15: a row of each point")
check_equal(sorted(str(value) for value in column(tables["A1"], "evaluations")), ["4", "6"], "A1: a row of each point")
check(b"A15" in done.stdout, f"both tables are on stdout:\n{done.stdout.decode()}")

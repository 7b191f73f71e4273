"""xsp-run --concurrency measure runs calls of a PyTorch model with each number of threads that there is, and leaves the program as
it was: its own number between calls and in threads that it starts, and the same results but for their last bits.
"""
import json
import os

from support.trace_messages import packets
from support.xsp_e2e import PROGRAMS, check, check_equal, report, torch_python, work_folder, xsp_run

CALLS = 60
OWN, PROBE = 1, 2
python = torch_python()
work_folder()
cores = len(os.sched_getaffinity(0))
done = xsp_run(python, PROGRAMS / "torch_threads.py", CALLS, options=["--concurrency", "measure"]).check_success()
told = json.loads(done.stdout)
own = told["between"]
check_equal(len(own), 1, f"numbers of threads between calls: {told}")
check_equal(told["started"], own, "numbers of threads in threads that a layer started")
check_equal(told["seen"], own, "numbers of threads that layers were told")
check(told["largest_difference"] < 1e-5, f"outputs are the same: {told['largest_difference']}")
check(set(told["inside"]) >= {1, cores}, f"layers saw 1 and {cores} threads: {told['inside']}")
check(max(told["inside"]) <= max(cores, *own), f"and never more than there are cores: {told['inside']}")

calls = [call for _, packet in packets(open("trace.pb", "rb").read()) for call in packet.thread_counts.call]
check_equal(len(calls), CALLS + 1, "calls whose number of threads is told")
check(sum(call.setting == PROBE for call in calls) >= 5 * (cores - 1), "each other number was tried five times")
tables = report("trace.pb", "-a", "A1,E1,E2")
names = [column["name"] for column in tables["E1"]["columns"]]
model = [row for row in (dict(zip(names, row)) for row in tables["E1"]["rows"]) if row["layer_index"] is None]
check_equal([row["threads"] for row in model], list(range(1, cores + 1)), "numbers of threads of the model's curve")
for row in model:
    check(row["n"] >= 5 and row["latency_ms"] > 0, f"measured: {row}")

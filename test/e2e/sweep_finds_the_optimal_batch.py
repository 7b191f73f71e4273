"""xsp-bench over batch sizes of known latencies: A1 has their throughputs, and the optimal batch by the 5 % rule, by maximum and
by a latency target are those of the law.
"""
import json

from support.sweep import LAW, bench, column
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
swept = bench("-L", "batch", "1,2,4,...,16", "-r", "2", "--target-latency", "37", "--export-json", "tables.json", "--export-csv",
              "tables.csv", "--", *LAW)
check_equal(swept.returncode, 0, swept.stderr)
check_equal(swept.states(), [(str(b), "done") for b in (1, 2, 4, 8, 16, 16, 8, 4, 2, 1)], "runs, every second pass backwards")

with open("tables.json") as file:
    a1 = json.load(file)["A1"]
rows = dict(zip((str(b) for b in column(a1, "batch")), column(a1, "throughput_per_s")))
law = {"1": 1000 / 20, "2": 2000 / 30, "4": 4000 / 45, "8": 8000 / 100, "16": 16000 / 150}
check_equal(set(rows), set(law), "a row of each batch size")
for batch, expected in law.items():
    check(0.85 * expected < rows[batch] < 1.01 * expected, f"throughput at batch {batch}: {rows[batch]}, not {expected}")
optimal = a1["optimal_batch"]
check_equal((optimal["rule"], optimal["max"], optimal["chosen"]), (4, 16, 2), "optimal batch by rule, maximum and within 37 ms")
check("optimal batch size" in swept.tables and swept.tables.startswith("A1"), f"tables on stdout:\n{swept.tables}")
check("is done" not in swept.tables, "what the program prints is in the logs")
with open("tables.csv") as file:
    check("throughput_per_s" in file.read(), "the table in CSV")

"""--export sqlite has every span and every table, and its sums are those of the tables. It is read by Python alone: what DuckDB
reads SQLite with is an extension, which it fetches from the network.
"""
import os
import sqlite3
from collections import Counter

from support.exported_spans import export, inference_trace, table_rows
from support.trace_reader import read_trace
from support.xsp_e2e import XSP_REPORT, check, check_equal, report, run, work_folder

work_folder()
trace = inference_trace()
export(trace, "--export", "sqlite=t.sqlite")
database = sqlite3.connect("t.sqlite")


def query(sql):
    return database.execute(sql).fetchall()


check_equal(query("PRAGMA integrity_check"), [("ok",)], "integrity")
recorded = read_trace(trace)
check_equal(query("SELECT count(*) FROM spans"), [(len(recorded.spans) + len(recorded.executions),)], "spans")

by_name = Counter()
for row in table_rows(trace, "A10", "--per", "trace"):
    by_name[row["kernel_name"]] += round(row["latency_ms"] * 1e6)
check_equal(Counter(dict(query("SELECT name, total_ns FROM kernel_time_by_name"))), by_name, "time by kernel")

# Each table as the report prints it.
for name, table in report(trace).items():
    if not isinstance(table, dict) or "columns" not in table:
        continue
    columns = [column["name"] for column in table["columns"]]
    found = database.execute(f'SELECT * FROM "{name}"')
    check_equal([column[0] for column in found.description], columns, f"columns of {name}")
    expected = [tuple(int(cell) if isinstance(cell, bool) else None if cell == "" else cell for cell in row)
                for row in table["rows"]]  # fmt: skip
    got = found.fetchall()
    check_equal(len(got), len(expected), f"rows of {name}")
    for one, other in zip(got, expected):
        for a, b in zip(one, other):
            close = isinstance(a, float) and isinstance(b, (int, float)) and abs(a - b) <= 1e-6 * abs(a) + 1e-12
            check(a == b or close, f"{name}: {a!r} and {b!r}")

# Everything is documented inside.
documented = dict(query("SELECT table_name, count(*) FROM columns WHERE meaning IS NOT NULL GROUP BY 1"))
for (name,) in query("SELECT name FROM sqlite_master WHERE type = 'table'"):
    width = len(query(f'PRAGMA table_info("{name}")'))
    check_equal(documented.get(name), width, f"documented columns of {name}")
views = {name for (name,) in query("SELECT name FROM sqlite_master WHERE type = 'view'")}
for name in views:
    query(f'SELECT * FROM "{name}" LIMIT 1')
check_equal(query(f"SELECT count(*) FROM tables WHERE meaning IS NULL"), [(0,)], "tables without a meaning")
check(views <= {name for (name,) in query("SELECT table_name FROM tables")}, "views that are not described")

launch = query("SELECT count(*) FROM kernels k JOIN spans l ON l.id = k.launch_id WHERE l.level != 'runtime'")
check_equal(launch, [(0,)], "kernels launched by something else")

# What is there stays there when a new one cannot be written.
database.close()
before = open("t.sqlite", "rb").read()
export(trace, "--export", "sqlite=t.sqlite")
check(open("t.sqlite", "rb").read() == before, "a second export differs")
for target in ("-", "/dev/null", "none/t.sqlite"):
    done = run(XSP_REPORT, trace, "--export", f"sqlite={target}")
    check(done.returncode == 5 and b"error: " in done.stderr, f"{target}: {done.returncode} {done.stderr}")
check_equal([name for name in os.listdir() if "partial" in name], [], "what is left")

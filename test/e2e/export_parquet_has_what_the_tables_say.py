"""--export parquet has a row for every span, as a file and as a dataset, and DuckDB adds them up to A10's times."""
import json
import os
import re
import stat
import subprocess

from support.exported_spans import export, exports_python, inference_trace, table_rows
from support.trace_reader import read_trace
from support.xsp_e2e import SOURCE, XSP_REPORT, check, check_equal, clean_environment, run, work_folder

QUERY = """
import duckdb, json, sys
source = sys.argv[1]
def rows(sql): return duckdb.sql(sql.format(source)).fetchall()
print(json.dumps({
  "spans": rows("SELECT count(*), count(DISTINCT span_id) FROM {}"),
  "kernels": rows("SELECT name, sum(duration_ns)::BIGINT FROM {} WHERE kind = 'kernel' GROUP BY name ORDER BY name"),
  "levels": rows("SELECT level, count(*) FROM {} GROUP BY level ORDER BY level"),
  "layers": rows("SELECT layer_name, layer_type, count(*) FROM {} WHERE kind = 'kernel' GROUP BY ALL ORDER BY ALL"),
  "columns": rows("SELECT column_name FROM (DESCRIBE SELECT * FROM {}) ORDER BY 1"),
}))
"""

python = exports_python()
folder = work_folder()
trace = inference_trace()
with_arrow = clean_environment(XSP_PYTHON=python)
export(trace, "--export", "parquet=t.parquet", env=with_arrow)
export(trace, "--export", "parquet=set/", env=with_arrow)


def read(source):
    done = run(python, "-c", QUERY, source)
    check(done.returncode == 0, done.stderr.decode())
    return json.loads(done.stdout)


one = read("'t.parquet'")
recorded = read_trace(trace)
count = len(recorded.spans) + len(recorded.executions)
check_equal(one["spans"], [[count, count]], "spans")
expected = {}
for row in table_rows(trace, "A10", "--per", "trace"):
    expected[row["kernel_name"]] = expected.get(row["kernel_name"], 0) + round(row["latency_ms"] * 1e6)
check_equal(dict(one["kernels"]), expected, "time by kernel")
check_equal(read("read_parquet('set/**/*.parquet', hive_partitioning = true)"), one, "the dataset")
check(list(folder.glob("set/run=1/process=*/level=device/part.parquet")), "no folders by run, process and level")

done = run(XSP_REPORT, trace, "--export", "parquet=set/", env=with_arrow)
check(done.returncode == 5 and b"not empty" in done.stderr, f"a dataset is written into another: {done.stderr}")


def python_that(name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# Without pyarrow, and with a Python that dies while it is sent spans.
for program, said in (
    (python_that("without", "echo No module named pyarrow >&2; exit 3"), b"pip install pyarrow"),
    (python_that("dies", "echo ready; kill -9 $$"), b"signal 9"),
    (python_that("leaves", "echo ready; echo out of luck >&2; exit 1"), b"out of luck"),
    ("/none", b"pip install pyarrow"),
):
    done = run(XSP_REPORT, trace, "--export", "parquet=n.parquet", env=clean_environment(XSP_PYTHON=program))
    check(done.returncode == 5 and said in done.stderr, f"{program}: {done.returncode} {done.stderr}")
# A trace may name any program as its interpreter: it is told, and never run.
evil = python_that("python-of-the-trace", f"touch {folder}/was_run; echo ready")
text = run("protoc", f"--proto_path={SOURCE / 'proto'}", "--decode=xsp.Trace", "trace.proto", stdin=open(trace, "rb")).stdout
named = re.sub(rb'(executable: ")[^"]*', rb"\1" + str(evil).encode(), text)
check(named != text, "the trace names no executable")
encode = run("protoc", f"--proto_path={SOURCE / 'proto'}", "--encode=xsp.Trace", "trace.proto", input=named)
(folder / "evil.pb").write_bytes(encode.stdout)
done = run(XSP_REPORT, "evil.pb", "--export", "parquet=n.parquet",
           env=clean_environment(PATH=python_that("empty", "exit 1").parent / "none"))  # fmt: skip
check(done.returncode == 5 and b"XSP_PYTHON=" + str(evil).encode() in done.stderr, f"not named: {done.stderr}")
check(not (folder / "was_run").exists(), "a program that the trace names was run")
check_equal([name for name in os.listdir() if name.startswith("n.") or "partial" in name], [], "what is left")

"""xsp-bench --threads over a program whose layers take a/n + b·n with n threads: the points begin at 1, go on while a layer gets
faster and end before the last one that is allowed; the best number for the model is that of the closed form, and the set says which
variables its runs had.
"""
import json
import os

from support.sweep import XSP_BENCH, Sweep, column
from support.xsp_e2e import BUILD, check, check_equal, clean_environment, run, work_folder

LAW = BUILD / "test/e2e/threads_law"
VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")
MOST = 9


def sweep(*arguments, folder):
    done = run(XSP_BENCH, "-f", "-o", folder, "--threads", "--stat", "min", "-r", "1", "--max", MOST, *arguments, "--", LAW, "12",
               env=clean_environment(OMP_NUM_THREADS="1"), timeout=170)
    swept = Sweep(done.returncode, done.stdout, done.stderr, folder)
    check_equal(swept.returncode, 0, swept.stderr)
    return swept


def law(threads):
    done = run(LAW, "1", env=clean_environment(OMP_NUM_THREADS=threads))
    return json.loads(done.stdout)


work_folder()
swept = sweep("--export-json", "tables.json", folder="set")
runs = swept.index["runs"]
counts = sorted({int(r["parameters"]["threads"]) for r in runs})
check_equal(counts, list(range(1, len(counts) + 1)), "numbers of threads, without a gap")
check(5 <= len(counts) <= MOST, f"a layer is best with 4 threads, so that 5 are tried: {counts}")
if len(os.sched_getaffinity(0)) < MOST:
    check(f"warning: --max {MOST} is more than the" in swept.stderr, swept.stderr)
check({r["level"] for r in runs} == {"model", "layer"}, "the model for its latency, its layers in other runs")
check(all(r["state"] == "done" for r in runs), "every run")
for r in runs:
    threads = r["parameters"]["threads"]
    expected = {"XSP_CONCURRENCY": "record"}
    if threads != "1":  # OMP_NUM_THREADS is 1 here: that is the program as it is
        expected = {name: threads for name in VARIABLES}
        expected["XSP_CONCURRENCY"] = f"record sessions-intra={threads}"
    check_equal(r["variables"], expected, f"what is set with {threads} threads")

with open("tables.json") as file:
    tables = json.load(file)
e1 = tables["E1"]
rows = list(zip(column(e1, "layer_index"), column(e1, "threads"), column(e1, "latency_ms"), column(e1, "source")))
model = {threads: ms for index, threads, ms, source in rows if index is None and source == "measured"}
check_equal(sorted(model), counts, "the model's curve has every number")
for threads, ms in model.items():
    expected = law(threads)["net"]["ms"]
    check(0.97 * expected < ms < 1.25 * expected, f"the model with {threads} threads: {ms} ms, not {expected}")
e2 = tables["E2"]
best = dict(zip(column(e2, "rule"), column(e2, "threads_best")))
check_equal(best["whole_run"], law(1)["net"]["best"], "the best number for the model")
check("E1" in swept.tables and "E2" in swept.tables, f"tables on stdout:\n{swept.tables}")

# All numbers, whatever they bring; with an interval, probes are those that the search would have tried.
swept = sweep("--validate", "--interval", "4", "--level", "model", folder="all")
check_equal(sorted({int(r["parameters"]["threads"]) for r in swept.index["runs"]}), list(range(1, MOST + 1)), "--validate")
swept = sweep("--interval", "4", "--level", "model", folder="some")
check_equal(sorted({int(r["parameters"]["threads"]) for r in swept.index["runs"]})[:2], [1, 5], "--interval")

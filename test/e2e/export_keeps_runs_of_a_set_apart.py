"""Of a set of runs each run is a process with its own label in what is exported, and has the kernels of its own trace."""
import json
import sqlite3
import sys
from collections import Counter

from support.exported_spans import export, otlp_spans
from support.fake_cuda import device_environment, fake
from support.run_sets import xsp_set
from support.xsp_e2e import SOURCE, check, check_equal, work_folder

sys.path.insert(0, str(SOURCE / "test/analysis/support"))
from perfetto_trace import PerfettoTrace  # noqa: E402

work_folder()
done = xsp_set(fake("inference"), 3, options=("--leveled", "--runs", "2"), env=device_environment()).check_success()
runs = dict(enumerate(done.index["runs"], 1))
kernel_ns, spans = {}, {}
for number, run in runs.items():
    trace = done.trace(run)
    kernel_ns[number] = sum(kernel.duration for kernel in trace.kernels)
    spans[number] = len(trace.spans) + len(trace.executions)
check_equal(len(runs), 8, "runs")
check_equal(sum(ns > 0 for ns in kernel_ns.values()), 2, "runs with kernels")
export(done.folder, "--export", "chrome=t.json", "--export", "perfetto=t.pftrace", "--export", "sqlite=t.sqlite",
       "--export", "otlp-json=t.jsonl")  # fmt: skip


def check_runs(found, expected, what):
    check_equal({run: value for run, value in found.items() if value}, {k: v for k, v in expected.items() if v}, what)


def run_of(label):
    """Of "run 5, kernel: pid 42"."""
    check(label.startswith("run "), f"no label of a run: {label}")
    return int(label.split()[1].rstrip(",:"))


events = json.load(open("t.json", encoding="utf-8"))["traceEvents"]
labels = {event["pid"]: event["args"]["labels"] for event in events if event["name"] == "process_labels"}
hosts = {pid: run_of(label) for pid, label in labels.items() if not label.startswith("GPU")}
check_equal(set(hosts.values()), set(runs), "runs in Chrome's format")
devices = {event["pid"]: run_of(event["args"]["name"]) for event in events
           if event["name"] == "process_name" and labels[event["pid"]].startswith("GPU")}  # fmt: skip
found = Counter()
for event in events:
    if event.get("cat") == "kernel":
        found[devices[event["pid"]]] += round(event["dur"] * 1000)
check_runs(found, kernel_ns, "kernel time by run in Chrome's format")

perfetto = PerfettoTrace(open("t.pftrace", "rb").read())
check_equal(perfetto.problems, [], "what Perfetto would not read")
time, count = Counter(), Counter()
for slice in perfetto.slices:
    run = run_of(perfetto.path(slice.track)[0].split(", ", 1)[1])
    count[run] += 1
    time[run] += slice.end - slice.begin if "grid" in slice.annotations else 0
check_runs(time, kernel_ns, "kernel time by run in Perfetto's format")
check_runs(count, spans, "spans by run in Perfetto's format")

database = sqlite3.connect("t.sqlite")
rows = """SELECT r.run_index, {} FROM spans s JOIN processes p ON p.id = s.process_id JOIN runs r ON r.id = p.run_id {}
          GROUP BY 1"""
check_runs(dict(database.execute(rows.format("sum(duration_ns)", "WHERE s.kind = 'kernel'"))), kernel_ns,
           "kernel time by run in SQLite")  # fmt: skip
check_runs(dict(database.execute(rows.format("count(*)", ""))), spans, "spans by run in SQLite")

sent = otlp_spans("t.jsonl")
check_runs(Counter(span["resource"]["xsp.run.index"] for span in sent.values()), spans, "spans by run in OTLP")

"""HolisticTraceAnalysis adds up the same recordings to the same times: hta_comparison_test.py XSP_IMPORT BUILD_ROOT SOURCE_ROOT.
Needs an interpreter that has it, in build/python/hta or named by XSP_HTA_PYTHON, and the recordings; skipped without.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../analysis/support"))
from imported_trace import *  # noqa: E402
from recounted_profiles import communication_of, read_kineto  # noqa: E402

IMPORT, BUILD, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
FOLDER = os.path.join(shared_data(ROOT), "kineto")
PYTHON = os.environ.get("XSP_HTA_PYTHON", os.path.join(BUILD, "python", "hta", "bin", "python"))
# Those whose times are whole microseconds: HolisticTraceAnalysis cuts off what is finer.
RECORDINGS = ["resnet50_v100_workers0_a", "hta_simple_add", "hta_sampled_rank0"]

if not os.path.isdir(FOLDER):
    skip("no recordings of PyTorch's profiler")
if subprocess.run([PYTHON, "-c", "import hta"], stderr=subprocess.DEVNULL).returncode != 0 if os.path.exists(PYTHON) else True:
    skip("no HolisticTraceAnalysis (pip install HolisticTraceAnalysis in build/python/hta)")


def kind_of(execution):
    if execution.kind == SYNCHRONIZATION:
        return "COMPUTATION"
    if execution.kind != KERNEL:
        return "MEMORY"
    return "COMMUNICATION" if "nccl" in execution.name else "COMPUTATION"


def times_by_kinds(executions):
    """How long which kinds run at once, as HolisticTraceAnalysis names it."""
    edges = sorted([(e.begin, 1, kind_of(e)) for e in executions] + [(e.end, -1, kind_of(e)) for e in executions])
    running, last, times = {}, None, {}
    for time, change, kind in edges:
        order = ("COMPUTATION", "COMMUNICATION", "MEMORY")
        kinds = " overlapping ".join(kind for kind in order if running.get(kind, 0) > 0)
        if kinds:
            times[kinds] = times.get(kinds, 0) + time - last
        running[kind] = running.get(kind, 0) + change
        last = time
    return {kinds: time // 1000 for kinds, time in times.items() if time > 0}


def length(executions):
    return max(e.end for e in executions) - min(e.begin for e in executions)


FIGURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../analysis/support/hta_figures.py")
failures = []
for name in RECORDINGS:
    path = os.path.join(FOLDER, name + ".json.gz")
    done = subprocess.run([PYTHON, FIGURES, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"HolisticTraceAnalysis of {name} failed:\n{done.stderr}")
    theirs = json.loads(done.stdout.splitlines()[-1])
    trace = import_profile(IMPORT, path)
    work = [e for e in trace.executions if e.kind in (KERNEL, MEMCPY, MEMSET)]
    # Where a stream waits for an event, that counts there as computation, and whatever waits as work of the device.
    waiting = [e for e in trace.executions if e.kind == SYNCHRONIZATION]
    typed = work + [e for e in waiting if e.name == "stream wait event"]
    busy = covered([(e.begin, e.end) for e in work + waiting])
    ours = {
        "types": times_by_kinds(typed),
        "kernel_time": length(work + waiting) // 1000,
        "idle": (length(work + waiting) - busy) // 1000,
        "compute": covered([(e.begin, e.end) for e in typed if kind_of(e) == "COMPUTATION"]) // 1000,
    }
    theirs["types"] = {kinds: time for kinds, time in theirs["types"].items() if time > 0}
    for figure, value in ours.items():
        if theirs[figure] != value:
            failures.append(f"{name}: {figure}\n  HolisticTraceAnalysis: {theirs[figure]}\n  XSP: {value}")
    for stream, idle in theirs["idle_of_streams"].items():
        own = [e for e in work if e.stream == int(stream)]
        gaps = (length(own) - covered([(e.begin, e.end) for e in own])) // 1000
        if gaps != idle:
            failures.append(f"{name}: idle time of stream {stream}: HolisticTraceAnalysis {idle}, XSP {gaps}")
    # What the first page is compared with (first_page_recounted_test.py) counts communication alike.
    communication, exposed = communication_of(read_kineto(path))
    overlap = round(100 * (1 - exposed / communication), 2) if communication else None
    if overlap != theirs["overlap_pct"]:
        failures.append(f"{name}: overlapped communication: HolisticTraceAnalysis {theirs['overlap_pct']} %, counted {overlap} %")
    print(f"{name}: {len(ours) + 1 + len(theirs['idle_of_streams'])} figures agree" if not failures else name)
if failures:
    sys.exit("\n".join(failures))

"""Each way to run a session in Python is one model span with its input's shape, sessions made in threads at once have their
layers, and a child's runs are its own."""
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import PROGRAMS, branching_onnx, check, check_equal, ort_python, run, work_folder, xsp_run

python = ort_python()
model = branching_onnx(python)
work_folder()
plain = run(python, PROGRAMS / "ort_ways_to_run.py", model)
done = xsp_run(python, PROGRAMS / "ort_ways_to_run.py", model, options=["-q"]).check_success()
check_equal((done.stdout, done.stderr), (plain.stdout, plain.stderr.decode()), "what the program prints")
asynchronous = 0 if b"no run_async" in plain.stdout else 2
runs = done.trace.of_kind(ORT_RUN)
check_equal([r.input for r in runs], ["[1,8,16,16]"] * (4 + asynchronous + 4 + 1), "runs and their inputs")
check_equal(len({r.scope for r in runs}), 5, "sessions")
layers = done.trace.of_kind(ORT_NODE)
own = [r for r in runs[:-1]]
check(len(layers) > 0 and len(layers) % len(own) == 0, f"{len(layers)} layers of {len(own)} runs")
each = len(layers) // len(own)
for one in own:
    inside = [s for s in layers if s.scope == one.scope and one.begin <= s.begin and s.end <= one.end]
    check_equal(len(inside), each, f"layers inside a run of {one.scope}")

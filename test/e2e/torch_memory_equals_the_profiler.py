"""The bytes of every layer, and what was live at the end and at the peak of every evaluation, are those that PyTorch's own
profiler tells in a run without XSP: convolutions, layers that work in place, branches that are joined, blocks that
outlive their call. What a layer allocates in another thread is in the peak, not in its bytes.
"""
import json
from collections import defaultdict

from support.trace_reader import OPERATOR, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

MOST_BEFORE_THE_PROFILER = 1_000_000

python = torch_python()
work_folder()
truth = run(python, PROGRAMS / "torch_memory.py", "profile")
check(truth.returncode == 0, truth.stderr.decode())
told = json.loads(truth.stdout)
check_equal(len(told["calls"]), 6, "model calls in the run without XSP")

trace = xsp_run(python, PROGRAMS / "torch_memory.py").check_success().trace
*roots, aside = trace.of_kind(TORCH_ROOT)
layers = trace.of_kind(TORCH_MODULE)
check_equal(len(roots), len(told["calls"]), "model spans")
check(all(span.has_bytes for span in roots + layers), "the bytes of every span are known")
before = None
for i, (root, expected, (live, peak)) in enumerate(zip(roots, told["layers"], told["calls"])):
    inside = [s for s in layers if root.begin <= s.begin and s.end <= root.end]
    check_equal([[s.name, s.bytes] for s in inside], expected, f"evaluation {i}: what its layers allocated")
    check(root.bytes >= sum(s.bytes for s in inside), f"evaluation {i}: the model allocated what its layers did")
    # What lived before the profiler was there, it does not know.
    if before is None:
        before = root.arguments["cpu_live"] - live
        check(0 <= before < MOST_BEFORE_THE_PROFILER, f"{before} bytes were live before the first model was made")
    check_equal(root.arguments, {"cpu_live": before + live, "cpu_peak": before + peak}, f"evaluation {i}: live memory")

operators = trace.of_kind(OPERATOR)
check(all(span.has_bytes for span in operators), "the bytes of every operator are known")
below = defaultdict(int)
for span in operators:
    below[id(span.above)] += span.bytes
for layer in layers:
    if layer.above is not aside:
        check(id(layer) in below, f"{layer.name} has operators")
        check_equal(below[id(layer)], layer.bytes, f"{layer.name}: what its operators allocated")

check_equal(aside.bytes, 40, "bytes of a layer that allocates in another thread, too")
check_equal(aside.arguments["cpu_peak"] - aside.arguments["cpu_live"], (4 << 20) - 40, "the other thread's block is in the peak")

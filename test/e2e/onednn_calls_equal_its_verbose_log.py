"""What oneDNN executes inside PyTorch is in the trace once, as library calls inside their layers: as many as ONEDNN_VERBOSE
prints. Where oneDNN is linked statically (the wheel) the calls come by ITT, with the text of the problem as argument.
"""
import collections

from support.trace_reader import ITT_TASK, LIBRARY_CALL, TORCH_MODULE
from support.xsp_e2e import PROGRAMS, check, check_equal, clean_environment, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
environment = clean_environment(ONEDNN_VERBOSE="1", OMP_NUM_THREADS="2")
done = xsp_run(python, PROGRAMS / "torch_onednn.py", env=environment).check_success()
log = []
for line in done.stdout.decode().splitlines():
    fields = line.split(",")
    if "exec" not in fields or not fields[0].endswith("_verbose"):
        continue
    log.append(",".join(fields[fields.index("exec") + 1 : -1]))
check(log, f"oneDNN logs what it executes:\n{done.stdout.decode()[:2000]}")

spans = sorted(done.trace.spans, key=lambda s: s.begin)
calls = [s for s in spans if s.kind == LIBRARY_CALL and s.type == "onednn" and "create" not in s.name]
wrapped = [s for s in calls if s.name == "dnnl_primitive_execute"]
itt = [s for s in calls if not s.name.startswith("dnnl_")]
check(not wrapped or not itt, "a call is recorded by its wrapper or by ITT, not by both")
check_equal(len(wrapped or itt), len(log), "calls in the trace and in oneDNN's log")
check_equal(done.trace.of_kind(ITT_TASK), [], "no task of oneDNN is an annotation")
if itt:
    primitives = [line.split(",")[1] for line in log]
    check_equal([s.name for s in itt], primitives, "primitives in order")
    problems = [s.arguments.get("problem") for s in itt]
    if any(problems):
        check_equal(problems, log, "problems")
    else:
        check("v1" not in done.stdout.decode(), "only oneDNN before version 3 sends no problem")
by_id = {(s.process, s.ring, s.id): s for s in spans}


def layer_of(span):
    while span is not None and span.level != "layer":
        span = by_id.get((span.process, span.ring, span.parent))
    return span


layers = collections.Counter(getattr(layer_of(s), "type", None) for s in wrapped or itt)
check(set(layers) <= {"Conv2d", "Linear"} and layers["Conv2d"] > 0, f"layers that the calls lie in: {layers}")
check(all(s.kind == TORCH_MODULE for s in map(layer_of, wrapped or itt)), "layers are PyTorch's modules")

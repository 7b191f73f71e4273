"""The layers of a session's call are the nodes that TensorFlow's own StepStats has of the same call: names, types, shapes of
outputs and bytes allocated. Constants, arguments and results are no layers.
"""
import json

from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import PROGRAMS, check, check_equal, tensorflow_python, work_folder, xsp_run

BOOKKEEPING = {"_Arg", "_Retval", "Const", "NoOp", "Identity", ""}

python = tensorflow_python()
work_folder()
recorded = xsp_run(python, PROGRAMS / "tensorflow_calls.py", "step_stats").check_success()
with open("step_stats.json") as file:
    nodes = json.load(file)
truth = sorted((name, type_, shapes) for name, type_, shapes, _ in nodes if type_ not in BOOKKEEPING)
bytes_of = {name: bytes_ for name, type_, _, bytes_ in nodes if type_ not in BOOKKEEPING}
check(len(truth) >= 4, f"StepStats has nodes: {nodes}")

calls = sorted(recorded.trace.of_kind(proto.KIND_RUN), key=lambda span: span.begin)
check_equal([call.name for call in calls], ["Session.run"] * 5, "calls")
check_equal({call.input for call in calls}, {"[4,32,32,3]"}, "input shapes")
last = calls[-1]
layers = [span for span in recorded.trace.of_kind(OPERATOR) if last.begin <= span.begin and span.end <= last.end]
check_equal({span.level for span in layers}, {"layer"}, "levels")
check_equal({span.scope for span in layers}, {last.scope}, "scopes")
found = sorted((span.name, span.type, [json.loads(shape) for shape in span.shape.split(";")]) for span in layers)
check_equal(found, truth, "layers of the last call")
check(sum(span.duration for span in layers) <= last.duration, "layers that run one after the other fit into their call")
check(all(span.has_bytes for span in layers), "allocations are known")
check_equal({span.name: span.bytes for span in layers}, bytes_of, "bytes allocated in the last call")

"""Sessions of graphs of TensorFlow 1, by Session.run and by Session.make_callable: each call is a model with its input shapes, whose
layers are the nodes of TensorFlow's own StepStats: names, types, shapes of outputs and bytes
allocated. The programs print the same as without XSP.
"""
import json

from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import PROGRAMS, check, check_equal, run, tensorflow_python, work_folder, xsp_run

BOOKKEEPING = {"_Arg", "_Retval", "Const", "NoOp", "Identity", "VariableV2", "VarHandleOp", "ReadVariableOp", ""}
PROGRAM = PROGRAMS / "tensorflow_sessions.py"

python = tensorflow_python()
work_folder()
for way, failing in (("run", 0), ("callable", 0), ("fails", 2)):
    bare = run(python, PROGRAM, way)
    recorded = xsp_run(python, PROGRAM, way).check_success()
    check_equal(recorded.stdout, bare.stdout, f"{way}: stdout")
    check("tensorflow: " not in recorded.stderr, f"{way}: {recorded.stderr}")
    if way == "run":
        with open("step_stats.json") as file:
            nodes = [node for node in json.load(file) if node[1] not in BOOKKEEPING]
        truth = sorted((name, kind, shapes) for name, kind, shapes, _ in nodes)
        bytes_of = {name: allocated for name, _, _, allocated in nodes}
        check(len(truth) >= 4, f"StepStats has nodes: {truth}")
    calls = sorted(recorded.trace.of_kind(proto.KIND_RUN), key=lambda span: span.begin)
    check_equal({call.name for call in calls}, {"Session.run"}, f"{way}: names")
    check_equal(sum(call.failed for call in calls), failing, f"{way}: failed calls")
    # The first call sets the variables.
    check_equal([call.input for call in calls[1:]][-1:], ["[4,32,32,3];[]"], f"{way}: input shapes of the last call")
    check_equal(len(calls), 1 + (3 if failing else 5), f"{way}: calls")
    last = calls[-1]
    layers = [span for span in recorded.trace.of_kind(OPERATOR) if last.begin <= span.begin and span.end <= last.end]
    check_equal({span.level for span in layers}, {"layer"}, f"{way}: levels")
    found = sorted((span.name, span.type, [json.loads(shape) for shape in span.shape.split(";")]) for span in layers)
    check_equal(found, truth, f"{way}: layers of the last call")
    check_equal({span.name: span.bytes for span in layers}, bytes_of, f"{way}: bytes allocated")

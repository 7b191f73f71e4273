"""--level model: no nodes, and each session is called what it is called where nodes are recorded, so that the runs of a
leveled set find each other.
"""
from support.trace_reader import ORT_RUN
from support.xsp_e2e import branching_onnx, check, check_equal, ort_python, work_folder, xsp_run

python = ort_python()
model = branching_onnx(python)
folder = work_folder()
(folder / "two.py").write_text("""
import sys
import numpy, onnxruntime
def session():
    return onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
first = session()
try:
    onnxruntime.InferenceSession("nowhere.onnx", providers=["CPUExecutionProvider"])
except Exception:
    pass
second = session()
for one in (second, first, second):
    entry = one.get_inputs()[0]
    shape = [1 if isinstance(size, str) else size for size in entry.shape]
    one.run(None, {entry.name: numpy.zeros(shape, numpy.float32)})
print("done")
""")
said = {}
for level in ("model", "layer"):
    done = xsp_run(python, "two.py", model, options=["--level", level]).check_success()
    check_equal(done.stdout, b"done\n", "stdout")
    spans = done.trace.of_kind(ORT_RUN)
    said[level] = [(span.name, span.scope, span.input) for span in spans]
scopes = [scope for _, scope, _ in said["model"]]
check(scopes[0] and scopes[0] == scopes[2] and scopes[1] not in ("", scopes[0]), f"scopes of two sessions: {scopes}")
check_equal(said["model"], said["layer"], "runs with --level model and with --level layer")

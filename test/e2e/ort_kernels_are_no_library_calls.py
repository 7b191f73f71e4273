"""ONNX Runtime's own kernels (MLAS) are inside it and call no library: none is recorded, and none is said to be missing."""
from support.trace_reader import LIBRARY_CALL, ORT_NODE
from support.xsp_e2e import PROGRAMS, branching_onnx, check, check_equal, ort_python, report, work_folder, xsp_run

python = ort_python()
model = branching_onnx(python)
work_folder()
done = xsp_run(python, PROGRAMS / "ort_infer.py", model, 3).check_success()
check(done.trace.of_kind(ORT_NODE), "no layers in the trace")
calls = [s for s in done.trace.of_kind(LIBRARY_CALL) if s.arguments.get("n") != 2]  # NumPy tries its BLAS when imported
check_equal(calls, [], "library calls")
check_equal(done.trace.unintercepted, [], "libraries that were not seen")
tables = report("trace.pb", "--analysis", "A2,Q1")
names = [column["name"] for column in tables["A2"]["columns"]]
for row in tables["A2"]["rows"]:
    shown = dict(zip(names, row))
    check(not shown.get("library_calls") and not shown.get("library"), f"a layer with library calls: {shown}")

"""A user who did not ask ORT for a profile sees none: no file in the working folder, none left in the scratch folder, and
the layers are in the trace all the same.
"""
import os
import tempfile

from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import PROGRAMS, branching_onnx, check_equal, clean_environment, ort_python, run, work_folder, xsp_run

python = ort_python()
model = branching_onnx(python)
folder = work_folder()
scratch_base = tempfile.mkdtemp(dir=folder)
own_scratch = tempfile.mkdtemp(dir=folder)
run(python, PROGRAMS / "ort_infer.py", model, 10, env=clean_environment(TMPDIR=own_scratch))
before = set(os.listdir(folder))
done = xsp_run(python, PROGRAMS / "ort_infer.py", model, 10, env=clean_environment(TMPDIR=scratch_base)).check_success()
check_equal(set(os.listdir(folder)) - before, {"trace.pb"}, "new files in the working folder")
check_equal(os.listdir(scratch_base), os.listdir(own_scratch), "left in the temporary folder, as without XSP")
trace = done.trace
check_equal(len(trace.of_kind(ORT_RUN)), 10, "model spans")
check_equal(len(trace.of_kind(ORT_NODE)) % 10, 0, "layers")
check_equal(len(trace.of_kind(ORT_NODE)) > 0, True, "there are layers")

"""Nodes of ONNX Runtime's parallel executor inside two runs at once: a serialised run, which OMP_NUM_THREADS=1 gives one
client, tells whose they are. What it does not tell, since clients overtook each other, stays ambiguous and says why."""
import json

from support.run_sets import xsp_set
from support.xsp_e2e import XSP_REPORT, branching_onnx, check, check_equal, clean_environment, ort_python, run, skip, work_folder

PROGRAM = """
import os, sys, threading
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
options.inter_op_num_threads = 2
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
image = session.get_inputs()[0]
data = numpy.ones([1 if isinstance(d, str) else d for d in image.shape], numpy.float32)
clients = int(os.environ.get("OMP_NUM_THREADS", "2"))
def serve():
    for _ in range(40 // clients):
        session.run(None, {image.name: data})
threads = [threading.Thread(target=serve) for _ in range(clients)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def quality(*inputs):
    done = run(XSP_REPORT, *inputs, "--format", "json", "-a", "Q1")
    check(done.returncode == 0, done.stderr.decode())
    return {row[0]: row for row in json.loads(done.stdout)["Q1"]["rows"] if row[1] == "all"}


python = ort_python()
model = branching_onnx(python)
work_folder()
environment = clean_environment()
environment.pop("OMP_NUM_THREADS", None)
done = xsp_set(python, "-c", PROGRAM, model, options=("--level", "layer", "--resolve"), env=environment).check_success()
alone = quality(done.folder / done.index["runs"][0]["trace"])
if alone["ambiguous"][2] == 0:
    skip("no node was inside two runs at once")
check("--resolve" in alone["ambiguous"][3], f"the note names no way out: {alone['ambiguous'][3]}")
together = quality(done.folder)
if together["ambiguous"][2] != 0:
    check("run 2) does not show it: " in together["ambiguous"][3], f"no reason: {together['ambiguous'][3]}")
check_equal(together["resolved"][2] + together["ambiguous"][2], alone["ambiguous"][2], "resolved and ambiguous nodes")
check_equal(together["spans"][2], alone["spans"][2], "the serialised run has no part in the tables")

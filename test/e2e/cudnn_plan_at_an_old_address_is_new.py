"""A plan that is made where a destroyed one was is read anew: its executions are not shown as the old one's."""
import json

from support.cuda_calls import installations
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, check, check_equal, run, work_folder, xsp_run

INPUTS = {"convolution-f16-nhwc": [8, 64, 28, 28], "small-f16-nhwc": [8, 16, 28, 28], "strided-f32-nhwc": [8, 64, 28, 28]}
TYPES = {"f16": "CUDNN_DATA_HALF", "f32": "CUDNN_DATA_FLOAT"}

work_folder()
for *_, cudnn in installations():
    command = [SYSTEM_PYTHON, PROGRAMS / "cudnn_graphs.py", cudnn, "reuse"]
    plain, done = run(*command), xsp_run(*command).check_success()
    check_equal(done.stdout, plain.stdout, "plans and statuses")
    lines = done.stdout.decode().splitlines()
    check("same address" in lines, "the allocator gave no address again: the test shows nothing")
    printed = [line.split() for line in lines if line[0].isdigit()]
    spans = sorted((s for s in done.trace.spans if s.name == "cudnnBackendExecute"), key=lambda span: span.begin)
    check_equal(len(spans), len(printed), "executions")
    for span, (_, graph, engine, _, workspace, _) in zip(spans, printed):
        plan = json.loads(span.arguments["plan"])
        (image,) = [tensor for tensor in plan["operationGraph"]["tensors"] if tensor["name"] == "1"]
        got = (image["dim"], image["dataType"], str(plan["engine"]["engineId"]), str(span.arguments["workspace"]))
        check_equal(got, (INPUTS[graph], TYPES[graph.split("-")[1]], engine, workspace), f"plan of {graph}")

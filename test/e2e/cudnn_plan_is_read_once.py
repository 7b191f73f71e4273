"""A plan that is executed a hundred times is asked for its JSON once, as cuDNN's own log of its calls says."""
import re
from pathlib import Path

from support.cuda_calls import installations
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, check, check_equal, clean_environment, work_folder, xsp_run

EXECUTIONS = 100

folder = work_folder()
for number, (*_, cudnn) in enumerate(installations()):
    log = folder / f"cudnn-{number}.log"
    environment = clean_environment(CUDNN_LOGLEVEL_DBG="3", CUDNN_LOGDEST_DBG=log)
    done = xsp_run(SYSTEM_PYTHON, PROGRAMS / "cudnn_graphs.py", cudnn, "repeat", env=environment).check_success()
    calls = re.findall(r"function (cudnnBackend\w+)\(\) called:((?:\n(?!I! ).*)*)", Path(log).read_text(errors="replace"))
    check_equal([name for name, _ in calls].count("cudnnBackendExecute"), EXECUTIONS, "executions in cuDNN's log")
    reads = [text for name, text in calls if name == "cudnnBackendGetAttribute" and "JSON_REPRESENTATION" in text]
    check(1 <= len(reads) <= 2, f"the JSON was asked for {len(reads)} times (its size, then itself)")
    spans = [span for span in done.trace.spans if span.name == "cudnnBackendExecute"]
    check_equal(len(spans), EXECUTIONS, "recorded executions")
    plans = {span.arguments["plan"] for span in spans}
    check(len(plans) == 1 and '"engineId"' in plans.pop(), "every execution has the plan's JSON")

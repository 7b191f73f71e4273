"""Runs of the C API before the delay is over leave no span and no profile of their own, also where runs are profiled one by
one; those behind it have their layers."""
from ort_hosts import environment, profile_host, write_model
from trace_reader import ORT_NODE, ORT_RUN
from xsp_e2e import check, work_folder

work_folder()
write_model([("slow", "Conv", "CPUExecutionProvider", 20000), ("fast", "Relu", "CPUExecutionProvider", 10)])
env = environment(fake="version=1.31.0", ORT_HOST_API=31)
done = profile_host("create", "run:60", options=["--delay", "600ms"], env=env).check_success()
runs, layers = done.trace.of_kind(ORT_RUN), done.trace.of_kind(ORT_NODE)
check(10 < len(runs) < 50, f"{len(runs)} runs behind the delay")
behind = [s for s in layers if s.begin >= runs[0].begin]
check(len(behind) == 2 * len(runs), f"{len(behind)} layers of {len(runs)} runs")

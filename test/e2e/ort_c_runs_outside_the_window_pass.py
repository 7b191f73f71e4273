"""Runs of the C API before the delay is over leave no span and no profile of their own, also where runs are profiled one by
one; those behind it have their layers, but for runs whose profile would take more than its share of time (a loaded machine).
"""
from support.ort_hosts import environment, profile_host, write_model
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import check, work_folder

work_folder()
write_model([("slow", "Conv", "CPUExecutionProvider", 20000), ("fast", "Relu", "CPUExecutionProvider", 10)])
env = environment(fake="version=1.31.0", ORT_HOST_API=31)
done = profile_host("create", "run:60", options=["--delay", "600ms"], env=env).check_success()
runs, layers = done.trace.of_kind(ORT_RUN), done.trace.of_kind(ORT_NODE)
check(10 < len(runs) < 50, f"{len(runs)} runs behind the delay")
behind = [s for s in layers if s.begin >= runs[0].begin]
inside = [sum(run.begin <= s.begin < run.end for s in behind) for run in runs]
check(sum(inside) == len(behind) and set(inside) <= {0, 2}, f"runs have all of their layers or none: {inside}")
check(2 * inside.count(2) >= len(runs), f"{inside.count(2)} of {len(runs)} runs have layers")

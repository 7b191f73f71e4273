"""With one run of each ten sampled, every run has its span and shapes and those of the others are shallow. Nodes come from ONNX
Runtime's own profile, which is ended behind the first runs of a session: those have all of their nodes, and no later one any.
"""
from support.trace_reader import ORT_NODE, ORT_RUN
from support.xsp_e2e import PROGRAMS, branching_onnx, check, check_equal, clean_environment, ort_python, work_folder, xsp_run

RUNS = 60
PROFILED = 20

python = ort_python()
work_folder()
model = branching_onnx(python)
plain = xsp_run(python, PROGRAMS / "ort_infer.py", model, RUNS).check_success()
nodes_of_a_run = len(plain.trace.of_kind(ORT_NODE)) // RUNS
sampled = xsp_run(python, PROGRAMS / "ort_infer.py", model, RUNS, env=clean_environment(XSP_SAMPLE="1/10")).check_success()
check_equal(sampled.stdout, plain.stdout, "output of the program")
runs, nodes = sampled.trace.of_kind(ORT_RUN), sampled.trace.of_kind(ORT_NODE)
check_equal(len(runs), RUNS, "runs")
check_equal([i // 10 for i, run in enumerate(runs) if not run.shallow], list(range(RUNS // 10)), "the tens of the sampled runs")
check(all(run.input for run in runs), "every run has its shapes")
check_equal(len({run.scope for run in runs}), 1, "scopes of the runs")
inside = [sum(run.begin <= node.begin < run.end for node in nodes) for run in runs]
check_equal(inside, [nodes_of_a_run] * PROFILED + [0] * (RUNS - PROFILED), "nodes of the runs")

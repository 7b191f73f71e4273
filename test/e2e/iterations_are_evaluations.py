"""With --model-span iterations A10, A11 and A15 of a trace without models are those of its steps."""
from support.iteration_plans import run_plan, training
from support.iteration_tables import rows_of
from support.xsp_e2e import check, check_equal, work_folder

STEPS = 24

work_folder()
run = run_plan(training(STEPS, jitter=0)).check_as_planned()
steps = run.steps()
kernels = [[o for o in step.operations if o.kind == "kernel"] for step in steps]

(outside,) = rows_of(run.tables("A15", options=["--per", "trace"]), "A15")
check_equal(outside["n"], None, "evaluations of a trace without models")
(steady,) = rows_of(run.tables("A15"), "A15")
check_equal((steady["n"] in (STEPS, STEPS - 1), steady["kernel_count"]), (True, len(kernels[0])), "iterations by default")

tables = run.tables("A10", "A11", "A15", options=["--model-span", "iterations", "--skip", "0"])
(model,) = rows_of(tables, "A15")
check_equal((model["n"], model["kernel_count"]), (STEPS, len(kernels[0])), "evaluations and kernels of each")
check(abs(model["kernel_latency_ms"] - 2.2) < 1e-4, f"time of its kernels: {model}")
of_step = {}
for o in kernels[0]:
    count, ns = of_step.get(o.name, (0, 0))
    of_step[o.name] = count + 1, ns + o.end - o.begin
rows = {row["kernel_name"]: row for row in rows_of(tables, "A10")}
check_equal({name: row["count"] for name, row in rows.items()}, {name: count for name, (count, _) in of_step.items()}, "A10")
for name, (_, ns) in of_step.items():
    check(abs(rows[name]["latency_ms"] - ns / 1e6) < 1e-4, f"A10 of {name}: {rows[name]}, and {ns} ns ran")

# Over the trace nothing is lost, nor counted twice.
tables = run.tables("A10", "A15", options=["--model-span", "iterations", "--per", "trace"])
whole = sum(o.end - o.begin for step in kernels for o in step) / 1e6
check_equal(sum(row["count"] for row in rows_of(tables, "A10")), sum(map(len, kernels)), "kernels of the trace")
total = sum(row["latency_ms"] for row in rows_of(tables, "A10"))
check(abs(total - whole) < 1e-6, f"their time: {total}, and {whole} ms ran")

"""Steps that are launched as one CUDA graph are iterations, and what a graph runs is theirs."""
from support.iteration_plans import US, Plan, backward, forward, run_plan, update
from support.iteration_tables import check_iterations, check_pattern, found_diagnoses, rows_of
from support.xsp_e2e import check_equal, work_folder

STEPS = 30

plan = Plan().add("capture", 0, 0)
forward(plan)
backward(plan)
update(plan)
plan.add("captured", 0)
for _ in range(STEPS):
    plan.step().pause(80 * US).to_device(100_000).add("launch", 0, 0).to_host()

work_folder()
run = run_plan(plan).check_as_planned()
tables = run.tables("D1", "D4")
check_pattern(tables, STEPS, "graph", length=27)
check_iterations(run, rows_of(tables, "D1"), run.steps(), "graph")
check_equal(found_diagnoses(tables), [], "faults found")

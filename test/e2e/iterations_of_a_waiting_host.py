"""Of a program that really waits for the device in every step and really stalls, on the machine's own times: the steps are
the iterations, and the stalls are found where they were.
"""
from support.iteration_plans import MS, Plan, backward, forward, run_plan, update
from support.iteration_tables import check_iterations, diagnosis, rows_of
from support.xsp_e2e import check, work_folder

STEPS, STALL = 42, 7

plan = Plan()
for number in range(STEPS):
    plan.step().host_waits(50 * MS if number % STALL == STALL - 1 else 1 * MS).to_device(150_000)
    forward(plan)
    backward(plan)
    update(plan)
    plan.to_host()

work_folder()
run = run_plan(plan).check_as_planned()
tables = run.tables("D1", "D4")
check_iterations(run, [row for row in rows_of(tables, "D1") if row["level"] == 0], run.steps(), "waiting host")
row, numbers = diagnosis(tables, "input_stall")
check(row["found"], f"the stalls are found: {row}")
stalls = set(range(STALL - 1, STEPS, STALL))
check(stalls <= set(numbers), f"the stalls are before {sorted(stalls)}: {row}")

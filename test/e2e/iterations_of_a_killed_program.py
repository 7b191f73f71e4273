"""A program that is killed leaves the steps that are whole in the trace as iterations: the one that was cut off is none."""
from support.iteration_plans import MS, US, forward, run_plan, training
from support.iteration_tables import check_iterations, rows_of
from support.xsp_e2e import check, work_folder

STEPS, OPERATIONS = 40, 27

work_folder()
plan = training(STEPS).step().pause(60 * US).to_device(150_000)
forward(plan)
run = run_plan(plan.host_waits(500 * MS).add("kill"))  # the last executions are still in CUPTI's buffers
check(run.done.returncode != 0, "the program was killed")
run.check_as_planned(is_whole=False)
whole = [step for step in run.steps() if len(step.operations) == OPERATIONS]
check(len(whole) >= STEPS // 2, f"{len(run.executed)} operations are in the trace")
rows = [row for row in rows_of(run.tables("D1"), "D1") if row["level"] == 0]
check_iterations(run, rows, whole, "killed")

"""The numbers of D2, of a loop and of each of its iterations, are those that the paper's definitions give for the raw trace:
with one stream, with copies that overlap work, with intervals and steps that vary.
"""
from support.iteration_plans import MS, US, Plan, backward, forward, run_plan, training, update
from support.iteration_tables import check_metrics, metrics_of, rows_of
from support.xsp_e2e import check_equal, work_folder

STEPS = 30


def overlapped():
    """The next batch is copied while this one is worked on, and half of the copy lies in the interval."""
    plan = Plan(streams=3)
    for _ in range(STEPS):
        plan.step().order(0, 1).order(0, 2)
        plan.pause(200 * US)
        plan.pause(70 * US, stream=1).pause(100 * US, stream=2).to_device(1_000_000, stream=1).to_device(4_000, stream=1)
        forward(plan)
        plan.memset(64_000, stream=2).kernel("side", 40, 3, stream=2).on_device(160_000, stream=2)
        plan.pause(15 * US)
        backward(plan)
        plan.to_host(64_000, stream=1)
        update(plan)
        plan.order(2, 0).order(1, 0)
    return plan


work_folder()
for what, plan, environment in (
    ("one stream", training(STEPS), {}),
    ("slow copies", training(STEPS, copied=lambda step: 1_000_000 + 10_000 * step), {"FAKE_CUDA_COPY_RATE": 1}),
    ("hosts that stall", training(STEPS, host=lambda step: 20 * MS if step % 7 == 3 else 60 * US), {}),
    ("overlapped copies", overlapped(), {}),
):
    run = run_plan(plan, **environment).check_as_planned()
    operations = next(iter(run.operations.values()))
    steps = run.steps()
    tables = run.tables("D2")
    rows = [row for row in rows_of(tables, "D2") if row["iterations"] == STEPS]
    check_equal(len(rows), 1, f"{what}: loops of {STEPS} iterations in D2")
    check_metrics(rows[0], metrics_of(operations, steps), what)

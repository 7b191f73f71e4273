"""Of a training loop without faults, in one stream and in three, the iterations are its steps, and no diagnosis is made."""
from support.iteration_plans import LAYERS, US, Plan, backward, forward, run_plan, training, update
from support.iteration_tables import check_iterations, check_pattern, found_diagnoses, rows_of
from support.xsp_e2e import check_equal, work_folder

STEPS = 40


def in_three_streams():
    """The batch's copy has a stream of its own, and half of the backward pass too."""
    plan = Plan(streams=3)
    for _ in range(STEPS):
        plan.step().order(0, 1).pause(60 * US, stream=1).to_device(150_000, stream=1).order(1, 0)
        forward(plan)
        plan.order(0, 2)
        backward(plan)
        for layer in range(LAYERS):
            plan.kernel("reduce_gradients", 80, 8 + layer, stream=2)
        plan.order(2, 0)
        update(plan)
        plan.to_host()
    return plan


work_folder()
for what, plan, environment in (("equal times", training(STEPS, jitter=0), {}), ("times that scatter", training(STEPS), {}),
                                ("three streams", in_three_streams(), {}),
                                ("records in any order", training(STEPS), {"misbehave": ["unordered"]})):  # fmt: skip
    run = run_plan(plan, **environment).check_as_planned()
    steps = run.steps()
    tables = run.tables("D1", "D3", "D4")
    check_pattern(tables, STEPS, what, length=len(steps[0].operations) if plan.streams == 1 else None)
    rows = [row for row in rows_of(tables, "D1") if row["level"] == 0]
    check_iterations(run, rows, steps, what)
    if plan.streams == 1:
        check_equal([row["deviations"] for row in rows], [0] * STEPS, f"{what}: deviations")
    check_equal(found_diagnoses(tables), [], f"{what}: faults found")

    classes = {"main": 0, "copy": 0, "assist": 0}
    for row in rows_of(tables, "D3"):
        classes[row["class"]] += 1
    check_equal(classes, {"main": 2, "copy": 1, "assist": 0} if plan.streams == 3 else {"main": 1, "copy": 0, "assist": 0},
                f"{what}: classes of the streams")  # fmt: skip
    contents = [sum(row[column] for row in rows_of(tables, "D3"))
                for column in ("kernels", "copies_to_device", "copies_to_host", "bytes_to_device", "bytes_to_host")]
    kernels = sum(o.kind == "kernel" for step in steps for o in step.operations)
    check_equal(contents, [kernels, STEPS, STEPS, STEPS * 150_000, STEPS * 4], f"{what}: what the streams executed")

"""D4 finds the fault that was planted in a training loop, and no other; the iterations are the program's in spite of it."""
from support.iteration_plans import MS, US, Plan, log, run_plan, train, training
from support.iteration_tables import check_iterations, diagnosis, found_diagnoses, rows_of
from support.xsp_e2e import check, check_equal, work_folder

STEPS = 42


def logging_every_tenth():
    plan = Plan()
    for number in range(STEPS):
        train(plan.step())
        if number % 10 == 9:
            log(plan)
    return plan


def launched_too_late():
    """Short kernels with the time of a launch between them."""
    plan = Plan()
    for _ in range(STEPS):
        plan.step().pause(60 * US).to_device(150_000)
        for layer in range(20):
            plan.kernel("elementwise", 5, 16 + layer).pause(20 * US)
        plan.kernel("multi_tensor_apply_adam", 5, 320).to_host()
    return plan


OUTLIERS = [11, 24]
# fault: plan, environment, the iterations that it is in (none: all)
FAULTS = {
    "graph_growth": (training(STEPS, host=lambda step: (60 + 100 * step) * US), {}, []),
    "input_stall": (training(STEPS, host=lambda step: 30 * MS if step % 7 == 6 else 60 * US), {}, range(6, STEPS, 7)),
    "copy_bound": (training(STEPS, copied=6_000_000), {"FAKE_CUDA_COPY_RATE": 1}, []),
    "host_bound": (training(STEPS, host=4 * MS), {}, []),
    "launch_bound": (launched_too_late(), {}, []),
    "drift": (training(STEPS, us=lambda step: 100 + 5 * step), {}, []),
    "periodic_work": (logging_every_tenth(), {}, range(9, STEPS, 10)),
    "outliers": (training(STEPS, us=lambda step: 800 if step in OUTLIERS else 100), {}, OUTLIERS),
    "warm_up": (training(STEPS, us=lambda step: 800 if step < 2 else 100), {}, [0, 1]),
}  # fmt: skip

work_folder()
for fault, (plan, environment, iterations) in FAULTS.items():
    run = run_plan(plan, **environment).check_as_planned()
    tables = run.tables("D1", "D4")
    check_iterations(run, [row for row in rows_of(tables, "D1") if row["level"] == 0], run.steps(), fault)
    told = [f"{row['diagnosis']}: {row['evidence']}" for row in rows_of(tables, "D4") if row["found"]]
    check_equal(found_diagnoses(tables), [fault], f"{fault}: faults found; {told}")
    row, numbers = diagnosis(tables, fault)
    check(row["evidence"] and row["advice"], f"{fault}: has evidence and advice: {row}")
    if iterations:
        check_equal(numbers, list(iterations), f"{fault}: iterations that it is in")

"""There are no iterations where nothing repeats or too little ran to tell: random kernels, one kernel, none, equal ones."""
import random

from support.iteration_plans import US, Plan, run_plan, training
from support.iteration_tables import check_no_loop, check_pattern, rows_of
from support.xsp_e2e import check, check_equal, work_folder


def random_kernels():
    plan, chance = Plan().step(), random.Random(3)
    for _ in range(1500):
        plan.kernel(f"kernel_{chance.randrange(12)}", 20, (chance.randrange(1, 300), chance.randrange(1, 4), 1))
        if chance.random() < 0.05:
            plan.pause(chance.randrange(200) * US)
        if chance.random() < 0.03:
            plan.to_device(chance.randrange(4, 10_000))
    return plan


def equal_kernels():
    plan = Plan().step()
    for _ in range(300):
        plan.kernel("kernel", 20)
    return plan


work_folder()
for what, plan in (("random kernels", random_kernels()), ("equal kernels", equal_kernels()), ("none", Plan()),
                   ("one kernel", Plan().step().kernel("kernel", 20)), ("one step", training(1))):  # fmt: skip
    run = run_plan(plan).check_as_planned()
    for options in ([], ["--mining", "suffix-tree"]):
        tables = run.tables("D1", "D2", "D3", "D4", options=options)
        check_no_loop(tables, f"{what} {options}")
        check_equal(rows_of(tables, "D2"), [], f"{what} {options}: rows of D2")
        check(not any(row["found"] for row in rows_of(tables, "D4")), f"{what} {options}: faults found")

# Of two repeats nobody can be sure.
tables = run_plan(training(2)).check_as_planned().tables("D1")
if rows_of(tables, "D1"):
    check_pattern(tables, 2, "two steps", least_confidence=0)
    check(tables["D1"]["pattern"]["confidence"] <= 0.5, f"confidence of two steps: {tables['D1']['pattern']}")

# No time at all is a time.
plan = Plan(jitter=0)
for _ in range(30):
    plan.step().pause(30 * US)
    for layer in range(8):
        plan.kernel(f"kernel_{layer}", 0)
run = run_plan(plan).check_as_planned()
check_pattern(run.tables("D1", "D2", "D4"), 30, "kernels without a length", length=8)

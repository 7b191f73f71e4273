"""Training and evaluation that alternate are two loops, each with its own iterations."""
from support.iteration_plans import Plan, evaluate, run_plan, train
from support.iteration_tables import check_iterations, found_diagnoses, loops_of
from support.xsp_e2e import check_equal, work_folder

EPOCHS, TRAINED, EVALUATED = 4, 20, 8

plan = Plan()
trained, evaluated = [], []
for _ in range(EPOCHS):
    for kind, count, numbers in ((train, TRAINED, trained), (evaluate, EVALUATED, evaluated)):
        for _ in range(count):
            numbers.append(plan.steps)
            kind(plan.step())

work_folder()
run = run_plan(plan).check_as_planned()
steps = run.steps()
tables = run.tables("D1", "D4")
loops = loops_of(tables)
counts = {key: len(rows) for key, rows in loops.items()}
for what, numbers in (("training", trained), ("evaluation", evaluated)):
    alike = [key for key, count in counts.items() if count == len(numbers)]
    check_equal(len(alike), 1, f"{what}: loops with {len(numbers)} iterations among {counts}")
    check_iterations(run, loops[alike[0]], [steps[number] for number in numbers], what)
check_equal(found_diagnoses(tables), [], "faults found")

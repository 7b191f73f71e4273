"""What the programs of the tests of iterations are to run is what runs, in order and for as long as the plan says, also in
several streams and replayed from a graph; and it is in the trace.
"""
from support.iteration_plans import LEAD, MS, US, Plan, run_plan, training
from support.xsp_e2e import check, check_equal, work_folder

STEPS = 5


def in_streams():
    """Copies in a stream of their own, and kernels that overlap in two."""
    plan = Plan(streams=3, jitter=0)
    for _ in range(STEPS):
        plan.step().pause(50 * US, stream=1).to_device(16_000, stream=1).order(1, 0).order(1, 2)
        plan.kernel("left", 100).kernel("right", 30, stream=2).kernel("nothing", 0).memset(6400)
        plan.order(0, 1).order(2, 1)
    return plan


def replayed():
    plan = Plan(jitter=0).add("capture", 0, 0).kernel("first", 20).kernel("second", 30, (2, 3, 4)).add("captured", 0)
    for _ in range(STEPS):
        plan.step().pause(1 * MS).add("launch", 0, 0)
    return plan


work_folder()
run = run_plan(training(STEPS, jitter=0)).check_as_planned()
steps = run.steps()
check_equal([len(step.operations) for step in steps], [27] * STEPS, "operations of a step")
for before, step in zip(steps, steps[1:]):
    # The loss' copy, the host, the batch's copy, as the stand-in has it: 2 us and 1 ns for 16 bytes.
    check(abs(step.begin - before.end - (2000 + 60_000 + 11_375)) <= 2, f"interval before step {step.number}")
    check(abs(step.end - step.begin - 2_200_000) <= 4, f"step {step.number} took {step.end - step.begin} ns")
for line, step in zip(sorted((l for l in run.written if "begin" in l), key=lambda l: l["step"]), steps):
    check_equal(line["step"], step.number, "step")
    check(line["begin"] + LEAD // 2 < step.begin, "the host is ahead of the device")

run = run_plan(in_streams()).check_as_planned()
for step in run.steps():
    check_equal([o.name for o in step.operations][0], "HtoD", "first of a step")
    check_equal(sorted(o.name for o in step.operations), sorted(["HtoD", "left", "right", "nothing", "memset"]), "a step's")
    check(abs(step.end - step.begin - 101_100) <= 4, f"step {step.number} took {step.end - step.begin} ns")

run = run_plan(replayed()).check_as_planned()
check_equal([[o.name for o in step.operations] for step in run.steps()], [["first", "second"]] * STEPS, "of a graph")

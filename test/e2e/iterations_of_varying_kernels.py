"""Where 0.1 % to 10 % of the kernels have another name or another grid than in the other steps, the iterations are still the
steps, and no fault is found; at 20 % nearly all steps are found.
"""
import random

from support.iteration_plans import Plan, run_plan, train
from support.iteration_tables import check_iterations, check_pattern, found_diagnoses, rows_of
from support.xsp_e2e import check, check_equal, work_folder

STEPS = 60


class Varied(Plan):
    def __init__(self, share, how):
        super().__init__()
        self.share, self.how, self.chance = share, how, random.Random(11)

    def kernel(self, name, us, grid=64, stream=0):
        if self.chance.random() < self.share:
            if self.how == "name":
                name += f"_variant_{self.chance.randrange(4)}"
            else:
                grid += 1000 + self.chance.randrange(50)
        return super().kernel(name, us, grid, stream)


work_folder()
for share in (0.001, 0.01, 0.05, 0.1, 0.2):
    for how in ("name", "grid"):
        what = f"{share:.1%} have another {how}"
        plan = Varied(share, how)
        for _ in range(STEPS):
            train(plan.step())
        run = run_plan(plan).check_as_planned()
        tables = run.tables("D1", "D4")
        rows = [row for row in rows_of(tables, "D1") if row["level"] == 0]
        if share < 0.2:
            check_pattern(tables, STEPS, what, length=27, least_confidence=0.6)
            check_iterations(run, rows, run.steps(), what, exact=share < 0.1)
            check_equal(found_diagnoses(tables), [], f"{what}: faults found")
        else:
            check(STEPS - 2 <= len(rows) <= STEPS, f"{what}: {len(rows)} iterations")
            check_equal(tables["D1"]["pattern"]["length"], 27, f"{what}: length of the pattern")

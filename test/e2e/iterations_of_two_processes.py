"""Of two processes that iterate at once the tables are of the one whose device was busy longest, or of the one that is asked
for; neither's iterations have the other's operations.
"""
from support.iteration_plans import Plan, evaluate, run_plan, training
from support.iteration_tables import check_iterations, check_pattern, rows_of
from support.xsp_e2e import check, work_folder

work_folder()
inference = Plan()
for _ in range(36):
    evaluate(inference.step())
run = run_plan([training(40), inference]).check_as_planned()
pids = sorted(run.operations, key=lambda pid: -sum(o.end - o.begin for o in run.operations[pid]))
for pid, count, options in ((pids[0], 40, []), (pids[1], 36, ["--process", pids[1]])):
    tables = run.tables("D1", options=options)
    check_pattern(tables, count, f"{options}")
    rows = [row for row in rows_of(tables, "D1") if row["level"] == 0]
    check_iterations(run, rows, run.steps(pid), f"{options}", pid=pid)
    check(options or any("process" in note for note in tables["D1"]["notes"]), f"a note names the other: {tables['D1']}")

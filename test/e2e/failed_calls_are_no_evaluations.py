"""Calls that end by an exception are in the trace, marked, and are no evaluations: the latencies are of the calls that
came to their end.
"""
from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, report, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = PROGRAMS / "calls_fail.py"
done = xsp_run(python, program).check_success()
check_equal(done.stdout, run(python, program).stdout, "stdout")
roots = done.trace.of_kind(TORCH_ROOT)
check_equal([sum(not r.failed for r in roots), sum(r.failed for r in roots)], [10, 3], "calls that ended well, and not")
failed_layers = {s.name for s in done.trace.of_kind(TORCH_MODULE) if s.failed}
check_equal(failed_layers, {"checked"}, "layers that failed")
tables = report(done.path, "-a", "A1,A2", "--skip", "1")
check_equal(len(tables["A1"]["rows"]), 1, "groups of evaluations")
check_equal(tables["A1"]["rows"][0][4], 9, "evaluations used: ten, less the first")
check_equal([row[1] for row in tables["A2"]["rows"]], ["first", "checked", "last"], "layers")
check(any("exception" in note for note in tables["A1"]["notes"]), f"a note says so: {tables['A1']['notes']}")

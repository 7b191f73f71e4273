"""Hundreds of processes in a moment, made in every way there is: each is in the trace with all of its spans, once."""
from support.span_counts import TraceCount
from support.xsp_e2e import BUILD, check_equal, work_folder, xsp_run

COUNTS = {"fork": 200, "threads": 80, "daemon": 20, "vfork": 50, "spawn": 50, "clone": 50, "again": 20}

work_folder()
processes_in_all = spans_in_all = 0
for how, count in COUNTS.items():
    done = xsp_run(BUILD / "test/e2e/many_processes", how, count).check_success()
    processes, spans = map(int, done.stdout.split())
    trace = TraceCount("trace.pb")
    found = [p for number, p in trace.processes.items() if number]
    for process in found:
        process.check_once()
    check_equal(len(found), processes, f"{how}: processes")
    check_equal(trace.spans, spans, f"{how}: spans")
    check_equal(sum(sum(p.losses.values()) for p in found), 0, f"{how}: losses")
    processes_in_all += processes
    spans_in_all += spans
print(f"figure: processes {processes_in_all}, spans {spans_in_all}, lost 0")

"""All descriptors closed by close_range, closefrom, close or dup2, and their numbers taken by files, pipes and sockets of
the program: nothing of XSP's comes into them, what was recorded before is in the trace, which says that the rest is missing,
and the program ends as ever. With no descriptor left from the start the program runs unrecorded."""
from support.span_counts import TraceCount
from support.xsp_e2e import BUILD, check, check_equal, run, work_folder, xsp_run

PROGRAM = BUILD / "test/e2e/closes_descriptors"

work_folder()
ways = ("close_range", "closefrom", "close", "dup2", "file", "limit")
recorded = 0
for how in ways:
    alone = run(PROGRAM, how)
    done = xsp_run(PROGRAM, how)
    check_equal((done.returncode, done.stdout), (alone.returncode, alone.stdout), f"{how}: the program; {done.stderr}")
    check_equal(done.stdout.decode().split(", ")[1], "0 foreign\n", f"{how}: bytes in the program's files")
    trace = TraceCount("trace.pb")
    spans = trace.spans
    told = any("the program closed the connection" in notice for notice in trace.notices)
    check_equal(told, how != "limit", f"{how}: the trace says that later spans are missing")
    check(how == "limit" or spans >= 1000, f"{how}: {spans} spans in the trace, 1000 had finished before")
    recorded += spans
print(f"figure: ways {len(ways)}, foreign bytes 0, spans kept of before the closing {recorded}")

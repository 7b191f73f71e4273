"""Ranges of a C program that uses NVTX: nested as pushed, whatever is popped too often; ended on another thread; texts
that are huge, no UTF-8 or control characters neither disturb the program nor the report. With NVIDIA's headers, where
they are, and by the ABI alone.
"""
from support.trace_reader import NVTX_RANGE
from support.xsp_e2e import BUILD, XSP_REPORT, check, check_equal, run, work_folder, xsp_run

work_folder()
for name in ("nvtx_by_abi", "nvtx_by_headers"):
    program = BUILD / "test/e2e" / name
    if not program.exists():
        print(f"{name} is not built: no NVTX headers")
        continue
    plain = run(program)
    done = xsp_run(program).check_success()
    check_equal((done.returncode, done.stdout), (plain.returncode, plain.stdout), f"{name}: outcome")
    check_equal(len(done.trace.processes), 1, f"{name}: the guest is loaded once, by two ways")
    spans = done.trace.of_kind(NVTX_RANGE)
    names = [s.name for s in spans]
    expected = ["outer", "inner", "mark", "in D", "handed over", "other thread", "registered", "x" * 4096]
    check_equal(names[:8], expected, f"{name}: ranges in order of their begin")
    check_equal(len(names), 11, f"{name}: what was never popped is no span: {names[8:]}")
    check("red" in names[9] and names[10] == "range", f"{name}: odd texts: {names[8:]}")
    by_name = {s.name: s for s in spans}
    check_equal({s.level for s in spans}, {"application"}, f"{name}: levels")
    for child, parent in (("inner", "outer"), ("mark", "inner"), ("in D", "inner")):
        check_equal(by_name[child].parent, by_name[parent].id, f"{name}: {child} is in {parent}")
    check(by_name["in D"].end > by_name["outer"].end, f"{name}: domains interleave")
    check_equal([by_name[n].type for n in ("outer", "in D", "registered")], ["", "D", "D"], f"{name}: domains")
    check_equal(by_name["mark"].begin, by_name["mark"].end, f"{name}: a mark takes no time")
    check_equal(by_name["other thread"].parent, 0, f"{name}: ranges of another thread")
    check_equal(by_name["handed over"].thread, by_name["outer"].thread, f"{name}: where the range was started")
    check(all(s.parent == 0 for s in spans[4:]), f"{name}: pops without a push end nothing that is still to come")
    report = run(XSP_REPORT, "--analysis", "Q1", done.path)
    check_equal(report.returncode, 0, report.stderr.decode())
    check(b"\x1b[31m" not in report.stdout + done.stderr.encode(), f"{name}: control characters reach no terminal")
level_model = xsp_run(BUILD / "test/e2e/nvtx_by_abi", options=["--level", "model"]).check_success()
check_equal(level_model.trace.spans, [], "--level model records no ranges")

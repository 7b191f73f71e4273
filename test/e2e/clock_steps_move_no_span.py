"""The time of day is set back and forth by hours while a program records, and the program may have a monotonic clock of
its own (a time namespace): every span lasts what it lasted by the program's own readings of CLOCK_MONOTONIC."""
import shutil

from support.xsp_e2e import BUILD, check, check_equal, clean_environment, run, work_folder, xsp_run

TOLERANCE_NS = 20_000  # of the map from ticks to nanoseconds, over a quarter of a second
PROGRAM = BUILD / "test/e2e/timed_spans"

work_folder()
cases = {"the time of day steps": ((PROGRAM,), clean_environment(LD_PRELOAD=BUILD / "test/e2e/libstepping_clock.so"))}
unshare = shutil.which("unshare")
in_namespace = (unshare, "--user", "--time", "--monotonic", "100000", "--fork", PROGRAM)
if unshare and run(*in_namespace).returncode == 0:
    cases["a time namespace"] = (in_namespace, clean_environment())
worst = 0
for what, (command, environment) in cases.items():
    done = xsp_run(*command, env=environment).check_success()
    readings = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    spans = sorted((s for s in done.trace.spans if s.name == "timed"), key=lambda s: s.begin)
    check_equal(len(spans), len(readings), f"{what}: spans")
    for span, (before, begun, ending, after) in zip(spans, readings):
        lasted = span.end - span.begin
        outside = max(ending - begun - lasted, lasted - (after - before), 0)
        worst = max(worst, outside)
        check(outside <= TOLERANCE_NS, f"{what}: a span of {ending - begun} to {after - before} ns lasts {lasted} ns")
print(f"figure: clocks {len(cases)}, spans {200 * len(cases)}, worst duration outside the program's own readings {worst} ns")

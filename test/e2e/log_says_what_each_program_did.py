"""--log-file: every program of XSP writes down what it did and found, in one file, and says no more and no less on its
own streams than without. --log-level chooses how much; without a file the log goes to standard error.
"""
from pathlib import Path

from support.xsp_e2e import (BUILD, XSP_COLLECTOR, XSP_REPORT, XSP_RUN, check, check_equal, run, work_folder, xsp_run)

PROGRAM = BUILD / "test/e2e/api_spans"
IMPORT = BUILD / "import/xsp-import"

work_folder()
Path("profile.json").write_text('{"traceEvents": [{"ph": "X", "name": "aten::add", "cat": "cpu_op", "pid": 1, "tid": 1, '
                                '"ts": 1, "dur": 2}]}')


def lines_of(log, program):
    """What a program wrote: the text after "[pid] level: "."""
    lines = [line for line in Path(log).read_text().splitlines() if f" {program}[" in line]
    return [line.split("] ", 1)[1] for line in lines]


silent = xsp_run(PROGRAM).check_success()
logged = xsp_run(PROGRAM, options=["--log-file", "log.txt"]).check_success()
check_equal(logged.stdout, silent.stdout, "standard output of the program")
check_equal(len(logged.stderr.splitlines()), len(silent.stderr.splitlines()), "lines of xsp-run")
said = lines_of("log.txt", "xsp-run")
check(any(line.startswith("info: the program ended after") for line in said), f"how the program ended: {said}")
collected = lines_of("log.txt", "xsp-collector")
check(any(line.startswith("info: finished") for line in collected), f"what the collector wrote: {collected}")

for command, program, expected in (
    ((XSP_REPORT, "-a", "A1", "trace.pb"), "xsp-report", "info: read trace.pb"),
    ((IMPORT, "profile.json", "-o", "imported.pb"), "xsp-import", "info: wrote imported.pb"),
):
    without = run(*command)
    Path("imported.pb").unlink(missing_ok=True)
    done = run(command[0], "--log-file", "tools.txt", *command[1:])
    Path("imported.pb").unlink(missing_ok=True)
    check_equal((done.returncode, done.stdout, done.stderr), (without.returncode, without.stdout, without.stderr),
                f"what {program} says")
    said = lines_of("tools.txt", program)
    check(any(line.startswith(expected) for line in said), f"the log of {program}: {said}")

to_stderr = run(XSP_REPORT, "--log-level", "info", "-a", "A1", "trace.pb")
check(b" info: read trace.pb" in to_stderr.stderr, f"the log on standard error: {to_stderr.stderr}")
check_equal(to_stderr.stdout, run(XSP_REPORT, "-a", "A1", "trace.pb").stdout, "the report beside it")
check(b"read trace.pb" not in run(XSP_REPORT, "--log-level", "error", "-a", "A1", "trace.pb").stderr, "only errors")

for command, status in (((XSP_RUN, "--log-level", "loud", "--", PROGRAM), 125),
                        ((XSP_REPORT, "--log-level", "loud", "trace.pb"), 2),
                        ((XSP_COLLECTOR, "--log-level", "loud", "--socket", "s", "-o", "x.pb"), 2),
                        ((IMPORT, "--log-level", "loud", "profile.json"), 2),
                        ((XSP_REPORT, "--log-file", "/nowhere/log.txt", "trace.pb"), 2)):
    done = run(*command)
    check_equal(done.returncode, status, f"exit status of {command}: {done.stderr}")
    check(b"error:" in done.stderr and b"hint:" in done.stderr, f"the message of {command}: {done.stderr}")

# What is no log is not written into, and one file is not two.
trace = Path("trace.pb").read_bytes()
check_equal(run(XSP_REPORT, "--log-file", "trace.pb", "trace.pb").returncode, 2, "a log over the trace")
check_equal(run(IMPORT, "--log-file", "profile.json", "profile.json").returncode, 2, "a log over the profile")
check_equal(Path("trace.pb").read_bytes(), trace, "the trace")
for command, status in (((IMPORT, "-o", "x.pb", "--log-file", "./x.pb", "profile.json"), 2),
                        ((XSP_RUN, "-o", "x.pb", "--log-file", "x.pb", "--", PROGRAM), 125),
                        ((XSP_REPORT, "-o", "x.txt", "--log-file", "x.txt", "trace.pb"), 2)):
    done = run(*command)
    check_equal(done.returncode, status, f"exit status of {command}: {done.stderr}")
    check(not Path("x.pb").exists() and not Path("x.txt").exists(), f"{command} writes nothing")

# Where standard output is closed, the log does not get its number.
done = run("sh", "-c", f'"{XSP_REPORT}" --log-file closed.txt trace.pb >&-')
check_equal(done.returncode, 5, "a report that goes nowhere")
log = Path("closed.txt").read_text().splitlines()
check(log and all(" xsp-report[" in line for line in log), f"only lines of the log: {log}")

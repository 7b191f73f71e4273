"""A run that fails stops the set: its exit status or signal is that of xsp-run, the end of its log is shown, and what was
measured before stays, with an index that says what is missing.
"""
import os
import signal

from support.run_sets import Set, python_set, xsp_set
from support.xsp_e2e import XSP_RUN, check, check_equal, run as run_program, work_folder

folder = work_folder()
FAILS = """
print("computing")
if int(sys.argv[1]) == 3:
    print("no such weight", file=sys.stderr)
    sys.stderr.flush()
    exec(sys.argv[2])
"""
for name, how, status, ending in (
    ("exit", "sys.exit(7)", 7, {"exit_status": 7}),
    ("kill", "os.kill(os.getpid(), 11)", -signal.SIGSEGV, {"signal": 11}),
):
    done = python_set(FAILS, "{run}", how, options=("--leveled", "--level", "library", "--runs", "2"), output=name)
    check_equal(done.returncode, status, f"exit status; stderr:\n{done.stderr}")
    index = done.index
    check_equal(index["state"], "stopped", "state of the set")
    check("run 3 of 6" in index["stopped_by"], index["stopped_by"])
    check_equal([run["state"] for run in index["runs"]], ["done"] * 2 + ["failed"] + ["planned"] * 3, "states")
    failed = index["runs"][2]
    check_equal({key: failed[key] for key in ("exit_status", "signal") if key in failed}, ending, "how it ended")
    check_equal(done.log(3), "computing\nno such weight\n", "its log")
    done.check_says("xsp: stopped: run 3 of 6 (M/L/library, repetition 1): the command ", "     no such weight\n")
    done.check_says(f"xsp: wrote {name}: 2 runs (1 M, 1 M/L)", "Next:\n")
    for run in index["runs"][:2]:
        check(done.trace(run).complete, f"{run['trace']} is whole")
    check(not (done.folder / index["runs"][3]["trace"]).exists(), "no further run")
    check_equal(done.stdout, b"computing\n", "stdout is the first run's")

# The first one fails: its output has been the user's; a warm-up that fails stops the set, too.
done = xsp_set("sh", "-c", "echo out; echo complaint >&2; exit 5", options=("--runs", "3"), output="first")
check_equal((done.returncode, done.stdout), (5, b"out\n"), done.stderr)
check_equal(done.stderr.count("complaint"), 1, done.stderr)
done = xsp_set("sh", "-c", "echo complaint >&2; exit 5", options=("--runs", "3", "--warmup", "1"), output="warm")
check_equal((done.returncode, done.index["state"]), (5, "stopped"), done.stderr)
check_equal([run["state"] for run in done.index["runs"]], ["planned"] * 3, "after a warm-up that failed")
done.check_says("     complaint\n")
done = python_set("", options=("--runs", "3", "--prepare", "echo not today; [ {run} -lt 2 ]"), output="prepare")
check_equal(done.returncode, 125, done.stderr)
done.check_says("run 2 of 3", "--prepare: the command ended with exit status 1: not today")
check_equal([run["state"] for run in done.index["runs"]], ["done", "failed", "planned"], "after --prepare failed")

# Where the index cannot be written behind a run that failed, that is said too.
done = xsp_set("sh", "-c", "mkdir unwritten/set.json.partial; exit 3", options=("--runs", "2"), output="unwritten")
check_equal(done.returncode, 3, done.stderr)
done.check_says("xsp: error: cannot write unwritten/set.json (", "the index does not tell how the set ended")

# A log at the limit of file sizes is the end of its command, not of xsp-run.
limited = ("bash", "-c", f'ulimit -f 8; exec "{XSP_RUN}" "$@"', "bash", "-o", "limited", "--runs", "2", "--", "bash", "-c",
           "head -c 100000 /dev/zero; echo complaint >&2; exit 5")
done = Set(run_program(*limited), "limited")
check_equal((done.returncode, done.index["state"]), (5, "stopped"), done.stderr)
check_equal([run["state"] for run in done.index["runs"]], ["failed", "planned"], "at the limit of file sizes")

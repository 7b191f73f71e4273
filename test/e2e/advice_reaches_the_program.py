"""What xsp-run --concurrency apply makes of advice, with a stand-in for xsp-report that says what it is told: the guest's policy
file, the variables of a whole run, the run that measures first, and the line at the end.
"""
import json
import os

from support.xsp_e2e import SOURCE, SYSTEM_PYTHON, XSP_RUN, check, check_equal, clean_environment, run, work_folder

if len(os.sched_getaffinity(0)) < 2:
    from support.xsp_e2e import skip

    skip("one processor: there is nothing to apply")
folder = work_folder()
(folder / "net.py").write_text(f"""
import json, os, sys
sys.path.insert(0, {str(SOURCE / "inject/api")!r})
import xsp
with open("ran", "a") as file:
    file.write("x")
with xsp.span("Net", level="model"):
    pass
words = os.environ.get("XSP_CONCURRENCY")
policies = [word[6:] for word in (words or "").split() if word.startswith("apply=")]
policy = open(policies[0]).read() if policies else None
print(json.dumps([words, policy, os.environ.get("OMP_NUM_THREADS"), os.environ.get("MKL_NUM_THREADS")]))
print("the last words", file=sys.stderr)
sys.exit(int(os.environ.get("FAILS_AT", 99)) == os.path.getsize("ran") and 3)
""")
report = folder / "report"
report.write_text(f"""#!{SYSTEM_PYTHON}
import sys
if "E2" in sys.argv:
    print(open({str(folder / "e2.json")!r}).read())
""")
report.chmod(0o755)
TYPES = {"policy": {"rule": "type", "threads": 0}, "policy_types": {"Conv2d": 1, "a\tb": 2}}
WHOLE = {"policy": {"rule": "whole_run", "threads": 3}}
GAINED = {"applied": {"measured_gain_pct": 4.21, "measured_low_pct": 1.1, "measured_high_pct": 7, "is_switched_off": False}}


def advise(rows=1, **extras):
    table = {"title": "", "columns": [{"name": "verdict"}], "rows": [["keep"]] * rows, **extras}
    (folder / "e2.json").write_text(json.dumps({"E2": table}))


def apply(way="apply", **environment):
    """Exit status, what the program saw in the run that has its output, how often it ran, and what xsp-run said."""
    (folder / "ran").unlink(missing_ok=True)
    done = run(XSP_RUN, "-f", "-o", "run.pb", "--concurrency", way, "--", SYSTEM_PYTHON, "net.py",
               env=clean_environment(XSP_REPORT=report, OMP_NUM_THREADS="7", **environment))
    seen = json.loads(done.stdout) if done.stdout else None
    return done.returncode, seen, (folder / "ran").stat().st_size, done.stderr.decode()


# Types of layers, measured first: the guest has the policy, and the environment is the program's.
advise(**TYPES, **GAINED, machine={"own": 7})
status, (words, policy, omp, mkl), times, said = apply()
check_equal((status, omp, mkl, times), (0, "7", None, 2), said)
check(words.startswith("apply=") and " cores=" in words, words)
check_equal(policy, "xsp-threads\t1\nown\t7\nwhole\t0\ntype\tConv2d\t1\ntype\ta%09b\t2\n", "the policy")
check("xsp: concurrency: the command runs twice" in said and "run.measured.pb" in said, said)
check("applying 1 thread to Conv2d, 2 threads to a\\x09b, in turns" in said and "last bits" in said, said)
check("xsp: concurrency: the advised setting is 4.2 % faster (1.1 to 7.0)" in said, said)
check((folder / "run.measured.pb").stat().st_size > 0, "the first trace is kept")

# The whole model, by the trace of before: one run.
advise(**WHOLE, applied={"is_switched_off": True})
status, (words, policy, omp, mkl), times, said = apply("apply=run.measured.pb")
check_equal((status, policy, times), (0, "xsp-threads\t1\nwhole\t3\n", 1), said)
check("xsp: concurrency: switched off, it was slower" in said, said)

# A set of whole runs: the variables that it was measured with, from begin to end.
(folder / "set").mkdir()
(folder / "set/set.json").write_text(json.dumps({"runs": [
    {"parameters": {"threads": "3"}, "variables": {"XSP_CONCURRENCY": "record sessions-intra=3", "LD_PRELOAD": "/evil.so"}}]}))
status, seen, times, said = apply("apply=set")
check_equal((status, seen, times), (0, ["record sessions-intra=3", None, "3", "3"], 1), said)
check("one run cannot measure the gain: xsp-bench --threads" in said, said)

# Nothing to apply: one line, and the program as it is.
for extras, why in (({"policy": {"rule": "none"}}, "no other number of threads was faster"), ({"rows": 0}, "no model")):
    advise(**extras)
    status, seen, times, said = apply()
    check_equal((status, seen, times), (0, [None, None, "7", None], 2), said)
    check("nothing to apply (" in said and why in said and "runs unchanged" in said, said)

# Another machine, and a first run that fails.
advise(**WHOLE, machine={"cores": 4096})
done = run(XSP_RUN, "-o", "x.pb", "--concurrency", "apply=run.measured.pb", "--", "touch", "ran-elsewhere",
           env=clean_environment(XSP_REPORT=report))
check_equal(done.returncode, 125, done.stderr)
check(b"was measured with 4096 cores" in done.stderr and b"hint: measure again here" in done.stderr, done.stderr)
check(not (folder / "ran-elsewhere").exists(), "refused before the program runs")
advise(**WHOLE)
status, seen, times, said = apply(FAILS_AT="1")
check_equal((status, seen, times), (3, None, 1), said)
check("the measuring run: the command ended with exit status 3: the last words; it is not run again" in said, said)

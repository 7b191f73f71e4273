"""On one core there is no number of threads to choose: xsp-bench --threads measures one point and says why, xsp-run --concurrency
runs the program once, unchanged.
"""
import os

from support.sweep import XSP_BENCH, Sweep
from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, SOURCE, check, check_equal, clean_environment, run, work_folder

folder = work_folder()
(folder / "net.py").write_text(f"""
import os, sys
sys.path.insert(0, {str(SOURCE / "inject/api")!r})
import xsp
with xsp.span("Net", level="model"):
    with xsp.span("conv", level="layer"):
        pass
print("ran with", os.environ.get("OMP_NUM_THREADS"), os.environ.get("XSP_CONCURRENCY"))
""")
PROGRAM = ("--", SYSTEM_PYTHON, "net.py")
cpu = min(os.sched_getaffinity(0))
on_one = {"preexec_fn": lambda: os.sched_setaffinity(0, {cpu})}
plain = {k: v for k, v in clean_environment().items() if k != "OMP_NUM_THREADS"}

done = run(XSP_BENCH, "-f", "-o", "set", "--threads", "-r", "1", *PROGRAM, env=plain, **on_one)
swept = Sweep(done.returncode, done.stdout, done.stderr, "set")
check_equal(swept.returncode, 0, swept.stderr)
check("one core can be used" in swept.stderr, swept.stderr)
check_equal(set(swept.states("threads")), {("1", "done")}, "one point")
check("A1" in swept.tables, f"the model's latency: {swept.tables}")

done = run(XSP_RUN, "-f", "-o", "measured.pb", "--concurrency", "measure", *PROGRAM, env=plain, **on_one)
check_equal(done.returncode, 0, done.stderr)
check(b"one core can be used" in done.stderr, done.stderr)
check_equal(done.stdout, b"ran with None measure cores=1\n", "the guest knows that there is one core")

done = run(XSP_RUN, "-f", "-o", "applied.pb", "--concurrency", "apply", *PROGRAM, env=plain, **on_one)
check_equal(done.returncode, 0, done.stderr)
check(b"nothing to apply (one core can be used): the program runs unchanged" in done.stderr, done.stderr)
check_equal(done.stdout, b"ran with None None\n", "one run, with nothing to do for the guest")
check(not (folder / "applied.measured.pb").exists(), "no run that measures")

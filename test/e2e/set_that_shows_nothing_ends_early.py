"""Where the first run records nothing, the others are not made. Runs that should be the same and are not are told."""
from support.run_sets import python_set, xsp_set
from support.xsp_e2e import check_equal, work_folder

work_folder()
done = xsp_set("sh", "-c", "echo x >> ran", options=("--leveled", "--level", "library", "--runs", "3"))
check_equal(done.returncode, 125, done.stderr)
with open("ran") as ran:
    check_equal(ran.read(), "x\n", "runs")
check_equal(done.index["state"], "stopped", "state of the set")
check_equal([run["state"] for run in done.index["runs"]][:2], ["done", "planned"], "states")
done.check_says("no model call was seen, and 8 further runs would show nothing", "xsp-run --check")

DIFFERS = """
if sys.argv[1] == "2":
    time.sleep(1)
    with xsp.span("predict", level="model"): pass
"""
done = python_set(DIFFERS, "{run}", options=("--runs", "2"), output="differs").check_success()
done.check_says("xsp: warning: run 2 took ", "xsp: warning: run 2 recorded 7 spans, run 1 of the same level 6")

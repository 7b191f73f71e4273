"""--time-limit begins no further run after it: what was measured stays, and the index says what was not."""
from support.run_sets import python_set
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
done = python_set("time.sleep(0.5)", options=("--runs", "50", "--time-limit", "1s")).check_success()
index = done.index
states = [run["state"] for run in index["runs"]]
made = states.count("done")
check(1 <= made <= 4, f"runs within a second: {made}")
check_equal(states, ["done"] * made + ["dropped"] * (50 - made), "states")
check_equal((index["state"], index["stopped_by"]), ("stopped", "--time-limit"), "the set")
done.check_says(f"xsp: stopped by --time-limit: {made} of 50 runs were made", f"xsp: wrote set: {made} run", " left)")

"""--leveled: one trace for each level set, whose header says which run of which set it is and how deep it goes; the index
names them all. Repetitions are interleaved, every second one backwards.
"""
from support.run_sets import python_set
from support.xsp_e2e import check, check_equal, work_folder

folder = work_folder()
done = python_set("", options=("--leveled", "--level", "library", "--runs", "2")).check_success()
index = done.index
check_equal((index["format"], index["state"]), (1, "complete"), "the index")
levels = ["model", "layer", "library", "library", "layer", "model"]
check_equal([run["level"] for run in index["runs"]], levels, "order of the level sets")
check_equal([run["repetition"] for run in index["runs"]], [1, 1, 1, 2, 2, 2], "repetitions")
for number, (run, level) in enumerate(zip(index["runs"], levels), 1):
    check_equal((run["index"], run["state"], run["exit_status"], run["purpose"]), (number, "done", 0, "latencies"), run)
    check(0 < run["seconds"] < 60, f"its seconds: {run}")
    trace = done.trace(run)
    check(trace.complete, f"{run['trace']} is whole")
    check_equal(trace.header["level"], level, "level in the header")
    expected = {"set": index["set"], "index": number, "repetition": run["repetition"], "purpose": "LATENCIES",
                "parameters": []}  # fmt: skip
    check_equal(trace.header["run"], expected, "the run in the header")
    check_equal(sum(span.name == "predict" for span in trace.spans), 2, f"model calls in {run['trace']}")
names = sorted(path.name for path in done.folder.iterdir())
check_equal(names, sorted([run[key] for run in index["runs"] for key in ("trace", "log")] + ["set.json"]), "files")
done.check_says("xsp: run 3/6: M/L/library, repetition 1", "xsp: wrote set: 6 runs (2 M, 2 M/L, 2 M/L/library) in ")
check_equal(sorted(path.name for path in folder.iterdir()), ["set"], "nothing beside the set")

# A level ends them; -q says nothing; without -o a name that is free.
done = python_set("", options=("--leveled", "--level", "layer", "-q"), output="shallow").check_success()
check_equal([run["level"] for run in done.index["runs"]], ["model", "layer"], "--level layer")
check_equal(done.stderr, "", "-q")

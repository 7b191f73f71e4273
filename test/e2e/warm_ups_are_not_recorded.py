"""--warmup runs the command first, without XSP in it; those runs are in no trace, no log and no index."""
from support.run_sets import python_set
from support.xsp_e2e import check_equal, work_folder

folder = work_folder()
SHOWS = """
with open("preloads", "a") as file:
    print(sys.argv[1], "libxsp" in os.environ.get("LD_PRELOAD", ""), file=file)
"""
done = python_set(SHOWS, "{run}", options=("--runs", "2", "--warmup", "2")).check_success()
check_equal((folder / "preloads").read_text().splitlines(), ["0 False", "0 False", "1 True", "2 True"], "runs")
check_equal([run["state"] for run in done.index["runs"]], ["done", "done"], "the index")
names = sorted(path.name for path in (folder / "set").iterdir())
check_equal(names, ["001-all.log", "001-all.pb", "002-all.log", "002-all.pb", "set.json"], "files")
done.check_says("xsp: warm-up 1\n", "xsp: warm-up 2\n", "xsp: run 1/2: ")

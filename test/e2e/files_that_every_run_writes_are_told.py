"""Where the command writes a file that its arguments name, every run writes over it: the user is told behind the first
run. {run} in the arguments is the number of the run, so that each has a file of its own; {{run}} stays {run}.
"""
from support.run_sets import python_set
from support.xsp_e2e import check, check_equal, work_folder

folder = work_folder()
WRITES = """
with open(sys.argv[1].split("=")[-1], "a") as file: file.write(sys.argv[2] + " ")
"""
TWO = ("--runs", "2")
warning = "xsp: warning: the command has written "
for argument in ("out.txt", "--out=there.txt"):
    done = python_set(WRITES, argument, "x", options=TWO, output=f"{argument}-set").check_success()
    name = argument.split("=")[-1]
    check_equal((folder / name).read_text(), "x x ", "the file")
    done.check_says(f"{warning}{name}: every run writes over it")
    check_equal(done.stderr.count(warning), 1, done.stderr)

done = python_set(WRITES, "mine-{run}.txt", "{run}+{{run}}", options=TWO, output="numbered").check_success()
check(warning not in done.stderr, done.stderr)
texts = [(folder / f"mine-{number}.txt").read_text() for number in (1, 2)]
check_equal(texts, ["1+{run} ", "2+{run} "], "a file for each run")
check_equal(done.index["command"][-2:], ["mine-{run}.txt", "{run}+{{run}}"], "the index has the command as it was given")
check_equal(done.trace(done.index["runs"][1]).header["command"][-2:], ["mine-2.txt", "2+{run}"], "the trace's command")

# --prepare puts the world in order before each run, and is not one of them.
options = (*TWO, "--prepare", "rm -f out.txt; echo {run} >> prepared")
done = python_set(WRITES, "out.txt", "y", options=options, output="prepared-set").check_success()
check_equal(((folder / "out.txt").read_text(), (folder / "prepared").read_text()), ("y ", "1\n2\n"), "--prepare")
check(warning not in done.stderr, done.stderr)

# A file that is only read is none of them.
(folder / "weights").write_text("w")
done = python_set("open(sys.argv[1]).read()", "weights", options=TWO, output="read").check_success()
check(warning not in done.stderr, done.stderr)

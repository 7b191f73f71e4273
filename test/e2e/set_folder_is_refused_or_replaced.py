"""A set has a folder to itself. What stands there is refused before the program starts; --force replaces an earlier set,
and touches nothing that is not of it.
"""
import os

from support.run_sets import MODEL, python_set, xsp_set
from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, run, work_folder

folder = work_folder()
ran = folder / "ran"
touch = ("touch", ran)


def refused(*options, output, hint):
    done = xsp_set(*touch, options=("--runs", "2", *options), output=output)
    check_equal((done.returncode, done.stdout), (125, b""), done.stderr)
    check(done.stderr.startswith("xsp-run: error: "), done.stderr)
    check(hint in done.stderr, f"{hint!r} is not in: {done.stderr}")
    check(not ran.exists(), "the program has run")


(folder / "file").write_text("precious")
(folder / "thesis").mkdir()
(folder / "thesis/thesis.tex").write_text("precious")
refused(output="file", hint="is a file")
refused("-f", output="file", hint="is a file")
refused(output="file/set", hint="is a file")
refused(output="thesis", hint="is not empty")
refused("-f", output="thesis", hint="no set of runs")
refused("--input", "nowhere", output="new", hint="--input: cannot read nowhere")
refused("--input", "thesis", output="new", hint="no file that every run can read")
os.mkfifo("pipe")
refused("--input", "pipe", output="new", hint="no file that every run can read")
check_equal((folder / "thesis/thesis.tex").read_text() + (folder / "file").read_text(), "precious" * 2, "what was there")
check(not (folder / "new").exists(), "a refused set makes no folder")
done = xsp_set("no-such-program", options=("--runs", "2"), output="new")
check_equal((done.returncode, (folder / "new").exists()), (127, False), done.stderr)

first = python_set("", options=("--runs", "3")).check_success().index
refused(output="set", hint="--force replaces its traces")
(folder / "set/notes.txt").write_text("precious")
done = python_set("", options=("--leveled", "--level", "model", "-f")).check_success()
check(done.index["set"] != first["set"], "the set is a new one")
names = sorted(path.name for path in (folder / "set").iterdir())
check_equal(names, ["001-model.log", "001-model.pb", "notes.txt", "set.json"], "files after --force")

# An empty folder is as good as none; without a name each set has its own.
(folder / "empty").mkdir()
python_set("", options=("--runs", "2"), output="empty").check_success()
for _ in range(2):
    done = run(XSP_RUN, "--resolve", "-q", "--", SYSTEM_PYTHON, "-c", MODEL)
    check_equal(done.returncode, 0, done.stderr.decode())
names = [path.name for path in folder.iterdir() if path.name.startswith("xsp-python3-")]
check_equal(len(names), 2, f"sets without a name: {names}")

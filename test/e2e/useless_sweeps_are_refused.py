"""What can be known to be wrong with a sweep is said before anything runs, and leaves nothing behind."""
import os

from support.sweep import XSP_BENCH, bench
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, check, check_equal, run, work_folder

folder = work_folder()
program = ("touch", "ran-{batch}")


def refused(why, *arguments, code=125):
    done = run(XSP_BENCH, "-o", "set", *arguments)
    check_equal(done.returncode, code, f"{arguments}: {done.stderr.decode()}")
    check(why in done.stderr.decode(), f"{arguments} should be refused with {why!r}:\n{done.stderr.decode()}")
    check_equal(os.listdir(), [], f"{arguments}: nothing ran, nothing is left")


refused("{batch} is nowhere in the command", "-L", "batch", "1,2", "--", "touch", "ran")
refused("'touch' 'ran'", "-L", "batch", "1,2", "--", "touch", "ran")
refused("by adding or by multiplying", "-L", "batch", "1,2,...,256", "--", *program)
refused("1 is there twice", "-L", "batch", "1,1", "--", *program)
refused("no parameter to sweep", "--", *program)
refused("first value of batch only", "--auto", "-L", "batch", "1,2", "--", *program)
refused("is no number of inputs", "-L", "batch", "a,b", "--inputs", "{batch}", "--", *program)
refused("--export-json: cannot write", "-L", "batch", "1,2", "--export-json", "no/such/folder.json", "--", *program)
refused("command not found", "-L", "batch", "1,2", "--", "no-such-command", "{batch}", code=127)
refused("command not found", "-L", "program", "touch,no-such-command", "--", "{program}", "ran", code=127)

(folder / "set").mkdir()
(folder / "set" / "mine").write_text("")
done = run(XSP_BENCH, "-o", "set", "-L", "batch", "1,2", "--", *program)
check_equal(done.returncode, 125, "a folder with other things in it")
check_equal(sorted(os.listdir()), ["set"], "nothing ran")

one = bench("-L", "batch", "1", "--", SYSTEM_PYTHON, PROGRAMS / "batch_law.py", "{batch}", "{other}", folder="one")
check_equal(one.returncode, 0, one.stderr)
check("there is no optimum to find" in one.stderr, f"one point is measured, with a word:\n{one.stderr}")
check("{other} is no parameter" in one.stderr, f"other braces are the program's, with a word:\n{one.stderr}")

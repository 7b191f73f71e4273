"""All runs of a set have the same standard streams: no input, a file, or the file that is xsp-run's own input; what they
print goes to logs, and what the first prints to the user, once, each stream to its own. A program that waits for input
sees its end, and the user is told.
"""
import os
import pty
import subprocess

from support.run_sets import MODEL, Set, python_set
from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, clean_environment, work_folder

folder = work_folder()
LOOKS = """
import stat
kinds = [stat.S_IFMT(os.fstat(fd).st_mode) == stat.S_IFREG for fd in (0, 1, 2)]
print(kinds, [os.isatty(fd) for fd in (0, 1, 2)], repr(sys.stdin.read()))
print("complaint", file=sys.stderr)
"""
THREE = ("--leveled", "--level", "library")


def check_streams(done, first, text):
    done.check_success()
    expected = f"{[first, True, True]} {[False] * 3} {text!r}\n"
    for number in (1, 2, 3):
        check_equal(done.log(number), expected + "complaint\n", f"log of run {number}")
    check_equal(done.stdout.decode(), expected, "stdout of xsp-run")
    check_equal(done.stderr.count("complaint"), 1, f"stderr of xsp-run:\n{done.stderr}")


(folder / "given").write_text("one\ntwo\n")
check_streams(python_set(LOOKS, options=THREE, output="none"), False, "")
check_streams(python_set(LOOKS, options=(*THREE, "--input", "given"), output="file"), True, "one\ntwo\n")
with open("given") as given:
    os.lseek(given.fileno(), 4, os.SEEK_SET)
    check_streams(python_set(LOOKS, options=THREE, output="own", stdin=given), True, "two\n")

told = "xsp: the runs get no input"
done = python_set(LOOKS, options=THREE, output="pipe", input=b"from a pipe")
check_streams(done, False, "")
check_equal(done.stderr.count(told), 1, f"a pipe is told, once:\n{done.stderr}")
check(told not in python_set(LOOKS, options=THREE, output="silent").stderr, "without an input there is nothing to tell")

controller, terminal = pty.openpty()
command = [XSP_RUN, "-o", "terminal", *THREE, "--", SYSTEM_PYTHON, "-c", MODEL + "print(len(input()))"]
process = subprocess.run([str(word) for word in command], stdin=terminal, capture_output=True, timeout=60,
                         env=clean_environment())  # fmt: skip
done = Set(process, "terminal")
check_equal(done.returncode, 1, "a program that reads a line")
done.check_says(told, "EOFError", "xsp: stopped: run 1 of 3")

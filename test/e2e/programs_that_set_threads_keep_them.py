"""A program that calls torch.set_num_threads() inside a model call, while xsp-run --concurrency measure computes it with another
number, has afterwards what it would have had without; and no further number is tried.
"""
import json

from support.trace_messages import packets
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

SET_BY_PROGRAM = 5
python = torch_python()
work_folder()


def words_of(done):
    return {name: json.loads(done.stdout)[name] for name in ("between", "started", "seen")}


# Whichever number a call has: its turn comes within four calls.
for words in (["restores"], *(["sets-inside", call] for call in range(10, 14))):
    command = [python, PROGRAMS / "torch_threads.py", 40, *words]
    plain = run(*command)
    check_equal(plain.returncode, 0, f"{words}: exit status; {plain.stderr.decode()}")
    done = xsp_run(*command, options=["--concurrency", "measure"]).check_success()
    check_equal(words_of(done), words_of(plain), f"{words}: numbers of threads")
    ended = [p.thread_counts.ended for _, p in packets(open("trace.pb", "rb").read()) if p.HasField("thread_counts")]
    check(SET_BY_PROGRAM in ended, f"{words}: the program's word is the last: {ended}")

"""The C library takes the thread-local storage of all libraries (94 KiB in libcublasLt alone) out of the stack of every
thread: our sender has enough left to run, and says goodbye.
"""
import re

from fake_cuda import compare, fake
from trace_reader import GOODBYE
from xsp_e2e import check, check_equal, run, work_folder

work_folder()
headers = run("readelf", "-lW", fake("libcublasLt.so.13")).stdout.decode()
size = int(re.search(r"^\s+TLS(?:\s+0x\w+){4}\s+(0x\w+)", headers, re.MULTILINE)[1], 16)
check(size > 100_000, f"the stand-in has {size} bytes of thread-local storage")
outcome = compare(fake("linked")).check_unchanged().check_recorded()
check_equal([process.end for process in outcome.trace.processes.values()], [GOODBYE], "ends of the processes")

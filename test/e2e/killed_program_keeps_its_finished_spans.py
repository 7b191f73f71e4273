"""SIGKILL at a random moment: every module call that had finished is in the trace exactly once, with its name; the call in
progress is named; xsp-run dies by the same signal.
"""
import os
import random
import signal
import struct
import time
from collections import Counter
from pathlib import Path

from support.trace_reader import DISCONNECTED, TORCH_MODULE, TORCH_ROOT, read_trace
from support.xsp_e2e import PROGRAMS, check, check_equal, start_xsp_run, torch_python, wait_until, work_folder

python = torch_python()
folder = work_folder()
counter = folder / "counter"


def numbers():
    return struct.unpack("<QQ", counter.read_bytes())


for attempt in range(4):
    counter.write_bytes(bytes(16))
    process = start_xsp_run(python, PROGRAMS / "counts_finished_calls.py", counter)
    wait_until(lambda: numbers()[1] > 20, "the program calls its model")
    time.sleep(random.uniform(0, 0.4))
    os.kill(numbers()[0], signal.SIGKILL)
    _, stderr = process.communicate(timeout=60)
    check_equal(process.returncode, -signal.SIGKILL, f"xsp-run dies by the signal of its command; stderr: {stderr.decode()}")
    finished = numbers()[1]

    trace = read_trace(Path("trace.pb"))
    roots, layers = trace.of_kind(TORCH_ROOT), trace.of_kind(TORCH_MODULE)
    check_equal([p.losses for p in trace.processes.values() if any(p.losses.values())], [], "losses")
    check(len(roots) in (finished, finished + 1), f"{finished} calls finished, {len(roots)} model spans in the trace")
    check(3 * len(roots) <= len(layers) <= 3 * len(roots) + 3, f"{len(layers)} layers of {len(roots)} model calls")
    check_equal(Counter(s.name for s in layers).keys(), {"0", "1", "2"}, "names of the layers")
    check(all(s.has_bytes for s in roots + layers), "what each call allocated is known")
    check(all(s.arguments["cpu_peak"] >= s.arguments["cpu_live"] for s in roots), "what was live in each model call")
    twice = [i for i, n in Counter((s.process, s.ring, s.id) for s in trace.spans).items() if n > 1]
    check_equal(twice, [], "spans that are there twice")
    check_equal([p.end for p in trace.processes.values()], [DISCONNECTED], "how the process ended")

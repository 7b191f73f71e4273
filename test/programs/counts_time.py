"""Unmodified but for its own spans: one of 10 ms after the other, for as many seconds as the first argument says. Prints
the times of CLOCK_MONOTONIC at which each began, in nanoseconds. Its child of `fork` does the same.
"""
import os
import sys
import time

import xsp

end = time.monotonic() + float(sys.argv[1])
child = os.fork()
begins = []
while time.monotonic() < end:
    begins.append(time.monotonic_ns())
    with xsp.span("child" if child == 0 else "parent"):
        time.sleep(0.01)
if child != 0:
    os.waitpid(child, 0)
    print(*begins)

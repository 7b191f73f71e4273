"""Launches, library calls, copies, captures, replays, flushes, profilers, kills and endings as chance mixes them, on CUPTIs of all
versions at their worst: every execution has its launch, call, layer and times, or is counted as lost with the reason.
`random_interleavings_agree_with_the_driver.py [NUMBER [FIRST]]`: of so many seeds.
"""
import sys

from support.interleavings import compare
from support.xsp_e2e import work_folder

work_folder()
number, first = (int(word) for word in (*sys.argv[1:], *("60", "1")[len(sys.argv) - 1 :]))
compare(range(first, first + number))

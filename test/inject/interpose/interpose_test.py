"""interpose_test.py CASE PROGRAM GUEST FOLDER: a program that reaches libpair in the way of the case says the same with the
guest as without, and the calls that were to be seen are in the trace.
"""
import os
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e"))
from support.xsp_e2e import check, check_equal, clean_environment, run, work_folder, xsp_run  # noqa: E402

case = sys.argv[1]
program, guest, folder = map(os.path.abspath, sys.argv[2:])
# Calls of pair_sum and pair_version that are recorded; None: not compared.
CALLS = {
    "closing_takes_no_memory": None,
    "error_survives_a_call": (2, 1),
    "globally_loaded": (1, 0),
    "looks_up": (1, 0),
    "looks_up_by_version": (1, 0),
    "looks_up_in_own_scope": (2, 1),
    "looks_up_two_copies": (2, 0),  # the second copy is reached by its address only, and left alone
    "looks_up_what_is_missing": (0, 0),
    "missing_function": (0, 0),
    "opens_and_closes": (100, 100),
    "plugins_of_two_versions": (6, 2),
}
# Versions of libpair whose files the calls went to.
USED = {
    "globally_loaded": {1},
    "looks_up": {1},
    "looks_up_what_is_missing": set(),
    "missing_function": set(),
    "plugins_of_two_versions": {1, 2},
}

work_folder()
arguments = [program, case, folder]
plain = run(*arguments)
done = xsp_run(*arguments, env=clean_environment(XSP_LIBRARY=guest))
check_equal(done.stdout, plain.stdout, "stdout")
check_equal(done.returncode, plain.returncode, "exit status")
if plain.stderr:
    check(plain.stderr.decode().strip() in done.stderr, f"stderr has not {plain.stderr.decode()}: {done.stderr}")
if CALLS[case] is not None and any(CALLS[case]):
    counted = Counter(span.name for span in done.trace.spans)
    check_equal((counted["pair_sum"], counted["pair_version"]), CALLS[case], "recorded calls")
if case in USED:
    files = [("pair", os.path.realpath(f"{folder}/libpair.so.{version}")) for version in USED[case]]
    told = [used[1:] for used in done.trace.used_libraries] if done.path.exists() else []
    check_equal(sorted(told), sorted(files), "files that calls went to, each once")
print(plain.stdout.decode())

"""A signal to xsp-run ends the command and then the set: no further run begins, xsp-run dies by the signal, the index says
so. A command that goes on after ^C is waited for; the set ends all the same.
"""
import signal
import subprocess

from support.run_sets import MODEL, Set
from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, clean_environment, wait_until, work_folder

folder = work_folder()
WAITS = """
from pathlib import Path
if sys.argv[1] == "2":
    Path(sys.argv[2]).touch()
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        if sys.argv[2] == "dies": raise
"""
for name, number, ending in (("dies", signal.SIGINT, {"signal": 2}), ("ends", signal.SIGINT, {"exit_status": 0}),
                             ("term", signal.SIGTERM, {"signal": 15})):  # fmt: skip
    command = [XSP_RUN, "-o", f"{name}-set", "--runs", "4", "--", SYSTEM_PYTHON, "-c", MODEL + WAITS, "{run}", name]
    process = subprocess.Popen([str(word) for word in command], env=clean_environment(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    wait_until((folder / name).exists, "the second run waits")
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    process.stdout, process.stderr = stdout, stderr
    done = Set(process, f"{name}-set")
    check_equal(done.returncode, -number, f"{name}: exit status; stderr:\n{done.stderr}")
    index = done.index
    check_equal(index["state"], "stopped", "state of the set")
    check_equal(index["stopped_by"], "interrupted by signal %d" % number, "why")
    state = "done" if name == "ends" else "failed"
    check_equal([run["state"] for run in index["runs"]], ["done", state, "planned", "planned"], "states")
    second = index["runs"][1]
    check_equal({key: second[key] for key in ("exit_status", "signal") if key in second}, ending, "how it ended")
    check(done.trace(index["runs"][0]).complete, "the first run's trace")
    done.check_says("Next:\n", f"xsp: wrote {name}-set: {'2 runs' if name == 'ends' else '1 run'} (")

"""Without -o the trace is xsp-<name>-<pid>.pb in the current folder; with -o, placeholders are filled in and folders made;
-f replaces.
"""
import os
import re

from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, clean_environment, run, work_folder

folder = work_folder()
(folder / "infer.py").write_text("import os; print(os.getpid())\n")
done = run(XSP_RUN, SYSTEM_PYTHON, "infer.py")
check_equal(done.returncode, 0, done.stderr.decode())
check_equal([n for n in os.listdir() if n.endswith(".pb")], [f"xsp-infer-{int(done.stdout)}.pb"], "name of the trace")
check(f"xsp: wrote xsp-infer-{int(done.stdout)}.pb".encode() in done.stderr, "the name is said")

done = run(XSP_RUN, "-o", "runs/%q{RANK}/%p.pb", SYSTEM_PYTHON, "infer.py", env=clean_environment(RANK=3))
check((folder / f"runs/3/{int(done.stdout)}.pb").exists(), f"placeholders: {done.stderr.decode()}")
first = run(XSP_RUN, "-o", "one.pb", "true")
again = run(XSP_RUN, "-f", "-o", "one.pb", "true")
check_equal((first.returncode, again.returncode), (0, 0), "-f replaces")
check(re.search(rb"xsp: wrote one.pb", again.stderr), "-f: the trace is written")

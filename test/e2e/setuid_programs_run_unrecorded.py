"""A program with the rights of another user or group (setuid, setgid), started by a profiled one: it runs as ever, the
environment of XSP tells it nothing, and it is not in the trace; what started it is."""
import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from support.span_counts import TraceCount
from support.xsp_e2e import BUILD, XSP_RUN, check_equal, clean_environment, skip

USER = 65534

if os.geteuid() != 0:
    skip("root, to make setuid programs")
folder = Path(tempfile.mkdtemp(prefix="xsp-setuid-"))
try:
    folder.chmod(0o755)
    (folder / "work").mkdir()
    os.chown(folder / "work", USER, USER)
    environment = clean_environment(TMPDIR=folder / "work")

    def as_user(*command):
        return subprocess.run([str(c) for c in command], capture_output=True, cwd=folder / "work", env=environment,
                              user=USER, group=USER, extra_groups=[], timeout=60)  # fmt: skip

    probe = as_user(XSP_RUN, "--version")
    if probe.returncode != 0:
        skip("a build that other users can read")
    # Loads the guest by itself, as the loader takes no LD_PRELOAD there: of the environment nothing may be believed.
    guest = BUILD / "inject/libxsp_inject.so"
    for name, bits in (("plain", 0), ("setuid", stat.S_ISUID), ("setgid", stat.S_ISGID)):
        helper = folder / name
        shutil.copy(BUILD / "test/e2e/loads_the_guest", helper)
        os.chown(helper, 0, 0)
        helper.chmod(0o755 | bits)
        done = as_user(XSP_RUN, "-f", "-o", "trace.pb", "--", BUILD / "test/e2e/many_processes", "then", helper, guest)
        check_equal(done.returncode, 0, f"{name}: exit status; stderr: {done.stderr.decode()}")
        user, group = 0 if name == "setuid" else USER, 0 if name == "setgid" else USER
        begun = 100 if name == "plain" else 0
        check_equal(done.stdout.decode(), f"user {user}, group {group}: {begun} begun\n", f"{name}: what the program did")
        recorded = sorted(p.spans for number, p in TraceCount(folder / "work/trace.pb").processes.items() if number)
        check_equal(recorded, [100] * (2 if name == "plain" else 1), f"{name}: spans of the processes in the trace")
    print("figure: programs with other rights 2, recorded 0, disturbed 0")
finally:
    shutil.rmtree(folder)

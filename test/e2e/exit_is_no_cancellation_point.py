"""A cancelled thread that calls _exit ends the process, also where the guest still has something to send."""
from support.xsp_e2e import BUILD, check_equal, run, work_folder, xsp_run

work_folder()
program = BUILD / "test/e2e/exits_while_cancelled"
check_equal(run(program).returncode, 3, "without xsp-run")
# The range has ended when the thread leaves, so that a gap is on its way.
for _ in range(5):
    done = xsp_run(program, options=("--range", "last"))
    check_equal((done.returncode, done.stdout), (3, b""), "with a notice to be sent")

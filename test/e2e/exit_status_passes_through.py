"""The command's exit status is xsp-run's, a signal death is re-raised, also where the program cleans nothing up."""
import os
import signal

from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check_equal, run, work_folder, xsp_run

folder = work_folder()
for status in (0, 1, 7, 125, 255):
    check_equal(xsp_run("sh", "-c", f"exit {status}").returncode, status, "exit status")
for number in (signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM, signal.SIGABRT, signal.SIGPIPE):
    check_equal(xsp_run("sh", "-c", f"kill -{int(number)} $$").returncode, -number, "signal death")
check_equal(xsp_run(SYSTEM_PYTHON, "-c", "import os; os._exit(9)").returncode, 9, "_exit")
done = xsp_run(SYSTEM_PYTHON, "-c", "import os; os.closerange(0, 256); os._exit(6)")
check_equal(done.returncode, 6, "a program that closes all descriptors")
check_equal(run("sh", "-c", f'"{XSP_RUN}" -o closed.pb sh -c "exit 4" <&- >&- 2>&-').returncode, 4, "started without descriptors")
check_equal(run("sh", "-c", f'"{XSP_RUN}" -o nohup.pb sh -c "exit 3" 2>&1 | true; exit 0').returncode, 0, "stderr read by nobody")
check_equal([n for n in os.listdir(folder) if n.endswith(".partial")], [], "unfinished traces")

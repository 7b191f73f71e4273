"""A program that is started without the environment of xsp-run is not recorded, and the end message names it, not a missing
framework."""
from support.xsp_e2e import SYSTEM_PYTHON, check, check_equal, work_folder, xsp_run

work_folder()
done = xsp_run("sh", "-c", f"env -i {SYSTEM_PYTHON} -c 'import time; time.sleep(1); print(5)'").check_success()
check_equal(done.stdout, b"5\n", "what the program prints")
check("not recorded: python3" in done.stderr and "env -i xsp-run -- COMMAND" in done.stderr, done.stderr)
check("used a framework" not in done.stderr, f"no other reason is guessed: {done.stderr}")

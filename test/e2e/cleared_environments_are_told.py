"""A program that is started without the environment of xsp-run is not recorded, and the end message names it, not a missing
framework."""
from support.xsp_e2e import SYSTEM_PYTHON, check, check_equal, work_folder, xsp_run

work_folder()
done = xsp_run("sh", "-c", f"env -i {SYSTEM_PYTHON} -c 'import time; time.sleep(1); print(5)'").check_success()
check_equal(done.stdout, b"5\n", "what the program prints")
check("not recorded: python3" in done.stderr and 'env -i PATH="$PATH" xsp-run -- COMMAND' in done.stderr, done.stderr)
check("used a framework" not in done.stderr, f"no other reason is guessed: {done.stderr}")

# A wrapper script that sets LD_PRELOAD anew clears nothing else, and what to do is another thing.
for change in ("LD_PRELOAD=libm.so.6", "env -u LD_PRELOAD"):
    done = xsp_run("sh", "-c", f"{change} {SYSTEM_PYTHON} -c 'import time; time.sleep(1); print(5)'").check_success()
    check_equal(done.stdout, b"5\n", f"{change}: what the program prints")
    check("something replaced or unset LD_PRELOAD" in done.stderr, f"{change}: {done.stderr}")
    check("used a framework" not in done.stderr, f"{change}: no other reason is guessed: {done.stderr}")

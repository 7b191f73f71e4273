"""The runtime of a sanitizer looks its functions up before they work: the guest's dlsym calls none of them."""
from support.xsp_e2e import BUILD, check_equal, run, work_folder, xsp_run

work_folder()
program = BUILD / "test/e2e/early_lookups"
plain = run(program)
done = xsp_run(program)
check_equal(plain.stdout, b"1\n", "without us")
check_equal((done.returncode, done.stdout), (plain.returncode, plain.stdout), f"outcome; stderr: {done.stderr}")

"""A program that may open hardly any files runs as ever. Where the guest finds no descriptor for its two, the end message
says that, and not that there was no framework."""
from support.xsp_e2e import BUILD, check, check_equal, work_folder, xsp_run

work_folder()
program = BUILD / "test/e2e/api_spans"
for limit in (4, 5):
    done = xsp_run("sh", "-c", f"ulimit -n {limit}; exec {program}").check_success()
    check_equal(done.stdout, b"10 predictions\n", f"{limit} descriptors: what the program prints")
    told = "not recorded: 1 process: no file descriptor left" in done.stderr and 'ulimit -Sn "$(ulimit -Hn)"' in done.stderr
    check(told, f"{limit} descriptors: {done.stderr}")
    check("framework" not in done.stderr, f"{limit} descriptors: no other reason is guessed: {done.stderr}")
done = xsp_run("sh", "-c", f"ulimit -n 8; exec {program}").check_success()
check("not recorded" not in done.stderr and "Next:" in done.stderr, f"8 descriptors suffice: {done.stderr}")

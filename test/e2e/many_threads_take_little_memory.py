"""A thread that records little takes little memory of the program: 400 of them at a time, with one span each."""
import resource

from support.xsp_e2e import BUILD, check, check_equal, run, work_folder, xsp_run

work_folder()
program = BUILD / "test/e2e/many_threads"
run(program)
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
done = xsp_run(program).check_success()
check_equal(len(done.trace.spans), 400, "spans")
after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
check(after - before < 100 * 1024, f"{before} KiB resident without us, {after} KiB with us")

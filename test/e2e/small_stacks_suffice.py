"""The first call that is recorded may be that of a thread with a small stack."""
from support.xsp_e2e import BUILD, check_equal, work_folder, xsp_run

work_folder()
done = xsp_run(BUILD / "test/e2e/small_stack").check_success()
check_equal(done.stdout, b"done\n", "stdout")
check_equal([span.name for span in done.trace.spans], ["one"], "spans")

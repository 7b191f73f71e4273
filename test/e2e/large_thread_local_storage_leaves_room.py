"""A program with much thread-local storage, which the loader takes out of every thread's stack, as one linked to cuBLASLt
has: the guest's own thread has room beside it.
"""
from support.trace_reader import API
from support.xsp_e2e import BUILD, check_equal, skip, work_folder, xsp_run

program = BUILD / "test/e2e/api_spans_large_tls"
if not program.exists():
    skip("the C program on xsp.h is not built")
work_folder()
done = xsp_run(program).check_success()
check_equal(len(done.trace.of_kind(API)), 40, "spans")

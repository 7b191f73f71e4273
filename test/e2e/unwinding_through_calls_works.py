"""An exception, a longjmp and a cancellation that leave a library call, also one inside another: the program goes on as
without us, the call is recorded as failed, and later calls are recorded.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
for case in ("exception", "longjmp", "cancellation"):
    outcome = compare(fake("calls_back"), case).check_unchanged().check_recorded()
    products = outcome.spans("cublasSgemm_v2")
    check_equal([s.failed for s in products], [True, False], f"{case}: products that failed")
    check_equal([s.parent for s in products], [0, 0], f"{case}: parents")

outcome = compare(fake("calls_back"), "nested_exception").check_unchanged().check_recorded()
failed = {s.name for s in outcome.trace.spans if s.failed}
check_equal(failed, {"cublasGemmEx", "cublasLtMatmul"}, "calls that the exception left")
check_equal([s.failed for s in outcome.spans("cublasSgemm_v2")], [False], "the product behind it")

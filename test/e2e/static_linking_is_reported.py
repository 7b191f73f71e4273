"""A program with cuBLAS linked into it: no symbol is crossed, and the trace says so, by the program's name."""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
outcome = compare(fake("statically_linked")).check_unchanged()
check_equal(outcome.unintercepted(), {("static", "cublas", "statically_linked", "")}, "what was not seen")

"""A program that calls a function which its cuBLAS does not have ends at that call with the loader's own words and status;
one that only might call it runs on, and the trace says which function is missing.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
called = compare(fake("missing_function"), "call").check_unchanged()
check_equal(called.plain.returncode, 127, "exit status without us")
check(called.plain.stderr.decode().strip() in called.done.stderr, f"the loader's words: {called.done.stderr}")

uncalled = compare(fake("missing_function")).check_unchanged().check_recorded()
expected = ("unknown version", "cublas", "libcublas.so.13", "missing_function")
check(expected in uncalled.unintercepted(), f"what was not seen: {uncalled.unintercepted()}")

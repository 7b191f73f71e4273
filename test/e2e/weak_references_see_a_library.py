"""A known difference: a program that asks by a weak reference whether there is a cuBLAS finds the guest's wrapper
(doc/library.md). What we do not wrap stays undefined.
"""
from fake_cuda import compare, fake
from xsp_e2e import check_equal, work_folder

work_folder()
outcome = compare(fake("weak_reference"))
check_equal(outcome.plain.stdout, b"cublas 0, unknown 0\n", "without us")
check_equal(outcome.done.stdout, b"cublas 1, unknown 0\n", "with us")

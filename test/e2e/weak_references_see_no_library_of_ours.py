"""A program that asks by a weak reference whether there is a cuBLAS is told so only if there is one: the guest's wrapper is
none. Also where the loader has made the slot read-only, and by RTLD_NEXT.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
for program, cublas in (("weak_reference", 0), ("weak_reference_now", 0), ("weak_reference_met", 1)):
    outcome = compare(fake(program)).check_unchanged()
    check_equal(outcome.done.stdout.splitlines()[0], f"cublas {cublas}, unknown 0".encode(), program)

"""A program that closes every descriptor it does not know and opens files of its own under their numbers: nothing of ours
gets into them, and the calls before are in the trace.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check, check_equal, work_folder

folder = work_folder()
outcome = compare(fake("closes_descriptors"), folder / "own").check_unchanged()
check_equal((folder / "own").read_bytes(), b"mine\n" * 20, "bytes in the program's file")
check(len(outcome.spans("cublasSgemm_v2")) >= 10, "calls before the descriptors were closed")

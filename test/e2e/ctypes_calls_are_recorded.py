"""A script that calls cuBLAS through ctypes: the calls come from libffi, which neither looked the functions up nor needs
their library.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import SOURCE, SYSTEM_PYTHON, check_equal, work_folder

work_folder()
script = SOURCE / "test/fake_cuda/programs/uses_ctypes.py"
outcome = compare(SYSTEM_PYTHON, script, fake("libcublas.so.13")).check_unchanged().check_recorded()
check_equal([s.arguments["m"] for s in outcome.spans("cublasSgemm_v2")], [3, 5], "products")

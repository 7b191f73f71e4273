"""A program that is linked to cuBLAS, whose symbols carry a version and whose inside is bound -Bsymbolic: it runs as
without us, and every call from outside is recorded with its arguments.
"""
import re

from support.fake_cuda import compare, fake
from support.xsp_e2e import check, check_equal, run, work_folder

work_folder()
symbols = run("readelf", "--dyn-syms", "-W", fake("libcublas.so.13")).stdout.decode()
check(re.search(r"cublasSgemm_v2@@libcublas\.so\.13", symbols), "the stand-in's symbols have no version")
check(b"SYMBOLIC" in run("readelf", "-d", fake("libcublas.so.13")).stdout, "the stand-in is not bound -Bsymbolic")

outcome = compare(fake("linked")).check_unchanged().check_recorded()
single, refused = outcome.spans("cublasSgemm_v2")
expected = {"class": "gemm", "op_a": "N", "op_b": "T", "m": 128, "n": 64, "k": 32, "status": "CUBLAS_STATUS_SUCCESS", "stream": 0x1234}
check_equal({name: single.arguments.get(name) for name in expected}, expected, "arguments of a product")
check(not single.failed, "a call that succeeded is recorded as failed")
check(refused.failed, "a call that the library refused is not recorded as failed")
check_equal(refused.arguments["status"], "CUBLAS_STATUS_NOT_INITIALIZED", "status by its name")

"""uses_ctypes.py CUBLAS: calls cuBLAS through ctypes, as scripts do."""
import ctypes
import sys

cublas = ctypes.CDLL(sys.argv[1])
handle = ctypes.c_void_p()
print("create", cublas.cublasCreate_v2(ctypes.byref(handle)))
one = ctypes.c_float(1)
matrix = (ctypes.c_float * 1)()
for m in (3, 5):
    print("gemm", cublas.cublasSgemm_v2(handle, 0, 0, m, 6, 7, ctypes.byref(one), matrix, m, matrix, 7,
                                        ctypes.byref(one), matrix, m))  # fmt: skip
print("destroy", cublas.cublasDestroy_v2(handle))
try:
    cublas.cublasNoSuchFunction
except AttributeError as error:
    print(error)

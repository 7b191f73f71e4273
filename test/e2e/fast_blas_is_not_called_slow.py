"""No library is told to be slow that is made for speed, whatever is measured of it, and none for products that are tiny or
few.
"""
from support.named_blas import findings_of, multiply, named_blas, row_of
from support.xsp_e2e import check, work_folder

work_folder()
for path in ("openblas-pthread/libblas.so.3", "lib/libopenblas.so.0", "blis-openmp/libblas.so.3", "mkl/libmkl_rt.so.2"):
    done = multiply(named_blas(path), 150, 20)
    check(row_of(done, "sgemm_")["gflop_per_s"] < 16, f"{path}: the test's library is not slow")
    check("slow-library" not in findings_of(done), f"{path}: {findings_of(done)}")

reference = named_blas("lib/libblas.so.3.11.0")
for size, count, what in ((20, 3000, "tiny products"), (150, 3, "few products")):
    found = findings_of(multiply(reference, size, count))
    check("slow-library" not in found, f"{what}: {found}")

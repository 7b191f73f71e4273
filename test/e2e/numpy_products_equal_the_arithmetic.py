"""Matrix products of NumPy, the distribution's (CBLAS of the reference BLAS) and PyPI's (OpenBLAS with names of its own), are
recorded with the m, n, k, types and transpositions that the shapes ask for; the results keep every bit.
"""
import re

from support.trace_reader import LIBRARY_CALL
from support.xsp_e2e import PROGRAMS, check, check_equal, numpy_python, run, skip, work_folder, xsp_run


def gemm(m, n, k, ops="NN", type="R_32F"):
    lda, ldb = (k if ops[0] == "N" else m), (n if ops[1] == "N" else k)
    return {"layout": "ROW", "op_a": ops[0], "op_b": ops[1], "m": m, "n": n, "k": k, "lda": lda, "ldb": ldb, "ldc": n,
            "type_a": type, "type_b": type, "type_c": type}  # fmt: skip


EXPECTED = [
    ("sdot", {"n": 2}),  # NumPy tries its BLAS when it is imported
    ("sgemm", gemm(37, 43, 41)),
    ("sgemm", gemm(37, 43, 41, "NT")),
    ("sgemm", gemm(37, 43, 41, "TN")),
    ("sgemm", gemm(37, 43, 41, "TT")),
    ("dgemm", gemm(31, 23, 29, type="R_64F")),
    ("cgemm", gemm(31, 23, 29, type="C_32F")),
    ("zgemm", gemm(31, 23, 29, type="C_64F")),
    ("ssyrk", {"layout": "ROW", "op_a": "N", "n": 33, "k": 27}),
    ("sgemv", {"incx": 1, "incy": 1, "lda": 53}),
    ("sgemv", {"incx": 1, "incy": 1, "lda": 53}),
    ("ddot", {"n": 1000, "incx": 1, "incy": 1, "type": "R_64F"}),
    ("cdotc_sub", {"n": 700, "incx": 1, "incy": 1, "type": "C_32F"}),
    *[("sgemm", gemm(8, 7, 9))] * 3,
]

python = numpy_python()
work_folder()
plain = run(python, PROGRAMS / "numpy_products.py")
check_equal(plain.returncode, 0, f"exit status without XSP; stderr: {plain.stderr.decode()}")
done = xsp_run(python, PROGRAMS / "numpy_products.py").check_success()
check_equal(done.stdout, plain.stdout, f"{python}: bits of the results")
spans = [s for s in done.trace.of_kind(LIBRARY_CALL) if s.type == "cblas"]
if not spans:
    skip(f"the NumPy of {python} has no CBLAS")
names = [re.fullmatch(r"(?:scipy_)?cblas_(\w+?)(?:_?64_?)?", span.name)[1] for span in spans]
check_equal(names, [name for name, _ in EXPECTED], f"{python}: functions")
for span, (name, expected) in zip(spans, EXPECTED):
    check_equal({field: span.arguments.get(field) for field in expected}, expected, f"{python}: arguments of {name}")
# A product with a vector, either way round, is one of a matrix of 51 rows and 53 columns.
for span in (s for s in spans if "sgemv" in s.name):
    rows, columns = (span.arguments["m"], span.arguments["n"])
    column_major = span.arguments["layout"] == "COL"
    check_equal((columns, rows) if column_major else (rows, columns), (51, 53), f"{python}: matrix of sgemv")
check(not done.trace.unintercepted, f"{python}: libraries that were not seen: {done.trace.unintercepted}")

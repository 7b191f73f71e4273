"""Matrix products of PyTorch are recorded as BLAS calls with the m, n, k, types and transpositions that the shapes ask for;
the results keep every bit.
"""
from support.trace_reader import LIBRARY_CALL
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = PROGRAMS / "torch_products.py"
plain = run(python, program)
check_equal(plain.returncode, 0, f"exit status without XSP; stderr: {plain.stderr.decode()}")
done = xsp_run(python, program).check_success()
check_equal(done.stdout, plain.stdout, "bits of the results")


def gemm(rows, columns, depth, left_transposed=False, right_transposed=False, type="R_32F", batch=1):
    """Row-major C = A B is the column-major product C' = B' A'."""
    return [{"class": "gemm", "type_a": type, "type_b": type, "type_c": type, "op_a": "T" if right_transposed else "N",
             "op_b": "T" if left_transposed else "N", "m": columns, "n": rows, "k": depth, "ldc": columns}] * batch  # fmt: skip


expected = [
    *gemm(37, 43, 41),
    *gemm(37, 43, 41, right_transposed=True),
    *gemm(37, 43, 41, left_transposed=True),
    *gemm(31, 23, 29, type="R_64F"),
    *gemm(31, 23, 29, type="C_32F"),
    *gemm(19, 17, 13),
    *gemm(32, 48, 64, right_transposed=True),
    *gemm(24, 26, 22, batch=5),
    {"class": "gemv", "type_a": "R_32F", "op_a": "T", "m": 53, "n": 51, "lda": 53, "incx": 1, "incy": 1},
    {"class": "blas", "type": "R_32F", "n": 1000, "incx": 1, "incy": 1},
]
spans = [s for s in done.trace.of_kind(LIBRARY_CALL) if s.type in ("blas", "cblas")]
by_id = {(s.process, s.ring, s.id) for s in spans}
outer = [s for s in spans if (s.process, s.ring, s.parent) not in by_id]
got = []
for span in outer:
    if span.arguments.get("n") == 2:  # NumPy asks its BLAS for a product of two numbers when it is imported
        continue
    check(span.arguments.get("group_count", 1) == 1, f"one group: {span.arguments}")
    got += [span.arguments] * span.arguments.get("batch", 1)
shown = [{name: arguments.get(name) for name in want} for arguments, want in zip(got, expected)]
check_equal(shown, expected[: len(shown)], "products")
check_equal(len(got), len(expected), "number of products")
check_equal(done.trace.processes[1].losses, {}, "losses")

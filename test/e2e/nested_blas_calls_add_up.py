"""The reference CBLAS calls the Fortran BLAS: each such call is a child with the same product, and what C2 says of each
function, its own time without its children's, is what the spans of the trace say. All of it fits into the thread's time.
"""
from collections import defaultdict

from support.trace_reader import LIBRARY_CALL
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, check, check_equal, has_module, report, skip, work_folder, xsp_run

if not has_module(SYSTEM_PYTHON, "numpy"):
    skip("no NumPy in the system's Python")
work_folder()
done = xsp_run(SYSTEM_PYTHON, PROGRAMS / "numpy_products.py").check_success()
spans = done.trace.of_kind(LIBRARY_CALL)
if not any(s.type == "blas" for s in spans):
    skip("this NumPy's CBLAS calls no Fortran BLAS across a symbol")
by_id = {(s.process, s.ring, s.id): s for s in spans}

products = 0
for inner in (s for s in spans if s.type == "blas"):
    outer = by_id.get((inner.process, inner.ring, inner.parent))
    check(outer is not None and outer.type == "cblas", f"{inner.name} lies in no call of CBLAS")
    check(outer.begin <= inner.begin <= inner.end <= outer.end, f"{inner.name} is outside of {outer.name}")
    check_equal("cblas_" + inner.name.rstrip("_"), outer.name, "function and the one that it calls")
    if inner.name.endswith("gemm_"):
        products += 1
        sizes = [outer.arguments[name] for name in ("n", "m", "k", "op_b", "op_a")]
        check_equal([inner.arguments[name] for name in ("m", "n", "k", "op_a", "op_b")], sizes, f"arguments of {inner.name}")
check(products >= 10, f"{products} products")

own = defaultdict(int)
for span in spans:
    own[span.name] += span.end - span.begin
    outer = by_id.get((span.process, span.ring, span.parent))
    if outer is not None:
        own[outer.name] -= span.end - span.begin
table = report("trace.pb", "--analysis", "C2")["C2"]
names = [column["name"] for column in table["columns"]]
rows = [dict(zip(names, row)) for row in table["rows"]]
shown = {row["function"]: round(row["self_ms"] * 1e6) for row in rows}
check_equal(shown, dict(own), "time of each function without its children's, in ns")
threads = {s.thread for s in spans}
check_equal(len(threads), 1, "threads")
wall = max(s.end for s in spans) - min(s.begin for s in spans)
check(0 < sum(shown.values()) <= wall, f"{sum(shown.values())} ns of {wall} ns")

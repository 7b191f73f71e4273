"""A program whose products go to the reference BLAS is told so first: the file, its speed, and what to install."""
import os
import re

from support.named_blas import findings_of, multiply, named_blas, row_of
from support.xsp_e2e import check, check_equal, work_folder

DEBIANS = "/usr/lib/x86_64-linux-gnu/libblas.so.3"  # a link of its alternatives


def check_named(library, remedy):
    done = multiply(library, 200, 40)
    found = findings_of(done)
    check("slow-library" in found, f"{library}: findings: {found}")
    finding = found["slow-library"]
    pattern = r"sgemm_ runs at (\d+\.\d) GFLOP/s in …/(\S+), the reference BLAS: (\d+(?:\.\d)?) % of the recording"
    said = re.fullmatch(pattern, finding["title"])
    check(said, f"{library}: title: {finding['title']}")
    print(finding["title"], "|", finding["advice"])
    file = os.path.realpath(library)
    check_equal(said[2], "/".join(file.split("/")[-2:]), f"{library}: file")
    check(remedy in finding["advice"], f"{library}: advice: {finding['advice']}")
    row = row_of(done, "sgemm_")
    check_equal(said[1], f"{row['gflop_per_s']:.1f}", f"{library}: speed")
    check_equal(row["file"], file, f"{library}: file of C2")
    check(5 <= finding["share_pct"] <= 100, f"{library}: share {finding['share_pct']}")
    least_left = row["gflops"] / 8 * 1e3
    won = max(row["self_ms"] - least_left, 0)
    check(abs((finding["gain_ms"] or 0) - won) < 1e-6, f"{library}: gain {finding['gain_ms']}, {won} by C2")
    check("bottleneck-function" not in found, f"{library}: told twice: {found}")


work_folder()
check_named(named_blas("lib/libblas.so.3.12.0"), "OpenBLAS, BLIS or MKL")
if "/blas/libblas.so.3" in os.path.realpath(DEBIANS) and os.path.exists(DEBIANS):
    check_named(DEBIANS, "apt install libopenblas0")
else:
    print(f"the half on Debian's reference BLAS is left out: {DEBIANS} is not there, or another one")

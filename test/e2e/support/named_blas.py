"""For the tests with a BLAS of their choice: the slow one of the test programs under another library's name, a program that
multiplies with it, and what a report says about that.
"""
import shutil
from pathlib import Path

from .xsp_e2e import BUILD, check_equal, report, run, xsp_run

PROGRAM = BUILD / "test/e2e/blas_products"
PLAIN_BLAS = BUILD / "test/e2e/libplain_blas.so"


def named_blas(path):
    """The slow BLAS under this path."""
    path = Path(path).absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(PLAIN_BLAS, path)
    return path


def multiply(library, size, count, output="trace.pb"):
    """The recording of this many products; checks that their result is the same as without XSP."""
    plain = run(PROGRAM, library, size, count)
    check_equal(plain.returncode, 0, f"exit status without XSP; stderr: {plain.stderr.decode()}")
    done = xsp_run(PROGRAM, library, size, count, output=output).check_success()
    check_equal(done.stdout, plain.stdout, "stdout")
    return done


def row_of(done, function):
    """The function's row of C2, by the columns' names."""
    table = report(done.path, "--analysis", "C2")["C2"]
    names = [column["name"] for column in table["columns"]]
    (row,) = [row for row in table["rows"] if row[names.index("function")] == function]
    return dict(zip(names, row))


def findings_of(done):
    return {finding["id"]: finding for finding in report(done.path, "-a", "all")["findings"]}

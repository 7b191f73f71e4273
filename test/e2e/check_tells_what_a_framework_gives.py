"""xsp-run --check tells of TensorFlow and MXNet what their libraries let the guest record; without these libraries, that they cannot
be read. A Python before 3.8 is told of, and its frameworks are looked at.
"""
import os
import shutil

from support.xsp_e2e import XSP_RUN, check, check_equal, framework_python, run, work_folder

FOLDER = os.environ.get("XSP_TEST_FOLDER", "tensorflow")
NAME, ROWS = ("MXNet", ["models", "layers"]) if FOLDER == "mxnet" else ("TensorFlow", ["models", "layers", "memory"])

python = framework_python(NAME.lower(), NAME, FOLDER)
folder = work_folder()


def rows_of(check_output):
    """What each line of --check says, by its title."""
    rows = {}
    for line in check_output.decode().splitlines():
        title, state, why = line[:15].strip(), line[15:25].strip(), line[25:].strip()
        rows[title] = (state, why)
    return rows


done = run(XSP_RUN, "--check", "--", python)
rows = rows_of(done.stdout)
check_equal(done.returncode, 0, done.stderr)
check_equal(rows[NAME][0], "ok", f"{NAME}: {rows}")
check("(tested: " in rows[NAME][1], rows[NAME])
for row in ROWS:
    check_equal(rows[row][0], "ok", f"{row}: {rows}")
check_equal("sessions; " in rows["models"][1], FOLDER == "tensorflow-2019", rows["models"])
check_equal(rows["Python"][0], "degraded" if FOLDER == "tensorflow-2019" else "ok", rows["Python"])

# The same package with libraries that are none.
package = folder / "packages" / NAME.lower()
package.mkdir(parents=True)
(package / "__init__.py").touch()
(package / "version.py").write_text("__version__ = '9.9'\n")
for name in ("libtensorflow_framework.so.2", "libmxnet.so"):
    (package / name).write_bytes(b"no library")
env = {**os.environ, "PYTHONPATH": str(package.parent)}
rows = rows_of(run(XSP_RUN, "--check", "--", python, env=env).stdout)
check_equal(rows[NAME][0], "degraded", f"{NAME} of damaged files: {rows}")
check("cannot be read" in rows[NAME][1], rows[NAME])
shutil.rmtree(package.parent)

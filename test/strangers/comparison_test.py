"""compare.py fails for each kind of difference, names it, and passes a program that has none."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from support.xsp_e2e import SKIPPED, SYSTEM_PYTHON, check, run, work_folder  # noqa: E402

COMPARE = Path(__file__).resolve().parent / "compare.py"
RECORDED = "'LD_PRELOAD' in os.environ"

# Body of the program, exit status of compare.py, and what it says.
PROGRAMS = [
    ("print('models', {})", 0, "1 lines and 0 files alike"),
    (f"print({RECORDED})\nprint('models', {{}})", 1, "differs under xsp-run: stdout"),
    (f"sys.stderr.write(str({RECORDED}))\nprint('models', {{}})", 1, "differs under xsp-run: stderr"),
    (f"open('file', 'w').write(str({RECORDED}))\nprint('models', {{}})", 1, "differs under xsp-run: files"),
    (f"print('models', {{}})\nsys.exit(3 * ({RECORDED}))", 1, "differs under xsp-run: exit status"),
    ("print(os.getpid())\nprint('models', {})", 1, "the program differs from run to run"),
    ("print('models', {'Linear': 2})", 1, "model calls by class"),
    ("sys.exit(3)", 1, "without XSP"),
]

work_folder()
environment = {**os.environ, "XSP_STRANGERS_PYTHON": SYSTEM_PYTHON}
for body, status, words in PROGRAMS:
    Path("program.py").write_text(f'"""A program.\nneeds: os sys\n"""\nimport os\nimport sys\n\n{body}\n')
    done = run(sys.executable, COMPARE, "program.py", env=environment)
    said = done.stdout.decode() + done.stderr.decode()
    check(done.returncode == status and words in said, f"of {body!r}: exit status {done.returncode}, {said}")
Path("program.py").write_text('"""A program.\nneeds: os no_such_module\n"""\n')
done = run(sys.executable, COMPARE, "program.py", env=environment)
check(done.returncode == SKIPPED and b"no_such_module" in done.stdout, f"of a missing module: {done.stdout}")

"""The hooks need no PYTHONPATH and no site: isolated mode, -c, -m, stdin, -S with a path of one's own, a venv, an
interpreter started by a shell: each is profiled.
"""
import subprocess

from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, XSP_RUN, check_equal, clean_environment, run, torch_python, work_folder, xsp_run
from support.trace_reader import read_trace

python = torch_python()
folder = work_folder()
program = PROGRAMS / "torch_small.py"
source = program.read_text()
(folder / "as_module.py").write_text(source)


def expect_spans(trace, how):
    check_equal(len(trace.of_kind(TORCH_ROOT)), 10, f"{how}: model spans")
    check_equal(len(trace.of_kind(TORCH_MODULE)), 30, f"{how}: layers")


expect_spans(xsp_run(python, "-I", program).check_success().trace, "python -I")
expect_spans(xsp_run(python, "-c", source).check_success().trace, "python -c")
expect_spans(xsp_run(python, "-m", "as_module").check_success().trace, "python -m")
expect_spans(xsp_run("sh", "-c", f'"{python}" "{program}"; true').check_success().trace, "from a shell")

piped = subprocess.run([XSP_RUN, "-f", "-o", "stdin.pb", "--", python, "-"], input=source.encode(), capture_output=True,
                       env=clean_environment())
check_equal(piped.returncode, 0, "python - exit status")
expect_spans(read_trace("stdin.pb"), "python -")

made = run(python, "-m", "venv", "--system-site-packages", "--without-pip", "venv")
check_equal(made.returncode, 0, made.stderr.decode())
if run("venv/bin/python", "-c", "import torch").returncode == 0:
    expect_spans(xsp_run("venv/bin/python", program).check_success().trace, "a venv")

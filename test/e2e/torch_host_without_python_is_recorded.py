"""Operators of a host of libtorch that has no Python are recorded: the first allocation of PyTorch is what tells of it. What
they allocate is known.
"""
import shutil
from pathlib import Path

from support.trace_reader import OPERATOR
from support.xsp_e2e import PROGRAMS, check, check_equal, run, skip, torch_python, work_folder, xsp_run

python = torch_python()
compiler = shutil.which("cc") or shutil.which("gcc")
if compiler is None:
    skip("no C compiler")
work_folder()
where = run(python, "-c", "import importlib.util; print(importlib.util.find_spec('torch').origin)")
libraries = Path(where.stdout.decode().strip()).parent / "lib"
built = run(compiler, PROGRAMS / "torch_host.c", "-o", "host", f"-L{libraries}", "-ltorch_cpu", "-lc10",
            f"-Wl,-rpath,{libraries}", "-Wl,--allow-shlib-undefined")
if built.returncode != 0:
    skip("this PyTorch has no C interface: " + built.stderr.decode().strip().splitlines()[0])
bare = run("./host")
check(bare.returncode == 0, bare.stderr.decode())

profiled = xsp_run("./host").check_success()
check_equal(profiled.stdout, bare.stdout, "output")
operators = profiled.trace.of_kind(OPERATOR)
check_equal([s.name for s in operators].count("aten::zero_"), 9, "calls of aten::zero_")
check(all(span.has_bytes for span in operators), "what operators allocate is known")

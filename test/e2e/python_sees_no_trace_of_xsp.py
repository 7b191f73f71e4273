"""What a Python program can see of its interpreter is the same with and without XSP: sys.path, argv, flags, the finders
and hooks that it installed itself, its sitecustomize, its audit hooks.
"""
import os

from support.xsp_e2e import PROGRAMS, check, check_equal, clean_environment, run, torch_python, work_folder, xsp_run

PROGRAM = """
import sys, importlib.abc
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "torch": print("my finder saw", name)
        return None
events = []
sys.addaudithook(lambda event, args: events.append(args[0]) if event == "import" else None)
sys.meta_path.insert(0, Finder())
import torch
print(sys.argv, sys.path, sys.flags, __name__, sys.modules["__main__"].__dict__.keys())
print(type(sys.meta_path[0]).__name__, sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__)
print("torch" in events, sys.gettrace(), sys.getprofile())
print(torch.nn.Linear(2, 1).eval()(torch.zeros(1, 2)).shape)
print(sorted(m for m in sys.modules if "xsp" in m))
"""

python = torch_python()
folder = work_folder()
(folder / "site").mkdir()
(folder / "site/sitecustomize.py").write_text('print("my sitecustomize")\n')
(folder / "program.py").write_text(PROGRAM)
environment = clean_environment(PYTHONPATH=folder / "site")
plain = run(python, "program.py", "an argument", env=environment)
check(b"my sitecustomize" in plain.stdout, "the test's own sitecustomize runs")
check(plain.returncode == 0, plain.stderr.decode())
profiled = xsp_run(python, "program.py", "an argument", env=environment).check_success()
check_equal(profiled.stdout.decode(), plain.stdout.decode(), "stdout")

"""A profiled torch program prints the same bytes, ends with the same status and writes the same stderr as without XSP;
its results are bit-equal.
"""
from support.xsp_e2e import PROGRAMS, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
for program in ("torch_resnet50.py", "torch_transformer.py", "torch_small.py"):
    plain = run(python, PROGRAMS / program)
    profiled = xsp_run(python, PROGRAMS / program, options=["-q"])
    check_equal(profiled.returncode, plain.returncode, f"{program}: exit status")
    check_equal(profiled.stdout, plain.stdout, f"{program}: stdout")
    check_equal(profiled.stderr, plain.stderr.decode(), f"{program}: stderr")

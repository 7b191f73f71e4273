"""The memory events of a program's own profiler are the same under XSP as without it, and it is told nothing more: not of
blocks that were made before it was switched on.
"""
import json

from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
bare = run(python, PROGRAMS / "torch_memory.py", "profile")
check(bare.returncode == 0, bare.stderr.decode())
profiled = xsp_run(python, PROGRAMS / "torch_memory.py", "profile").check_success()
expected, got = json.loads(bare.stdout), json.loads(profiled.stdout)
check(len(expected["events"]) > 1000, "the profiler tells of memory in the run without XSP")
check_equal(len(got["events"]), len(expected["events"]), "memory events")
check_equal(got, expected, "memory events of the program's profiler")
check("unknown size" not in profiled.stderr, "c10 warns of no block that it does not know")

FREES = """
import torch
before = torch.empty(1000)
torch.zeros(3)
with torch.autograd.profiler.profile(profile_memory=True) as profile:
    after = torch.empty(500)
    del before
print(sorted(event.cpu_memory_usage for event in profile.function_events if event.cpu_memory_usage != 0))
"""
bare = run(python, "-c", FREES)
check(bare.returncode == 0, bare.stderr.decode())
check_equal(xsp_run(python, "-c", FREES).check_success().stdout, bare.stdout, "events of a block from before the profiler")

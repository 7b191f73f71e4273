"""At the end, on stderr: at most 15 lines, the size and name of the trace and a command that works when copied; with -q
nothing; without spans, why. Nothing of it on stdout.
"""
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
done = xsp_run(python, PROGRAMS / "torch_resnet50.py").check_success()
lines = done.stderr.splitlines()
check(0 < len(lines) <= 15, f"{len(lines)} lines: {done.stderr}")
check("xsp: wrote trace.pb (" in done.stderr, done.stderr)
check("Next:" in lines, done.stderr)
command = lines[lines.index("Next:") + 1].split("#")[0].strip()
copied = run("sh", "-c", command)
check_equal(copied.returncode, 0, f"the command to copy: {command}: {copied.stderr.decode()}")
check(b"Conv2d" in copied.stdout, "its report shows the layers")
check_equal(xsp_run(python, PROGRAMS / "torch_small.py", options=["-q"]).stderr, "", "stderr with -q")
nothing = xsp_run("true")
check("no spans were recorded in true" in nothing.stderr and "PyTorch" in nothing.stderr, nothing.stderr)
check("Next:" not in nothing.stderr, "no next step where nothing is")

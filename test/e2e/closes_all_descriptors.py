"""A program that closes every descriptor, as daemons do: none of XSP's bytes get into the files that it opens afterwards,
and it runs to its own end.
"""
from support.trace_reader import TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
done = xsp_run(python, PROGRAMS / "closes_all_descriptors.py")
check_equal(done.returncode, 5, f"exit status; stderr: {done.stderr}")
check_equal(done.stdout, b"still here\n", "stdout")
check(len(done.trace.of_kind(TORCH_ROOT)) >= 1, "what was recorded before is in the trace")

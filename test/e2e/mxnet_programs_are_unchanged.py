"""Programs that call MXNet in every way print the same under xsp-run, bit for bit, and end with the same status."""
from support.xsp_e2e import PROGRAMS, check_equal, mxnet_python, run, work_folder, xsp_run

python = mxnet_python()
work_folder()
WAYS = ("imperative", "hybrid", "static", "module", "symbol_block", "train", "train_module", "threads", "fork", "error")
for way in WAYS:
    bare = run(python, PROGRAMS / "mxnet_calls.py", way)
    recorded = xsp_run(python, PROGRAMS / "mxnet_calls.py", way, options=["-q"])
    check_equal(recorded.returncode, bare.returncode, f"{way}: exit status; stderr: {bare.stderr.decode()}")
    check_equal(sorted(recorded.stdout.split(b"\n")), sorted(bare.stdout.split(b"\n")), f"{way}: stdout")

"""Programs that call TensorFlow in every way print the same under xsp-run, bit for bit, and end with the same status."""
from support.xsp_e2e import PROGRAMS, check_equal, run, tensorflow_python, work_folder, xsp_run

python = tensorflow_python()
work_folder()
for way in ("function", "session", "predict", "call", "fit", "fork", "threads"):
    bare = run(python, PROGRAMS / "tensorflow_calls.py", way)
    recorded = xsp_run(python, PROGRAMS / "tensorflow_calls.py", way, options=["-q"])
    check_equal(recorded.returncode, bare.returncode, f"{way}: exit status; stderr: {bare.stderr.decode()}")
    check_equal(sorted(recorded.stdout.split(b"\n")), sorted(bare.stdout.split(b"\n")), f"{way}: stdout")

"""Programs that save, load, copy and inspect layers of Keras, and fail in them, print the same under xsp-run."""
import shutil

from support.xsp_e2e import PROGRAMS, check, check_equal, run, tensorflow_python, work_folder, xsp_run

python = tensorflow_python()
work_folder()
bare = run(python, PROGRAMS / "keras_programs.py")
check(b"error" in bare.stdout and b"compiled" in bare.stdout, f"the program runs: {bare.stderr.decode()[-2000:]}")
shutil.rmtree("saved")
recorded = xsp_run(python, PROGRAMS / "keras_programs.py", options=["-q"])
check_equal((recorded.returncode, recorded.stdout), (bare.returncode, bare.stdout), "status and output")
names = {span.name for span in recorded.trace.spans if span.level == "model"}
check("net" in names, f"calls of the network are recorded: {names}")

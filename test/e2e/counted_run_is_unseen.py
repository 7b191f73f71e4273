"""The second run of --metrics reads nothing and prints nothing, and its exit status is nobody's: what a user sees is the
first run. --metrics-only is one run, and the user's. A command that failed is not counted. What does not go together is
refused.
"""
from support.fake_cuda import device_environment, fake
from support.trace_reader import read_segments
from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, run, work_folder, xsp_run

folder = work_folder()
(folder / "twice.py").write_text("""
import pathlib, sys
runs = pathlib.Path("runs")
count = len(runs.read_text().splitlines()) if runs.exists() else 0
text = sys.stdin.read()
with runs.open("a") as file:
    file.write(repr(text) + "\\n")
print("run", count, text)
print("complaint", file=sys.stderr)
sys.exit(int(sys.argv[1]) if count else 0)
""")
environment = device_environment()
for status in (0, 3):
    (folder / "runs").unlink(missing_ok=True)
    done = xsp_run(SYSTEM_PYTHON, "twice.py", status, options=("--metrics", "roofline"), env=environment, input=b"given")
    check_equal((done.returncode, done.stdout), (0, b"run 0 given\n"), f"what the user sees; stderr:\n{done.stderr}")
    check_equal(done.stderr.count("complaint"), 1 if status == 0 else 2, f"stderr:\n{done.stderr}")
    check_equal((folder / "runs").read_text(), "'given'\n''\n", "what the runs read")
    segments = read_segments(done.path)
    check_equal([segment.header["counted"] for segment in segments], [False, True], "segments")
    told = "the second run: the command ended with exit status 3: complaint" in done.stderr
    check_equal(told, status == 3, f"that the second run failed is told:\n{done.stderr}")
    check_equal(sorted(path.name for path in folder.iterdir()), ["runs", "trace.pb", "twice.py"], "files")

(folder / "runs").unlink()
(folder / "fails.py").write_text("open('runs', 'a').write('x'); raise SystemExit(4)")
done = xsp_run(SYSTEM_PYTHON, "fails.py", options=("--metrics", "roofline"), env=environment)
check_equal((done.returncode, (folder / "runs").read_text()), (4, "x"), "a command that fails runs once")
check("not run, as the command failed" in done.stderr, done.stderr)

done = xsp_run(fake("inference"), 3, options=("--metrics", "roofline", "--metrics-only"), env=environment).check_success()
(only,) = read_segments(done.path)
check_equal((only.header["counted"], len(only.counters)), (True, 24), "--metrics-only")
check_equal(done.stdout, b"done\n", "its output is the user's")

# Beforehand: what it will cost.
check("xsp: counters: 17 metrics in " in done.stderr and "a kernel on GH100" in done.stderr, done.stderr)
text = run(XSP_RUN, "--check", env=environment).stdout.decode()
check("counters" in text and "a kernel on GH100 (--metrics)" in text, text)

# Without a device there is nothing to count.
(folder / "runs").unlink(missing_ok=True)
done = xsp_run(SYSTEM_PYTHON, "twice.py", 0, options=("--metrics", "roofline"), input=b"").check_success()
check_equal(len(read_segments(done.path)), 1, f"segments without a device:\n{done.stderr}")
check("xsp: counters: none: no NVIDIA driver or device here" in done.stderr, done.stderr)

for options, why in (
    (["--metrics-only"], "without --metrics"),
    (["--metrics", "roofline", "--range", "x"], "--metrics does not go with --range"),
    (["--metrics", "roofline", "--delay", "1"], "--metrics does not go with --delay"),
    (["--metrics", "roofline", "--level", "layer"], "not with --level layer"),
    (["--metrics", "roofing"], '"roofing" is neither a set nor a metric'),
    (["--metrics", ""], "no metric"),
):  # fmt: skip
    done = run(XSP_RUN, "-o", "refused.pb", *options, "--", "true", env=environment)
    check_equal(done.returncode, 125, f"{options}: {done.stderr.decode()}")
    check(why in done.stderr.decode(), f"{options}: {done.stderr.decode()}")

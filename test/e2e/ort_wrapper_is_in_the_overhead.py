"""What XSP does around a run of a session in Python is in what it says that recording costs: here the reading of an input's shape, which
the program makes long."""
from support.trace_reader import ORT_RUN
from support.xsp_e2e import SOURCE, cached_model, check, check_equal, clean_environment, ort_python, work_folder, xsp_run

RUNS = 6000
SHAPE_NS = 20_000
PROGRAM = """
import sys, time
import numpy, onnxruntime

class SlowShape(numpy.ndarray):
    @property
    def shape(self):
        end = time.perf_counter_ns() + int(sys.argv[3])
        while time.perf_counter_ns() < end:
            pass
        return super().shape

session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
feed = {"a": numpy.ones([1, 1], numpy.float32).view(SlowShape)}
for _ in range(int(sys.argv[2])):
    session.run(None, feed)
"""

python = ort_python()
folder = work_folder()
(folder / "program.py").write_text(PROGRAM)
model = cached_model(SOURCE / "test/models/make_sum_onnx.py", "sum_1_2.onnx", python, 1, 2)
# One run in a hundred: of the others, too, the cost is seen.
for sample in ("1/100", "off"):
    done = xsp_run(python, "program.py", model, RUNS, SHAPE_NS, options=["--level", "model"],
                   env=clean_environment(XSP_SAMPLE=sample)).check_success()
    check_equal(len(done.trace.of_kind(ORT_RUN)), RUNS, "runs")
    (process,) = done.trace.processes.values()
    each = process.overhead["hooks_ns"] / RUNS
    print(f"XSP_SAMPLE={sample}: hooks {each:.0f} ns a run, of which {SHAPE_NS} were made")
    # One hook in 128 is timed: of 6000 runs some 47, give or take 7.
    check(0.4 * SHAPE_NS <= each <= 4 * SHAPE_NS, f"{each:.0f} ns a run where the shape alone takes {SHAPE_NS}")

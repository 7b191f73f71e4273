"""Runs as few programs make them give what they give alone, errors too; each has its span, those that fail as failed, with the shapes that
can be had. What is raised while XSP reads a shape is the program's where it is no error: Ctrl-C ends the run and leaves no span open.
"""
from support.trace_reader import ORT_RUN
from support.xsp_e2e import PROGRAMS, SOURCE, cached_model, check_equal, ort_python, run, work_folder, xsp_run

SPANS = [
    ("[1,1]", False),  # keywords
    ("[1,1]", False),  # subclass
    (";".join(["[1,1]"] * 8), False),  # many
    ("[1,1]", False),  # bound
    ("[" + ",".join(["1"] * 12) + "]", False),  # deep
    ("", False),  # no shape
    ("", True),  # no input
    ("", True),  # nothing
    ("[2,1,1]", True),  # wrong size
    ("", True),  # no feed
    ("[1,1]", False),  # again
]

python = ort_python()
work_folder()
maker = SOURCE / "test/models/make_sum_onnx.py"
models = [cached_model(maker, f"sum_{n}_{rank}.onnx", python, n, rank) for n, rank in ((1, 2), (10, 2), (1, 12))]
program = (PROGRAMS / "ort_odd_runs.py", *models)

plain = run(python, *program)
done = xsp_run(python, *program, options=["-q"]).check_success()
check_equal((done.stdout, done.stderr), (plain.stdout, plain.stderr.decode()), "what the program prints")
check_equal([(span.input, span.failed) for span in done.trace.of_kind(ORT_RUN)], SPANS, "runs")

interrupted = xsp_run(python, *program, "interrupted").check_success()
said = interrupted.stdout.decode().splitlines()
check_equal(said[0], "interrupted KeyboardInterrupt no shape for you", "the interrupted run")
rest = [line for line in plain.stdout.decode().splitlines() if not line.startswith("no shape")]
check_equal(said[1:], rest, "the runs behind it")
check_equal([(span.input, span.failed) for span in interrupted.trace.of_kind(ORT_RUN)], SPANS[:5] + SPANS[6:], "their spans")
check_equal({span.parent for span in interrupted.trace.of_kind(ORT_RUN)}, {0}, "spans that they lie in")

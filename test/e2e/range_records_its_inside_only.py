"""--range NAME: of a PyTorch program nothing but what runs in the range, and the range itself; a range inside a model call
has layers by their names, and makes no model of a part of one.
"""
from collections import Counter

from support.trace_reader import OPERATOR, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, SOURCE, check, check_equal, clean_environment, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
environment = clean_environment(PYTHONPATH=SOURCE / "inject/api")


def recorded(*options):
    done = xsp_run(python, PROGRAMS / "torch_steps.py", options=("--level", "layer", *options), env=environment)
    return done.check_success().trace


whole = recorded()
check_equal(len(whole.of_kind(TORCH_ROOT)), 3, "model calls without --range")

step = recorded("--range", "step")
spans = sorted(step.spans, key=lambda span: (span.begin, -span.end))
blocks = [name for i in (0, 1) for name in (f"{i}", "inside", f"{i}.product", f"{i}.rectifier")]
check_equal([span.name for span in spans if span.kind != OPERATOR], ["step", "Sequential", *blocks], "spans of the one step")
check_equal(spans[1].parent, spans[0].id, "the model call is in the range")
check(all(spans[0].begin <= s.begin and s.end <= spans[0].end for s in spans), "something lies outside the range")

inside = recorded("--range", "inside")
check_equal(
    Counter(span.name for span in inside.spans if span.kind != OPERATOR), {"inside": 6, "0.product": 3, "1.product": 3}, "spans of parts of a model"
)
check_equal(len(inside.of_kind(TORCH_ROOT)), 0, "model calls that are seen in part")

check_equal(len(recorded("--range", "no such range").spans), 0, "spans without the range")

"""The operators, backward nodes, scripted calls and annotations of each thread are those that PyTorch's own profiler sees in
another run of the program: the same names in the same order.
"""
import json
from collections import Counter

from support.trace_reader import ANNOTATION, OPERATOR, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

USER_SCOPE = 7



def without_repetitions(spans):
    """The profiler's list leaves out the only operator inside one of the same name."""
    inner = Counter((s.ring, s.parent) for s in spans)
    return [s for s in spans if not (s.above and s.above.name == s.name and inner[s.ring, s.parent] == 1)]


python = torch_python()
work_folder()
truth = run(python, PROGRAMS / "torch_operators.py", "--profile", "truth.json")
check(truth.returncode == 0, truth.stderr.decode())
with open("truth.json") as file:
    expected = json.load(file)
bare = run(python, PROGRAMS / "torch_operators.py")

recorded = xsp_run(python, PROGRAMS / "torch_operators.py").check_success()
check_equal(recorded.stdout, bare.stdout, "the program's results")
spans = [s for s in recorded.trace.of_kind(OPERATOR, ANNOTATION, TORCH_ROOT) if s.kind != TORCH_ROOT or s.name == "scaled"]
check({s.level for s in spans if s.kind != TORCH_ROOT} == {"application"}, "operators lie on the application level")
threads = sorted({s.ring for s in spans})
check_equal(len(threads), 2, "threads with operators")
for thread, events in zip(threads, expected["threads"]):
    own = sorted((s for s in spans if s.ring == thread), key=lambda s: (s.begin, s.id))
    names = [s.name for s in own]
    inside = without_repetitions(own[names.index("begin") + 1 : names.index("end")])
    names, told = [s.name for s in inside], [event[0] for event in events]
    if not expected["is_ordered"]:
        repeated = {s.name for s in own if s.above and s.above.name == s.name}
        names, told = (Counter(name for name in every if name not in repeated) for every in (names, told))
    check_equal(names, told, f"thread {thread}: operators")
    check_equal([s.name for s in inside if s.kind == ANNOTATION],
                [event[0] for event in events if event[1] == USER_SCOPE], f"thread {thread}: annotations")
    for span in inside:
        check(span.end >= span.begin, f"{span.name} ends after it began")
        parent = span.above
        check(parent is None or parent.begin <= span.begin and span.end <= parent.end, f"{span.name} lies in its parent")
check_equal({s.level for s in spans if s.name == "scaled"}, {"model"}, "a scripted function called by itself is a model")

"""Each backward node is linked to the forward operator that has its sequence number in PyTorch's own profiler; the engine's
span around the node as well, and what accumulates gradients to nothing. Also where the forward calls ran in other threads,
which have ended.
"""
import json

from support.trace_reader import ANNOTATION, OPERATOR
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

BACKWARD = 1
ENGINE = "autograd::engine::evaluate_function: "

python = torch_python()
work_folder()
truth = run(python, PROGRAMS / "torch_operators.py", "--profile", "truth.json")
check(truth.returncode == 0, truth.stderr.decode())
with open("truth.json") as file:
    expected = json.load(file)
trace = xsp_run(python, PROGRAMS / "torch_operators.py").check_success().trace
begins = [s for s in trace.of_kind(ANNOTATION) if s.name == "begin"]
for begin, events in zip(begins, expected["threads"]):
    operators = [s for s in trace.of_kind(OPERATOR) if s.ring == begin.ring and s.begin > begin.begin]
    nodes = [event for event in events if event[1] == BACKWARD]
    names = {event[0] for event in nodes}
    spans = [s for s in operators if s.name in names]
    check_equal([s.name for s in spans], [event[0] for event in nodes], "backward nodes")
    check(any(s.forward for s in spans), "no node has a forward operator: the test shows nothing")
    for span, (name, _, _, sequence) in zip(spans, nodes):
        forward = [e[0] for e in events if e[3] == sequence and e[1] != BACKWARD and not e[0].startswith(ENGINE)]
        if sequence < 0:
            check_equal(span.forward_key, (), f"{name}: forward operator")
            continue
        check(span.forward is not None, f"{name}: a forward operator")
        # With times in microseconds the order of what began in the same one is lost.
        told = forward[-1:] if expected["is_ordered"] else forward
        check(span.forward.name in told, f"{name}: {span.forward.name} is the last of {forward}")
        check(span.forward.end <= span.begin, f"{name}: the forward operator was before")
        check_equal(span.above.name, ENGINE + name, "what is around a node")
        check_equal(span.above.forward_key, span.forward_key, f"forward operator of {span.above.name}")

done = xsp_run(python, PROGRAMS / "torch_backward_elsewhere.py").check_success()
told = [line.split() for line in done.stdout.decode().splitlines()]  # node, thread and layer of its forward operator
trace = done.trace
linked = {(s.name, *s.forward.above.name.split()) for s in trace.of_kind(OPERATOR)
          if s.forward and not s.name.startswith(ENGINE) and s.forward.above}  # fmt: skip
check_equal(sorted(linked), sorted(map(tuple, told)), "nodes and where their forward operators lie")
main = [s for s in trace.of_kind(ANNOTATION) if s.name == "backward"]
check_equal(len(main), 1, "annotation of the backward work")
check(all(s.ring != s.forward.ring for s in trace.of_kind(OPERATOR) if s.forward), "links lead to other threads")

"""A module call that an exception ends is over when the exception has left it: what its caller does next is not inside it.
So with modules that PyTorch computes again for a checkpoint until it has what it needs, from 2.1 on.
"""
from support.trace_reader import OPERATOR, TORCH_CONTAINER, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run


def callers(span):
    while span.above is not None:
        span = span.above
        yield span


python = torch_python()
work_folder()
bare = run(python, PROGRAMS / "torch_checkpoint.py")
done = xsp_run(python, PROGRAMS / "torch_checkpoint.py").check_success()
check_equal(done.stdout, bare.stdout, "the program's results")
spans = done.trace.of_kind(OPERATOR, TORCH_MODULE, TORCH_CONTAINER, TORCH_ROOT)
check_equal(sum(s.kind == TORCH_ROOT and s.name == "Net" for s in spans), 3, "calls of the model")
again = [s for s in spans if s.name == "Block" or s.kind == TORCH_CONTAINER and any(a.forward for a in callers(s))]
check_equal(len(again), 6, "blocks computed again")
for block in again:
    check(all(a.begin <= block.begin and block.end <= a.end for a in callers(block)), f"{block.name} lies in its callers")
nodes = [s for s in spans if s.name.startswith("autograd::engine::evaluate_function")]
check(nodes, "backward nodes are recorded")
check_equal({s.name for s in nodes if s.above is not None and s.above.kind != OPERATOR}, set(), "backward nodes in modules")

"""Backward passes and optimizers of sampled steps are recorded, from the end of the model's call to the next one, and
those of the other steps are not.
"""
from support.trace_reader import OPERATOR, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, clean_environment, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
trace = xsp_run(python, PROGRAMS / "torch_sampled.py", 40, "train",
                env=clean_environment(XSP_SAMPLE="1/10")).check_success().trace
roots = trace.of_kind(TORCH_ROOT)
check_equal(len(roots), 40, "model spans")
check_equal([i // 10 for i, root in enumerate(roots) if not root.shallow], list(range(4)), "the tens of the sampled steps")
ends = [root.begin for root in roots[1:]] + [max(span.end for span in trace.spans) + 1]
for i, (root, end) in enumerate(zip(roots, ends)):
    behind = [s for s in trace.of_kind(OPERATOR) if root.end <= s.begin < end]
    backward = [s for s in behind if s.forward is not None]
    if root.shallow:
        check_equal(behind, [], f"step {i}: operators behind a call that is not sampled")
    else:
        check(len(backward) >= 2, f"step {i}: backward work leads to its forward operators")
        check(len(behind) > len(backward), f"step {i}: the optimizer is recorded")

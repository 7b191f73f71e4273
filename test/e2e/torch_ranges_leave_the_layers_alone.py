"""NVTX ranges inside PyTorch modules are spans between them; a range that outlives its module, or is never popped, costs
no layer. Operators that emit_itt reports are tasks.
"""
from support.trace_reader import ITT_TASK, NVTX_RANGE, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, report, run, skip, torch_python, work_folder, xsp_run

python = torch_python()
probe = "import torch; torch.cuda.nvtx.range_push('x'); assert torch.profiler.itt.is_available()"
if run(python, "-c", probe).returncode != 0:
    skip("this PyTorch is built without NVTX or ITT")
work_folder()
done = xsp_run(python, PROGRAMS / "torch_ranges.py").check_success()
check_equal(done.stdout, b"done\n", "output")
trace = done.trace
roots = trace.of_kind(TORCH_ROOT)
layers = trace.of_kind(TORCH_MODULE)
ranges = trace.of_kind(NVTX_RANGE)
check_equal(len(roots), 30, "model spans")
check_equal([s.name for s in layers], ["a", "b"] * 30, "layers")
check_equal([s.name for s in ranges], ["block", "hook", "never popped"] * 30, "ranges")
check_equal([p.losses for p in trace.processes.values()], [{}], "nothing is lost")
for i, root in enumerate(roots):
    block, hook, unpopped = ranges[3 * i : 3 * i + 3]
    a, b = layers[2 * i : 2 * i + 2]
    check_equal((root.parent, block.parent, a.parent, hook.parent, unpopped.parent, b.parent),
                (0, root.id, block.id, a.id, root.id, unpopped.id), f"parents in evaluation {i}")
    check(a.begin <= hook.begin and hook.end <= a.end, "a range ends with the module that it began in")
    check(unpopped.end <= root.end, "a range that is never popped ends with its surroundings")
tasks = [s for s in trace.of_kind(ITT_TASK) if s.type == "PyTorch"]
check("aten::relu" in [s.name for s in tasks], f"tasks: {tasks}")
table = report(done.path, "--analysis", "A2")["A2"]
check_equal([row[1] for row in table["rows"]], ["a", "b"], "A2 has the modules and nothing else")

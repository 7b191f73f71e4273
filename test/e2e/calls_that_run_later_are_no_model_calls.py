"""A module's call that returns a coroutine, a generator or a future has evaluated nothing: it is neither model nor layer, and a
notice says so. What runs when it is awaited is recorded as it runs, however many take turns on a thread, and the program
sees nothing of it. A call that has evaluated a part of its model before stays one.
"""
from collections import Counter

from support.trace_reader import TORCH_CONTAINER, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, has_module, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
program = PROGRAMS / "async_modules.py"
for words in [[]] + [["dynamo"]] * has_module(python, "torch._dynamo"):
    plain = run(python, program, *words)
    check_equal(plain.returncode, 0, f"without xsp-run: {plain.stderr}")
    done = xsp_run(python, program, *words).check_success()
    check_equal(done.stdout, plain.stdout, "what the program sees of its coroutines")
    trace = done.trace
    roots = Counter(span.type for span in trace.of_kind(TORCH_ROOT))
    # Awaited ran its modules eight times, the generators five times.
    check_equal(roots, Counter({"Linear": 8 + 3 + 2, "Sequential": 8, "Computes": 1}), f"model calls {words}")
    check(not any(span.failed for span in trace.of_kind(TORCH_ROOT)), "none of them failed")
    later = {"Awaited", "Passes", "Wraps", "Yields", "YieldsLater", "Promises"}
    check(not later & {s.type for s in trace.of_kind(TORCH_MODULE) + trace.of_kind(TORCH_CONTAINER)}, "nor are they layers")
    for layer in trace.of_kind(TORCH_MODULE):
        model = layer.outer("model")
        check(model is not None and model.begin <= layer.begin <= layer.end <= model.end, f"{layer.name} lies in its model")
    told = [notice for notice in trace.notices if "return before they run" in notice]
    check_equal(len(told), 1, f"one notice: {trace.notices}")
    check("Awaited" in told[0], told[0])

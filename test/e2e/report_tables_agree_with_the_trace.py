"""The tables of xsp-report hold what the trace holds: one A2 row per layer in order of execution, A5 and A6 its types, and
the model latency is at least the sum of its layers.
"""
from collections import Counter
from itertools import compress

from support.trace_reader import OPERATOR, TORCH_CONTAINER, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, report, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
done = xsp_run(python, PROGRAMS / "torch_resnet50.py").check_success()
trace = done.trace
root = trace.of_kind(TORCH_ROOT)[-1]
# Functional layers are operators directly in the model or a container.
layers = [s for s in trace.of_kind(TORCH_MODULE, OPERATOR) if root.begin <= s.begin < root.end
          and (s.kind == TORCH_MODULE or s.above.kind in (TORCH_ROOT, TORCH_CONTAINER))]
tables = report(done.path, "--analysis", "A1,A2,A5,A6")


def column(table, name):
    at = [c["name"] for c in tables[table]["columns"]].index(name)
    return [row[at] for row in tables[table]["rows"]]


check_equal(column("A2", "index"), list(range(len(layers))), "A2: index")
names = [f"{s.above.name}.{s.name}" if s.kind == OPERATOR and s.above.kind == TORCH_CONTAINER else s.name for s in layers]
check_equal(column("A2", "name"), names, "A2: names")
modules = [s.kind == TORCH_MODULE for s in layers]
check_equal(list(compress(column("A2", "type"), modules)), [s.type for s in compress(layers, modules)], "A2: types")
check_equal(column("A2", "shape"), [s.shape or None for s in layers], "A2: shapes")
types = Counter(s.type for s in compress(layers, modules))
counts = dict(zip(column("A5", "type"), column("A5", "count")))
check_equal({name: counts.get(name) for name in types}, dict(types), "A5: counts by type")
check_equal(sum(counts.values()), len(layers), "A5: layers")
check_equal(column("A1", "batch_size"), [1], "A1: batch size")
latency = column("A1", "latency_ms")[0]
layer_sum = sum(column("A2", "latency_ms"))
check(layer_sum <= latency * 1.02, f"sum of A2 {layer_sum} ms is at most the A1 latency {latency} ms")
check(abs(sum(column("A6", "latency_ms")) - layer_sum) < 0.01 * layer_sum, "the sum of A6 is the sum of A2")

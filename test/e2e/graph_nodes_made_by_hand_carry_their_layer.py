"""Graphs built node by node: kernels, a child graph, a loop whose body runs three times, and a clone. What they run has the
launch and the layer that made the node.
"""
from collections import Counter

from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, work_folder

work_folder()
for words, per_launch in (([], {"first": 1, "second": 1, "in_child": 1, "in_loop": 3}),
                          (["clone"], {"first": 1, "second": 1, "in_child": 1})):  # fmt: skip
    outcome = run_on_device(fake("graph_nodes"), *words).check_success().check_executions().check_launches()
    layers = Counter(e.capture.outer("layer").name for e in outcome.trace.kernels)
    check_equal(dict(layers), {name: 2 * count for name, count in per_launch.items()}, f"{words}: kernels by layer")
    launches = {e.launch.outer("layer").name for e in outcome.trace.kernels}
    check_equal(launches, {"launching"}, f"{words}: where the graph was launched")

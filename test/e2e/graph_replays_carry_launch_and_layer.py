"""A captured graph that is replayed, also one instantiated from a clone: every kernel of a replay has the launch of the graph
and the layer and library call in which it was captured.
"""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, work_folder

work_folder()
for words in (["graph"], ["clone"], ["graph", "streams"]):
    outcome = run_on_device(fake("inference"), 4, *words).check_success().check_executions().check_launches()
    replayed = [e for e in outcome.trace.kernels if e.graph_node]
    check_equal(len(replayed), 4 * 8, f"{words}: kernels of four replays")
    check_equal({e.launch.name for e in replayed}, {"cudaGraphLaunch"}, f"{words}: launches of replayed kernels")
    layers = {e.capture.outer("layer").name for e in replayed}
    check_equal(layers, {"conv1", "fc1", "fc2", "relu2", "softmax"}, f"{words}: layers of replayed kernels")
    values = {row[0]: row[2] for row in outcome.tables("Q1")["Q1"]["rows"] if row[1] == "all"}
    check_equal(values["unmatched_launch"], 0, f"{words}: captured launches count as launches without an execution")

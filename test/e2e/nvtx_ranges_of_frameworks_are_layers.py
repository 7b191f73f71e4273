"""Ranges as XLA, TensorRT and PyTorch's emit_nvtx make them come out as models and layers in the report, with the names and
types of their layers. (Their texts are those of the frameworks' sources and documents: the frameworks themselves need a GPU.)
"""
from support.xsp_e2e import BUILD, check_equal, report, work_folder, xsp_run

program = BUILD / "test/e2e/nvtx_layers"
work_folder()


def layers(table):
    names = [c["name"] for c in table["columns"]]
    return [(row[names.index("name")], row[names.index("type")]) for row in table["rows"]]


for framework, model, expected in (
    ("xla", "jit_predict", [("custom-call.7", "custom-call"), ("loop_add_fusion.1", "loop_add_fusion")]),
    ("tensorrt", "ExecutionContext::enqueue",
     [("Conv_0 + Relu_1", None), ("(Unnamed Layer* 1) [Fully Connected]", "Fully Connected")]),
):
    done = xsp_run(program, framework).check_success()
    tables = report(done.path, "--analysis", "A1,A2", "--skip", "1")
    columns = [c["name"] for c in tables["A1"]["columns"]]
    row = tables["A1"]["rows"][0]
    check_equal(row[columns.index("model")], model, f"{framework}: model")
    check_equal(row[columns.index("n")], 9, f"{framework}: evaluations without the warm-up")
    check_equal(layers(tables["A2"]), expected, f"{framework}: layers")

done = xsp_run(program, "pytorch").check_success()
check_equal({s.name for s in done.trace.spans},
            {"aten::linear, sizes = [[4, 8], [16, 8], [16]]", "aten::addmm, sizes = [[16], [4, 8]]"},
            "texts are the same for every call")
table = report(done.path, "--analysis", "A2", "--per", "trace")["A2"]
check_equal(layers(table), [("aten::linear", "aten::linear")], "pytorch: only the outermost operator is a layer")

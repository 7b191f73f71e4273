"""A layer counts as a convolution for what it computes and not for what its class is called: transformers' Conv1D is a matrix
product, and a convolution in a class of another name is one. `convolution_pct` is the share of those layers alone.
"""
from support.xsp_e2e import PROGRAMS, check, check_equal, report, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
done = xsp_run(python, PROGRAMS / "torch_named_otherwise.py").check_success()
tables = report(done.path, "-a", "A2,M1", "--top", "0")
columns = [column["name"] for column in tables["A2"]["columns"]]
layers = {row[columns.index("name")]: row[columns.index("latency_ms")] for row in tables["A2"]["rows"]}
check_equal(sorted(layers), sorted(["stem", "depthwise", "up", "rows", "lstm", "c_attn", "fc"]), "layers")
share = 100 * sum(layers[name] for name in ("stem", "depthwise", "up")) / sum(layers.values())
columns = [column["name"] for column in tables["M1"]["columns"]]
told = tables["M1"]["rows"][0][columns.index("convolution_pct")]
check(abs(told - share) < 0.01, f"{told} % convolutions, by the layers that are some {share} %")

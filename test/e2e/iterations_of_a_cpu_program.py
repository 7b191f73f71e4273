"""Without a GPU the layers are what iterations are found in: of a program that calls a model in a loop D1 has as many as A1
has evaluations, and as evaluations themselves they are as many and have the model's layers.
"""
import json

from support.xsp_e2e import PROGRAMS, XSP_REPORT, check, check_equal, run, torch_python, work_folder, xsp_run


def table(name, *options):
    report = run(XSP_REPORT, recording.path, "-a", name, "--format", "json", "--skip", "0", *options)
    check(report.returncode == 0, report.stderr.decode())
    whole = json.loads(report.stdout)[name]
    names = [column["name"] for column in whole["columns"]]
    return whole, [dict(zip(names, row)) for row in whole["rows"]]


python = torch_python()
work_folder()
recording = xsp_run(python, PROGRAMS / "torch_resnet50.py").check_success()
_, models = table("A1")
evaluations = sum(row["n"] for row in models)
whole, rows = table("D1")
outermost = [row for row in rows if row["level"] == 0]
check_equal(whole["pattern"]["count"], evaluations, "iterations, and evaluations of the model")
check_equal(len(outermost), evaluations, "rows of the outermost loop")
check(any("no GPU activity was recorded" in note for note in whole["notes"]), f"D1 says what it is of: {whole['notes']}")

_, layers = table("A2")
_, as_evaluations = table("A1", "--model-span", "iterations")
check_equal([row["n"] for row in as_evaluations], [evaluations], "iterations as evaluations")
_, its_layers = table("A2", "--model-span", "iterations")
check_equal(sorted(row["name"] for row in its_layers), sorted(row["name"] for row in layers), "layers of an iteration")

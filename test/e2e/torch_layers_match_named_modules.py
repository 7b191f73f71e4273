"""Of every evaluation of a torch model, the layers in the trace are the module calls that contain no other: same order,
same qualified names, types and output shapes as PyTorch's own hooks show in a run without XSP.
"""
import json

from support.trace_reader import TORCH_CONTAINER, TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, run, torch_python, work_folder, xsp_run

python = torch_python()
work_folder()
for program, root_type in (("torch_resnet50.py", "ResNet50"), ("torch_transformer.py", "Classifier")):
    truth = run(python, PROGRAMS / "module_calls.py", "truth.json", PROGRAMS / program)
    check(truth.returncode == 0, truth.stderr.decode())
    with open("truth.json") as file:
        evaluations = json.load(file)
    check_equal(len(evaluations), 10, f"{program}: evaluations in the run without XSP")

    trace = xsp_run(python, PROGRAMS / program).check_success().trace
    roots = trace.of_kind(TORCH_ROOT)
    check_equal(len(roots), 10, f"{program}: model spans")
    layers = trace.of_kind(TORCH_MODULE)
    containers = trace.of_kind(TORCH_CONTAINER)
    check_equal({root.type for root in roots}, {root_type}, f"{program}: type of the model")
    check({layer.level for layer in layers} == {"layer"}, f"{program}: layers are on the layer level")
    check_equal(len(layers), sum(len(e["layers"]) for e in evaluations), f"{program}: layers in the trace")
    for i, (root, expected) in enumerate(zip(roots, evaluations)):
        inside = [s for s in layers if root.begin <= s.begin and s.end <= root.end]
        check_equal([[s.name, s.type, s.shape] for s in inside], expected["layers"], f"{program}: evaluation {i}")
        check(sum(s.end - s.begin for s in inside) <= root.end - root.begin,
              f"{program}: evaluation {i}: the layers take no longer than the model")
    by_id = {(s.process, s.ring, s.id): s for s in roots + containers}
    for layer in layers:
        parent = by_id.get((layer.process, layer.ring, layer.parent))
        check(parent is not None, f"{program}: {layer.name} has a model or container as parent")
        check(parent.begin <= layer.begin and layer.end <= parent.end, f"{program}: {layer.name} lies in its parent")
        if parent.kind == TORCH_CONTAINER:
            check(layer.name.startswith(parent.name + "."), f"{layer.name} is a child of {parent.name}")

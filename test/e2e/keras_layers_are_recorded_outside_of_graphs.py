"""Layers of Keras that compute are recorded, with names, classes, shapes and nesting; those that are called to build a network, or
while a function is traced, are not. The program prints the same.
"""
import os

from support.trace_reader import TORCH_CONTAINER, TORCH_MODULE, TORCH_ROOT, proto
from support.xsp_e2e import PROGRAMS, check_equal, clean_environment, keras_python, run, work_folder, xsp_run

python = keras_python()
work_folder()
is_tensorflow = "tensorflow" in os.environ.get("XSP_TEST_FOLDER", "tensorflow")
for backend in ("tensorflow",) if is_tensorflow else ("torch", "jax"):
    environment = clean_environment() | {"KERAS_BACKEND": backend}
    bare = run(python, PROGRAMS / "keras_layers.py", env=environment)
    recorded = xsp_run(python, PROGRAMS / "keras_layers.py", options=["-q"], env=environment).check_success()
    check_equal(recorded.stdout, bare.stdout, f"{backend}: stdout")

    spans = recorded.trace.spans
    calls = [span for span in spans if span.level == "model" and span.input == "[4,16,16,3]"]
    kind = TORCH_ROOT if backend == "torch" else proto.KIND_RUN
    eager = [call for call in calls if call.kind == kind and call.name in ("net", "Functional")]
    # On PyTorch, predict calls the network as the program does.
    check_equal(len(eager), 6 if backend == "torch" else 5, f"{backend}: calls of the network")
    outside = {span.name for span in spans if span.level == "model"} - {"net", "Functional", "<lambda>"}
    check_equal({name for name in outside if "one_step" not in name and "predict" not in name}, set(), f"{backend}: other models")
    last = eager[4]
    inside = [span for span in spans if span.kind in (TORCH_MODULE, TORCH_CONTAINER) and span.outer("model") is last]
    inside.sort(key=lambda span: span.begin)
    separator, conv, norm = (".", "conv", "norm") if backend == "torch" else ("/", "conv", "norm")
    expected = []
    for block in ("block1", "block2"):
        expected += [(block, "Block"), (f"{block}{separator}{conv}", "Conv2D"), (f"{block}{separator}{norm}", "BatchNormalization")]
    expected += [("pool", "GlobalAveragePooling2D"), ("dense", "Dense")]
    check_equal([(span.name, span.type) for span in inside], expected, f"{backend}: layers")
    check_equal([span.shape for span in inside[:3]], ["[4,16,16,8]"] * 3, f"{backend}: shapes of a block")
    check_equal([span.shape for span in inside[-2:]], ["[4,8]", "[4,10]"], f"{backend}: last shapes")
    check_equal([span.name for span in inside if span.kind == TORCH_CONTAINER], ["block1", "block2"], f"{backend}: containers")

"""xsp.h and the Python module: names, levels, nesting and tags are those of the program; outside xsp-run they do nothing."""
import os
from pathlib import Path

from support.trace_reader import API
from support.xsp_e2e import BUILD, PROGRAMS, SOURCE, SYSTEM_PYTHON, check, check_equal, clean_environment, run, skip, work_folder, xsp_run

program = BUILD / "test/e2e/api_spans"
if not program.exists():
    skip("the C program on xsp.h is not built")
work_folder()
environment = clean_environment(PYTHONPATH=SOURCE / "inject/api")
for command in ([program], [SYSTEM_PYTHON, PROGRAMS / "api_spans.py"]):
    plain = run(*command, env=environment)
    check_equal((plain.returncode, plain.stdout), (0, b"10 predictions\n"), f"outside xsp-run: {plain.stderr.decode()}")
    done = xsp_run(*command, env=environment).check_success()
    check_equal(done.stdout, plain.stdout, "stdout")
    spans = done.trace.of_kind(API)
    models = [s for s in spans if s.level == "model"]
    layers = [s for s in spans if s.level == "layer"]
    check_equal([s.name for s in models], ["predict"] * 10, "model spans")
    check_equal([s.name for s in layers], ["tokenize", "forward", "decode"] * 10, "layers in order")
    for i, layer in enumerate(layers):
        parent = models[i // 3]
        check_equal(layer.parent, parent.id, f"parent of layer {i}")
        check(parent.begin <= layer.begin <= layer.end <= parent.end, f"layer {i} lies in its parent")
    if command == [program]:
        check_equal([s.tags for s in models], [{"request": str(i)} for i in range(10)], "tags")
assert os.path.exists(Path("trace.pb"))

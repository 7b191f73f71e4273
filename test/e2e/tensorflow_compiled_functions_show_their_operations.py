"""The layers of a function that XLA compiled are the operations of its HLO, each as often as the graph has it, and a loop's as often as
it runs. The program prints the same, and TensorFlow's own profiler, started and stopped in the middle, sees its calls as it does
without XSP. A version whose XLA does not tell its operations has the function as one layer.
"""
import os
import re
import shutil
from collections import Counter
from pathlib import Path

from support.trace_reader import OPERATOR, proto, read_trace
from support.xsp_e2e import BUILD, PROGRAMS, check, check_equal, run, tensorflow_python, work_folder, xsp_run

IMPORT = BUILD / "import/xsp-import"
PROGRAM = PROGRAMS / "tensorflow_calls.py"
LOOPS = 3
NO_WORK = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "while"}


def operations_of(hlo):
    """How often each operation runs in a call: those of the entry once, those of the loop's body as often as it runs."""
    computations = {}
    for head, body in re.findall(r"^(ENTRY %\S+|%\S+) \(.*?\{\n(.*?)^\}", hlo, re.M | re.S):
        found = re.findall(r"^ +(?:ROOT )?%(\S+) = .*?[\]\})] ([a-z][\w-]*)\(", body, re.M)
        computations[head] = [name for name, kind in found if kind not in NO_WORK]
    entry = next(names for head, names in computations.items() if head.startswith("ENTRY"))
    body = re.search(r"while\(.*body=(%[^\s,]+)", hlo).group(1)
    return Counter(entry) + Counter({name: LOOPS for name in computations[body]}), set(sum(computations.values(), []))


def own_operations():
    """Operations in the profile that the program's own profiler has written."""
    (profile,) = Path("own_profile").rglob("*.xplane.pb")
    done = run(IMPORT, profile, "-f", "-o", "own.pb")
    check_equal(done.returncode, 0, f"xsp-import: {done.stderr.decode()}")
    shutil.rmtree("own_profile")
    return Counter(span.name for span in read_trace(Path("own.pb")).of_kind(OPERATOR))


python = tensorflow_python()
work_folder()
for way in ("compiled", "profiled"):
    bare = run(python, PROGRAM, way)
    own_bare = own_operations() if way == "profiled" else None
    recorded = xsp_run(python, PROGRAM, way).check_success()
    check_equal(recorded.stdout, bare.stdout, f"{way}: stdout")
    check("tensorflow: " not in recorded.stderr, f"{way}: {recorded.stderr}")
    if way == "profiled":
        check_equal(own_operations(), own_bare, "what TensorFlow's own profiler sees")
    expected, known = operations_of(Path("hlo.txt").read_text())
    calls = [call for call in recorded.trace.of_kind(proto.KIND_RUN) if call.name == "infer"]
    check(len(calls) >= 5, f"{way}: calls {calls}")
    for index, call in enumerate(sorted(calls, key=lambda call: call.begin)):
        layers = [span for span in recorded.trace.of_kind(OPERATOR)
                  if span.level == "layer" and call.begin <= span.begin and span.end <= call.end]
        check_equal({layer.scope for layer in layers}, {call.scope}, f"{way}: whose they are")
        found = Counter(layer.name for layer in layers)
        if os.environ.get("XSP_TEST_FOLDER") == "tensorflow-2023":
            check_equal(len(found), 1, f"{way}: the function is one layer: {found}")
            check(next(iter(found)).startswith("__inference_infer_"), f"{way}: {found}")
            continue
        # Conditions of a loop may run on the host without a thunk, and once more than the body.
        checked = {name: number for name, number in found.items() if name in expected}
        check_equal(checked, dict(expected), f"{way}: operations of call {index}: {found}")
        check(set(found) <= known, f"{way}: {set(found) - known} are not in the graph")
        by_name = {layer.name: layer for layer in layers}
        convolution = next(layer for name, layer in by_name.items() if name.startswith("convolution"))
        check_equal(convolution.type, "convolution", f"{way}: type")
        check(sum(layer.duration for layer in layers) <= 2.2 * call.duration, f"{way}: layers are far longer than their call")

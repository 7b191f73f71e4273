"""Kind, direction, implementation, algorithm and shapes of every oneDNN primitive that PyTorch executes are those that
oneDNN logs in a run without XSP, call by call.
"""
import re

from support.trace_reader import LIBRARY_CALL
from support.xsp_e2e import PROGRAMS, check, check_equal, clean_environment, run, torch_python, work_folder, xsp_run

NAMES = {"pooling_v2": "pooling", "softmax_v2": "softmax"}  # of descriptors since oneDNN 2.6


def sizes_of(kind, problem):
    """{role: sizes} of a problem as oneDNN writes it: "g4mb2_ic8oc16_ih20oh16kh3sh1dh1ph0_…", "2x8x20x24"."""
    if re.fullmatch(r"\d+(x\d+)*", problem):
        sizes = [int(n) for n in problem.split("x")]
        return {"src": sizes, "dst": sizes}
    n = {name: int(value) for name, value in re.findall(r"([a-z]+)(\d+)", problem)}
    if kind in ("convolution", "deconvolution"):
        spatial = [axis for axis in "dhw" if "i" + axis in n]
        groups = n.get("g", 1)
        weights = [n["oc"] // groups, n["ic"] // groups] + [n["k" + axis] for axis in spatial]
        return {
            "src": [n["mb"], n["ic"]] + [n["i" + axis] for axis in spatial],
            "dst": [n["mb"], n["oc"]] + [n["o" + axis] for axis in spatial],
            "wei": [groups] + weights if "g" in n else weights,
        }
    if kind == "inner_product":
        return {"src": [n["mb"], n["ic"]], "dst": [n["mb"], n["oc"]], "wei": [n["oc"], n["ic"]]}
    if kind == "pooling":
        return {"src": [n["mb"], n["ic"], n["ih"], n["iw"]], "dst": [n["mb"], n["ic"], n["oh"], n["ow"]]}
    if kind == "batch_normalization":
        return {"src": [n["mb"], n["ic"], n["ih"], n["iw"]]}
    check(False, f"a kind of primitive that this test does not know: {kind} {problem}")


def check_text(text, line):
    """The text that the wrapper made of a primitive, against the fields of its line in the log."""
    _, kind, implementation, direction, memory, _, auxiliary, problem = line.split(",")[:8]
    kind = NAMES.get(kind, kind)
    words = text.split()
    what = f"primitive\n  {text}\n  {line}\n "
    check_equal(words[0].replace("_v2", ""), kind, f"{what} kind")
    check_equal(words[1] if "=" not in words[1] else "undef", direction, f"{what} direction")
    values = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        values.setdefault(name, value if equals else None)
    check_equal(values.get("impl"), implementation, f"{what} implementation")
    algorithm = re.match(r"alg:(\w+)", auxiliary)
    if algorithm and kind != "softmax":  # a softmax made by the first descriptor of 2.6 has no algorithm to ask for
        check_equal(values.get("alg"), algorithm[1], f"{what} algorithm")
    for role, sizes in sizes_of(kind, problem).items():
        shown = values.get(role) or values.get(f"diff_{role}")
        expected = f"f32{sizes}".replace(" ", "")
        check(shown is not None and shown.startswith(expected), f"{what} {role}: {shown}, not {expected}")
        tag = re.search(rf"{role}_f32::blocked:(\w+):", memory)
        if tag:
            check_equal(shown[len(expected) :], tag[1], f"{what} layout of {role}")
    logged_bias = "bia_f32" in memory
    check_equal("bia" in values or "diff_bia" in values, logged_bias, f"{what} bias")


python = torch_python()
work_folder()
program = PROGRAMS / "torch_onednn_kinds.py"
plain = run(python, program, env=clean_environment(ONEDNN_VERBOSE="1"))
check_equal(plain.returncode, 0, f"exit status without XSP; stderr: {plain.stderr.decode()}")
log = []
for line in plain.stdout.decode().splitlines():
    fields = line.split(",")
    if "exec" in fields and fields[0].endswith("_verbose"):
        log.append(",".join(fields[fields.index("exec") + 1 : -1]))
check(len({line.split(",")[1] for line in log}) >= 8, f"kinds of primitives in oneDNN's log: {log}")

done = xsp_run(python, program).check_success()
check_equal(done.stdout, b"done\n", "stdout")
calls = sorted((s for s in done.trace.of_kind(LIBRARY_CALL) if s.type == "onednn"), key=lambda s: s.begin)
wrapped = [s for s in calls if s.name == "dnnl_primitive_execute"]
itt = [s for s in calls if not s.name.startswith("dnnl_") and "create" not in s.name]
check_equal(len(wrapped or itt), len(log), "calls in the trace and in oneDNN's log")
for span, line in zip(wrapped, log):
    check_text(span.arguments["primitive"], line)
for span, line in zip(itt, log):
    check_equal((span.name, span.arguments.get("problem")), (line.split(",")[1], line), "primitive and problem")

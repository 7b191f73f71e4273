"""A TensorFlow whose members lie elsewhere, or that runs its kernels in another way, runs as without XSP. What cannot be read is
left out, which is said once; the rest is recorded.
"""
from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import BUILD, check, check_equal, clean_environment, run, work_folder, xsp_run

HOST = BUILD / "test/fake_tensorflow/fake_tensorflow_host"
CALLS = 40
NAMES = ["net/conv/Conv2D", "net/conv/Relu", "net/fc/MatMul"]
SHAPES = {"net/conv/Conv2D": "[3,8]", "net/conv/Relu": "[4,8]", "net/fc/MatMul": "[5,8]"}

work_folder()
for words, has_layers, has_shapes, notice in (
    ("", True, True, None),
    ("absl-views", True, True, None),
    ("fails", True, True, None),
    ("no-names", False, False, "keeps the names of kernels elsewhere"),
    ("false-names", False, False, "keeps the names of kernels elsewhere"),
    ("other-params", True, False, "has another layout"),
    ("false-sizes", True, False, "keeps tensors in another way"),
    ("unmapped", True, False, "keeps tensors in another way"),
    ("direct", False, False, None),
):  # fmt: skip
    environment = clean_environment(FAKE_TENSORFLOW=words)
    bare = run(HOST, env=environment)
    done = xsp_run(HOST, env=environment).check_success()
    check_equal(done.stdout, bare.stdout, f"{words}: stdout")
    trace = done.trace
    calls = trace.of_kind(proto.KIND_RUN)
    check_equal([(c.name, c.type, c.level, c.input) for c in calls], [("Session.run", "TensorFlow", "model", "[4,8]")] * CALLS,
                f"{words}: calls")
    check_equal({call.failed for call in calls}, {words == "fails"}, f"{words}: failed calls")
    layers = trace.of_kind(OPERATOR)
    check_equal(sorted({layer.name for layer in layers}), NAMES if has_layers else [], f"{words}: layers")
    if has_layers:
        check_equal(len(layers), len(NAMES) * CALLS, f"{words}: number of layers")
        check(all(layer.level == "layer" and layer.scope == calls[0].scope for layer in layers), f"{words}: whose they are")
        late = [layer for layer in layers if layer.begin > calls[20].begin]
        expected = SHAPES if has_shapes else dict.fromkeys(NAMES, "")
        check_equal({layer.name: layer.shape for layer in late}, expected, f"{words}: shapes")
    told = [line for line in done.stderr.splitlines() if "tensorflow: " in line]
    check_equal(len(told), notice is not None, f"{words}: notices {told}")
    check(notice is None or notice in told[0], f"{words}: {told}")

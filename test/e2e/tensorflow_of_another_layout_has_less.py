"""A TensorFlow whose members lie elsewhere, or that runs its kernels in another way, runs as without XSP. What cannot be read is
left out, which is said once; the rest is recorded.
"""
from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import BUILD, check, check_equal, clean_environment, run, work_folder, xsp_run

HOSTS = BUILD / "test/fake_tensorflow"
CALLS = 40
NAMES = ["net/conv/Conv2D", "net/conv/Relu", "net/fc/MatMul"]
SHAPES = {"net/conv/Conv2D": "[3,8]", "net/conv/Relu": "[4,8]", "net/fc/MatMul": "[5,8]"}

work_folder()
for host, words, has_layers, has_shapes, notice in (
    ("fake_tensorflow_host", "", True, True, None),
    ("fake_tensorflow_host", "absl-views", True, True, None),
    ("fake_tensorflow_host", "fails", True, True, None),
    ("fake_tensorflow_host", "callable", True, True, None),
    ("fake_tensorflow_host", "no-names", False, False, "keeps the names of kernels elsewhere"),
    ("fake_tensorflow_host", "false-names", False, False, "keeps the names of kernels elsewhere"),
    ("fake_tensorflow_host", "other-params", True, False, "has another layout"),
    ("fake_tensorflow_host", "false-sizes", True, False, "keeps tensors in another way"),
    ("fake_tensorflow_host", "unmapped", True, False, "keeps tensors in another way"),
    ("fake_tensorflow_host", "direct", False, False, None),
    ("version_1/fake_tensorflow_1_host", "", True, True, None),
    ("version_1/fake_tensorflow_1_host", "callable", True, True, None),
    ("version_1/fake_tensorflow_1_host", "other-params", True, False, "has another layout"),
    ("version_1/fake_tensorflow_1_host", "unmapped", True, False, "keeps tensors in another way"),
):  # fmt: skip
    environment = clean_environment(FAKE_TENSORFLOW=words)
    case = f"{host} {words}"
    program = HOSTS / host
    bare = run(program, env=environment)
    done = xsp_run(program, env=environment).check_success()
    check_equal(done.stdout, bare.stdout, f"{case}: stdout")
    trace = done.trace
    calls = trace.of_kind(proto.KIND_RUN)
    # The first kernel's shape is that of the input; until it is sure where shapes are, there is none.
    known = [call for call in calls[20:] if words == "callable"] or calls
    check_equal(len(calls), CALLS, f"{case}: calls")
    check_equal({(c.name, c.type, c.level, c.input) for c in known},
                {("Session.run", "TensorFlow", "model", "[2,8]" if words == "callable" else "[4,8]")}, f"{case}: calls")
    check_equal({call.failed for call in calls}, {words == "fails"}, f"{case}: failed calls")
    layers = trace.of_kind(OPERATOR)
    check_equal(sorted({layer.name for layer in layers}), NAMES if has_layers else [], f"{case}: layers")
    if has_layers:
        check_equal(len(layers), len(NAMES) * CALLS, f"{case}: number of layers")
        check(all(layer.level == "layer" and layer.scope == calls[0].scope for layer in layers), f"{case}: whose they are")
        late = [layer for layer in layers if layer.begin > calls[20].begin]
        expected = SHAPES if has_shapes else dict.fromkeys(NAMES, "")
        check_equal({layer.name: layer.shape for layer in late}, expected, f"{case}: shapes")
    told = [line for line in done.stderr.splitlines() if "tensorflow: " in line]
    check_equal(len(told), notice is not None, f"{case}: notices {told}")
    check(notice is None or notice in told[0], f"{case}: {told}")

"""An MXNet whose members lie elsewhere, or that runs its operators in another way, runs as without XSP. What cannot be read is
left out, which is said once; the rest is recorded, and calls last until their work is done.
"""
from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import BUILD, check, check_equal, clean_environment, run, work_folder, xsp_run

HOST = BUILD / "test/fake_mxnet/fake_mxnet_host"
CALLS = 40
NAMES = ["net_conv0_fwd", "net_relu0_fwd"]

def operators_of(call, operators):
    return [span for span in operators if span.scope == call.scope and call.begin <= span.begin and span.end <= call.end]


work_folder()
for words, executor_layers, shapes, notice in (
    ("", True, True, None),
    ("other-names", False, False, "operators of executors are not recorded"),
    ("long-names", False, False, "operators of executors are not recorded"),
    ("other-arrays", True, False, "operators of executors have no shapes"),
    ("direct", False, False, None),
    ("throws", True, True, None),
):  # fmt: skip
    environment = clean_environment(FAKE_MXNET=words)
    bare = run(HOST, env=environment)
    done = xsp_run(HOST, env=environment).check_success()
    check_equal((done.returncode, done.stdout), (bare.returncode, bare.stdout), f"{words}: status and output")
    trace = done.trace
    calls = sorted(trace.of_kind(proto.KIND_RUN), key=lambda call: call.begin)
    check_equal([call.name for call in calls], ["Executor.forward"] * CALLS + ["CachedOp"] * CALLS, f"{words}: calls")
    operators = trace.of_kind(OPERATOR)
    for call in calls[CALLS:]:
        check_equal(sorted((s.name, s.type, s.shape) for s in operators_of(call, operators)),
                    [("net_conv0_fwd", "Convolution", "[4,8]"), ("net_relu0_fwd", "Activation", "[4,8]")], f"{words}: cached")
        check(call.duration >= 200_000, f"{words}: a call of two operators took {call.duration} ns")
    late = calls[34:CALLS]
    for call in late:
        own = sorted(operators_of(call, operators), key=lambda span: span.begin)
        check_equal([span.name for span in own], NAMES if executor_layers else [], f"{words}: layers of an executor")
        if executor_layers:
            check_equal({span.shape for span in own}, {"[4,8]" if shapes else ""}, f"{words}: shapes")
        check(call.duration >= 200_000, f"{words}: a call of two operators took {call.duration} ns")
        check_equal(call.failed, words == "throws" and calls.index(call) % 4 == 3, f"{words}: failed")
    told = [line for line in done.stderr.splitlines() if "mxnet: " in line]
    check_equal(len(told), notice is not None, f"{words}: notices {told}")
    check(notice is None or notice in told[0], f"{words}: {told}")

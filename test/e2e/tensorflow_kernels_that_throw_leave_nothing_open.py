"""A kernel that throws ends its call by the same exception as without XSP. Neither has a span, and those after it lie where they do
otherwise.
"""
from support.trace_reader import OPERATOR, proto
from support.xsp_e2e import BUILD, check, check_equal, clean_environment, run, work_folder, xsp_run

HOST = BUILD / "test/fake_tensorflow/fake_tensorflow_host"
CALLS = 40

work_folder()
environment = clean_environment(FAKE_TENSORFLOW="throws")
bare = run(HOST, env=environment)
done = xsp_run(HOST, env=environment).check_success()
check_equal(done.stdout, bare.stdout, "stdout")
failed = int(done.stdout.split()[1])
check(failed >= 5, f"only {failed} calls failed")
trace = done.trace
calls = trace.of_kind(proto.KIND_RUN)
check_equal(len(calls), CALLS - failed, "calls that ended")
check_equal({call.above for call in calls}, {None}, "calls lie in nothing")
kernels = trace.of_kind(OPERATOR)
for call in calls:
    own = [kernel for kernel in kernels if call.begin <= kernel.begin and kernel.end <= call.end]
    check_equal(sorted(kernel.name for kernel in own), ["net/conv/Conv2D", "net/conv/Relu", "net/fc/MatMul"], "kernels of a call")
    check(all(kernel.above is None or kernel.above is call for kernel in own), "a kernel lies in its call only")
    check_equal({kernel.scope for kernel in own}, {call.scope}, "whose they are")

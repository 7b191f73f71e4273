"""Without the kernel level, each model call of PyTorch has its time on the device, by events on its stream: though the
call returns at once, and without the program waiting. Not where kernels tell it, where a graph is being captured, or
before PyTorch has initialised CUDA. With the distribution's PyTorch, which is built without CUDA.
"""
from support.fake_cuda import run_on_device
from support.trace_reader import TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check, check_equal, torch_python, work_folder

STREAM_INTERVAL = 19
MS = 1_000_000
python = torch_python()
work_folder()


def intervals(*words, level="model"):
    outcome = run_on_device(python, PROGRAMS / "torch_on_fake_cuda.py", *words, options=("--level", level))
    check_equal(outcome.done.stdout, b"6\n", f"what the program prints; stderr: {outcome.done.stderr}")
    check(len(outcome.done.trace.of_kind(TORCH_ROOT)) >= 5, f"{words}: model calls")  # the last one may have failed
    found = [e for e in outcome.done.trace.executions if e.kind == STREAM_INTERVAL]
    return sorted(found, key=lambda interval: interval.begin)


found = intervals()
check_equal(len(found), 6, "model calls with a time on the device")
before = 0
for interval in found:
    span = interval.launch
    check(span is not None and span.kind == TORCH_ROOT, "the interval names its model call")
    length = interval.end - interval.begin
    check(length > 2.9 * MS, f"a kernel of 3 ms takes {length / MS} ms")
    check(interval.begin >= span.begin - MS, f"the device begins {(span.begin - interval.begin) / MS} ms early")
    check(interval.begin < span.begin + 1000 * MS, f"the device begins {(interval.begin - span.begin) / MS} ms late")
    # The stand-in's device is a thread: on a busy machine its answer, and so the reference, is late.
    check(interval.begin >= before - 100 * MS, "two calls at once on one stream")
    before = interval.end
# A busy machine makes single ones longer.
check(min(e.end - e.begin for e in found) < 4 * MS, f"kernels of 3 ms take {[(e.end - e.begin) / MS for e in found]} ms")
spent = min(e.launch.end - e.launch.begin for e in found)
check(spent < 2 * MS, f"the calls wait for the device: {spent / MS} ms")
check_equal(len({id(interval.launch) for interval in found}), 6, "each call has one")

check_equal(len(intervals(level="layer")), 6, "intervals with --level layer")
check_equal(intervals("uninitialized"), [], "intervals before PyTorch has initialised CUDA")
check_equal(intervals("captured"), [], "intervals while a graph is captured")
check_equal(intervals(level="kernel"), [], "intervals where kernels are recorded")
check(len(intervals("failing")) >= 3, "calls that end well after others that raise")

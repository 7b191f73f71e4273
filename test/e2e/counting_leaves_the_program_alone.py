"""A counted program ends as it would, by whatever way, and what had been counted is in the trace; a profiler of its own is
told what it would be, and counting ends there.
"""
from support.fake_cuda import device_environment, fake, read_truth
from support.trace_reader import read_segments
from support.xsp_e2e import check, check_equal, run, work_folder, xsp_run

OPTIONS = ("--metrics", "roofline-fp32", "--metrics-only")


def counted(program, *words, **environment):
    open("truth.log", "w").close()
    plain = run(fake(program), *words, env=device_environment(**environment))
    open("truth.log", "w").close()
    done = xsp_run(fake(program), *words, options=OPTIONS, env=device_environment(**environment))
    check_equal((done.returncode, done.stdout), (plain.returncode, plain.stdout), f"{words}: how it ends")
    (trace,) = read_segments(done.path)
    return trace, [line for line in read_truth() if line["kind"] == "kernel"]


work_folder()
# _exit several times: in one run of ten the counts that were posted last used to be lost with the process.
for words, all_there in (*[(["_exit"], True)] * 8, (["quick_exit"], True), (["fork"], True), (["unsynchronized"], True),
                         (["abort"], False), (["kill"], False)):  # fmt: skip
    trace, ran = counted("inference", 40, *words)
    if all_there:
        check_equal(len(trace.counters), 40 * 8, f"{words}: kernels that were counted")
    else:
        # The image that was full, if it was on its way; what the other one held went with the process.
        check(len(trace.counters) <= 256, f"{words}: kernels that were counted: {len(trace.counters)}")

for words in ([], ["early"], ["twice"]):
    trace, ran = counted("profiles_itself", *words)
    check("during_kernel" not in {row.name for row in trace.counters}, f"{words}: kernels that the other one has")
    check(any("another profiler in the program has" in notice for notice in trace.notices), f"{words}: {trace.notices}")
    expected = [] if "early" in words else ["before_kernel"] * 10
    check_equal([row.name for row in trace.counters], expected, f"{words}: kernels that were counted")

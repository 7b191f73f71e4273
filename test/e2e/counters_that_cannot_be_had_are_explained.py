"""Where counters are refused, the program runs as ever and exits as it does; the trace, and xsp-run, say what helps. The
first run is whole.
"""
from support.fake_cuda import device_environment, fake
from support.trace_reader import read_segments
from support.xsp_e2e import check, check_equal, work_folder, xsp_run

work_folder()
CASES = (
    (13, ["no_permission"], "(35): the driver lets administrators only read counters"),
    (13, ["busy"], "another tool has the counters"),
    (13, ["confidential"], "confidential computing"),
    (13, ["no_counters"], "profiling is disabled on this virtual GPU"),
    (12, [], "has no Range Profiler, which came with CUDA 12.6"),
)
for cupti, words, explanation in CASES:
    done = xsp_run(fake("inference"), 3, options=("--metrics", "roofline"),
                   env=device_environment(cupti=cupti, misbehave=words))  # fmt: skip
    done.check_success()
    first, second = read_segments(done.path)
    check_equal(len(first.kernels), 3 * 8, f"{words}: kernels of the first run")
    check_equal(second.counters, [], f"{words}: counts")
    notices = [notice for notice in second.notices if notice.startswith("counters: ")]
    check_equal(len(notices), 1, f"{words}: notices: {second.notices}")
    check(explanation in notices[0] and "instead" in notices[0], f"{words}: {notices[0]}")
    check("no hardware counters" in done.stderr, f"{words}: xsp-run tells it:\n{done.stderr}")
    check_equal(second.processes[1].end, 1, f"{words}: the counted program said goodbye")

# What a chip has not is left out, and told; a set that it has not is nothing to count.
done = xsp_run(fake("inference"), 3, options=("--metrics", "dram__bytes_read.sum,nosuch__metric.sum"),
               env=device_environment()).check_success()  # fmt: skip
second = read_segments(done.path)[1]
check_equal({tuple(row.values) for row in second.counters}, {("dram__bytes_read.sum",)}, "metrics that were counted")
check(any("not known there: nosuch__metric.sum" in notice for notice in second.notices), second.notices)
done = xsp_run(fake("inference"), 3, options=("--metrics", "roofline-int4"), env=device_environment()).check_success()
second = read_segments(done.path)[1]
check(any("roofline-int4 is not known for the chip GH100" in notice for notice in second.notices), second.notices)

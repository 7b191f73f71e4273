"""--metrics in a set: one run more, the last, which alone counts; it never stands for latencies. Without a device, none."""
from support.fake_cuda import device_environment, fake
from support.run_sets import python_set, xsp_set
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
environment = device_environment()
options = ("--leveled", "--level", "layer", "--metrics", "roofline", "--runs", "2")
done = xsp_set(fake("inference"), 3, options=options, env=environment).check_success()
runs = done.index["runs"]
check_equal([run["purpose"] for run in runs], ["latencies"] * 4 + ["counters"], "purposes")
traces = [done.trace(run) for run in runs]
check_equal([trace.header["run"]["purpose"] for trace in traces], ["LATENCIES"] * 4 + ["COUNTERS"], "in the headers")
check_equal([trace.header["counted"] for trace in traces], [False] * 4 + [True], "what is counted")
check_equal([len(trace.counters) for trace in traces], [0] * 4 + [24], "counted kernels")
check_equal(traces[4].header["level"], "kernel", "level of the counting run")
done.check_says("xsp: counters: 17 metrics in ", "a kernel on GH100", "xsp: run 5/5: counters")

without = dict(environment, FAKE_CUDA_DEVICES="0")
done = python_set("", options=options, output="none", env=without).check_success()
check_equal([run["purpose"] for run in done.index["runs"]], ["latencies"] * 4, "purposes without a device")
done.check_says("xsp: counters: none: no NVIDIA driver or device here")

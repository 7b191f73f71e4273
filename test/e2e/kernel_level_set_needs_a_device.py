"""--leveled leaves the kernel level out where there is no device, and says so, unless --level asks for it."""
from support.fake_cuda import device_environment, fake
from support.run_sets import python_set, xsp_set
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
left_out = "the level set M/L/library/G is left out"


environment = device_environment()
done = xsp_set(fake("inference"), 3, options=("--leveled",), env=environment).check_success()
levels = [run["level"] for run in done.index["runs"]]
check_equal(levels, ["model", "layer", "library", "kernel"], f"with a device; stderr:\n{done.stderr}")
check(left_out not in done.stderr, done.stderr)
kernels = [len(done.trace(run).kernels) for run in done.index["runs"]]
check_equal(kernels[:3], [0, 0, 0], "kernels above the kernel level")
check(kernels[3] > 0, "kernels at the kernel level")

without = dict(environment, FAKE_CUDA_DEVICES="0")
for options, expected, said in (((), levels[:3], 1), (("--level", "kernel"), levels, 0)):
    done = python_set("", options=("--leveled", *options), output=f"none{said}", env=without).check_success()
    check_equal([run["level"] for run in done.index["runs"]], expected, f"without a device, {options}")
    check_equal(done.stderr.count(left_out), said, done.stderr)

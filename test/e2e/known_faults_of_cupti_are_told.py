"""A libcupti with a fault that NVIDIA has mended since is named, once, with what it does and the version that mends it."""
from support.fake_cuda import fake, run_on_device
from support.xsp_e2e import check_equal, work_folder

work_folder()
for version, expected in ((130000, "13.1 Update 1"), (130001, None), (130200, "13.3"), (130300, None), (130400, "13.4 Update 1"),
                          (130401, None)):  # fmt: skip
    outcome = run_on_device(fake("inference"), 3, FAKE_CUPTI_VERSION=version).check_success().check_executions()
    told = [notice for notice in outcome.trace.notices if "CUPTI (API version" in notice]
    check_equal(len(told), int(expected is not None), f"{version}: {told}")
    if expected:
        check_equal((f"version {version})" in told[0], f"fixed in CUDA {expected}: upgrade" in told[0]), (True, True), told[0])

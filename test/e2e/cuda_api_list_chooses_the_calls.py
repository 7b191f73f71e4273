"""--cuda-api chooses which driver calls are recorded: launches always, of the others those that the list names. Nothing of it
changes what executes.
"""
from support.fake_cuda import fake, run_on_device
from support.trace_reader import DRIVER_CALL
from support.xsp_e2e import check, check_equal, work_folder


def recorded(*options):
    outcome = run_on_device(fake("driver_launches"), options=options).check_success().check_executions()
    return {span.name for span in outcome.trace.of_kind(DRIVER_CALL)}


work_folder()
usual = recorded()
none = recorded("--cuda-api", "none", "--force")
everything = recorded("--cuda-api", "all", "--force")
launches = {name for name in usual if "Launch" in name}
check(launches, f"no launches among {usual}")
check_equal(none, launches, "calls with --cuda-api none")
check(not any(name.startswith("cuDeviceGet") for name in everything), f"what XSP asks of a device is no call of the program: {everything}")
check(usual < everything, f"all has no more than the usual: {everything}")
one = sorted(everything - usual)[0]
check_equal(recorded("--cuda-api", f"none,{one}", "--force"), launches | {one}, f"launches and {one}")
check_equal(recorded("--cuda-api", f"all,-{one}", "--force"), everything - {one}, f"all but {one}")

"""exit, _exit, quick_exit, abort and a signal: exit handlers run in the first only, and no call that had returned is lost
in any."""
from fake_cuda import compare, fake
from xsp_e2e import check_equal, work_folder

work_folder()
for how in ("exit", "_exit", "quick_exit", "abort", "kill"):
    outcome = compare(fake("ways_out"), how).check_unchanged()
    check_equal([s.arguments["m"] for s in outcome.spans("cublasSgemm_v2")], list(range(1, 51)), f"{how}: products")

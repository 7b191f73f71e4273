"""Libraries opened with RTLD_LOCAL, as Python opens extensions: the real function lies in no scope that a lookup from the
guest would search, and is found in that of its caller.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
for how in ("local", "global"):
    outcome = compare(fake("loads_plugins"), how, fake("libplugin13.so")).check_unchanged().check_recorded()
    check_equal([s.arguments["m"] for s in outcome.spans("cublasSgemm_v2")], [20, 21], "products of the plugin")
    check_equal(outcome.unintercepted(), set(), "libraries that were not seen")

"""With --audit the calls of a plugin opened with RTLD_DEEPBIND are recorded, and programs of every other kind run and are
recorded as without it.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
audit = {"options": ["--audit"]}
plugin = compare(fake("loads_plugins"), "deepbind", fake("libplugin13.so"), **audit).check_unchanged().check_recorded()
check_equal([s.arguments["m"] for s in plugin.spans("cublasSgemm_v2")], [20, 21], "products of the plugin")
check_equal(plugin.unintercepted(), set(), "libraries that were not seen")

both = compare(fake("loads_plugins"), "deepbind", fake("libplugin12.so"), fake("libplugin13.so"), **audit)
both.check_unchanged().check_recorded()

compare(fake("linked"), **audit).check_unchanged().check_recorded()
compare(fake("looks_up"), fake("libcublas.so.13"), fake("libcudnn.so.9"), **audit).check_unchanged().check_recorded()
compare(fake("reopens"), 50, fake("libplugin12.so"), fake("libplugin13.so"), **audit).check_unchanged().check_recorded()
for case in ("exception", "longjmp", "cancellation", "recursion"):
    compare(fake("calls_back"), case, **audit).check_unchanged().check_recorded()

"""A plugin opened with RTLD_DEEPBIND is bound past every preloaded library: it runs as without us, and the trace says whose
calls are missing and why. With --audit they are recorded.
"""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
outcome = compare(fake("loads_plugins"), "deepbind", fake("libplugin13.so")).check_unchanged()
check_equal([call for call in outcome.calls() if call[0] == "cublas"], [], "calls that pass us by")
expected = {("deepbind", "cublas", "libcublas.so.13", "libplugin13.so")}
check_equal(expected - outcome.unintercepted(), set(), f"what was not seen: {outcome.unintercepted()}")

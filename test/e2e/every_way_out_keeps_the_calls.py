"""exit, _exit, quick_exit, abort, a signal, and the end of the last thread: exit handlers run in some of them, no call that
had returned is lost in any, nor the file that they went to, and the guest's own thread keeps no process alive."""
import os

from support.fake_cuda import compare, fake
from support.xsp_e2e import check_equal, work_folder

work_folder()
for how in ("exit", "_exit", "quick_exit", "abort", "kill", "pthread_exit"):
    outcome = compare(fake("ways_out"), how).check_unchanged()
    check_equal([s.arguments["m"] for s in outcome.spans("cublasSgemm_v2")], list(range(1, 51)), f"{how}: products")
    files = [(name.lower(), os.path.realpath(fake(f"lib{name}.so.13"))) for name in ("cublas", "cublasLt")]
    check_equal(sorted(used[1:] for used in outcome.trace.used_libraries), files, f"{how}: files of the calls, each once")

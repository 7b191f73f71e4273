"""Two plugins in one process, linked to cuBLAS 12 and 13: each calls its own, and the calls of both are recorded."""
from support.fake_cuda import compare, fake
from support.xsp_e2e import check, check_equal, work_folder

work_folder()
for how in ("local", "global"):
    outcome = compare(fake("loads_plugins"), how, fake("libplugin12.so"), fake("libplugin13.so"))
    outcome.check_unchanged().check_recorded()
    check(b"120000\n130000\n" in outcome.plain.stdout, "the program does not use two versions")
    reached = {line.split()[0] for line in outcome.log}
    check_equal(reached, {"libcublas.so.12", "libcublas.so.13", "libcublasLt.so.12", "libcublasLt.so.13"},
                "libraries that were reached")  # fmt: skip

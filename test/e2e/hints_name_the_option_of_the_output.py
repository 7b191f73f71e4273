"""An output that cannot be written is named as the user named it, and the hint has the option that names this output: with an
export, -o is that of the report.
"""
import os
import resource
import signal
from pathlib import Path

from support.xsp_e2e import BUILD, XSP_COLLECTOR, XSP_REPORT, check_equal, run, work_folder

IMPORT = BUILD / "import/xsp-import"

work_folder()
Path("profile.json").write_text('{"traceEvents": [{"ph": "X", "name": "aten::add", "cat": "cpu_op", "pid": 1, "tid": 1, '
                                '"ts": 1, "dur": 2}]}')
check_equal(run(IMPORT, "profile.json", "-o", "run.pb").returncode, 0, "a trace to export")
Path("folder").mkdir()
Path("file").write_text("")


def check_answer(error, hint, program, *arguments, **options):
    done = run(program, *arguments, **options)
    lines = done.stderr.decode().splitlines()
    name = os.path.basename(program)
    check_equal((done.returncode, lines), (5, [f"{name}: error: {error}", f"hint: {hint}"]), arguments)


def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))


WRITABLE = "name a file in a folder that you can write to: "
FREE = "name a file in a folder with free space that you can write to: "
check_answer("cannot write file/o (Not a directory)", WRITABLE + "--export perfetto=FILE",
             XSP_REPORT, "run.pb", "--export", "perfetto=file/o")  # fmt: skip
check_answer("cannot write folder (Is a directory)", "name a file in this folder: --export json=folder/FILE",
             XSP_REPORT, "run.pb", "--export", "json=folder")  # fmt: skip
check_answer("cannot write o (File too large)", FREE + "--export perfetto=FILE",
             XSP_REPORT, "run.pb", "--export", "perfetto=o", preexec_fn=limit)  # fmt: skip
check_answer("cannot write file/o (Not a directory)", WRITABLE + "-o FILE", XSP_REPORT, "run.pb", "-o", "file/o")
check_answer("cannot write o (File too large)", FREE + "-o FILE", XSP_REPORT, "run.pb", "-o", "o", preexec_fn=limit)
for program, arguments in ((IMPORT, ("profile.json",)), (XSP_COLLECTOR, ("--socket", "x.sock"))):
    check_answer("cannot write file/o.pb (Not a directory)", WRITABLE + "-o FILE", program, "-o", "file/o.pb", *arguments)

"""What cannot end well is refused with 125, 126 or 127, an `error:` and a `hint:`, before the program has run, and leaves
no file behind.
"""
import os

from support.xsp_e2e import XSP_RUN, check, check_equal, clean_environment, run, work_folder

folder = work_folder()
environment = clean_environment()


def refused(status, *arguments, hint="", env=environment):
    before = sorted(os.listdir(folder))
    done = run(XSP_RUN, *arguments, env=env)
    stderr = done.stderr.decode()
    what = f"xsp-run {' '.join(map(str, arguments))}: {stderr}"
    check_equal(done.returncode, status, what)
    check(stderr.startswith("xsp-run: error: "), f"{what}: begins with an error")
    check(hint in stderr, f"{what}: names {hint!r}")
    check_equal(done.stdout, b"", f"{what}: stdout")
    check_equal(sorted(os.listdir(folder)), before, f"{what}: files")


touch = ["touch", "program-ran"]
(folder / "old.pb").write_bytes(b"precious")
refused(125, "-o", "old.pb", *touch, hint="--force")
check_equal((folder / "old.pb").read_bytes(), b"precious", "the existing output")
refused(125, hint="xsp-run -- python infer.py")
refused(125, "-o", "x.pb", hint="xsp-run -- python infer.py")
refused(125, "--no-such-option", *touch, hint="--help")
refused(125, "-o", "/proc/x/y.pb", *touch, hint="--output")
refused(125, "-o", ".", *touch, hint="--output")
if os.geteuid() != 0:
    (folder / "locked").mkdir(mode=0o500)
    refused(125, "-o", "locked/x.pb", *touch, hint="--output")
refused(125, *touch, hint="xsp-run --check", env=dict(environment, XSP_COLLECTOR="/nowhere/xsp-collector"))
refused(125, *touch, hint="xsp-run --check", env=dict(environment, XSP_COLLECTOR="/bin/false"))
refused(125, *touch, env=dict(environment, XSP_LIBRARY="/nowhere/libxsp_inject.so"))
refused(125, "--collector", "no-such-socket", *touch, hint="xsp-collector")
refused(127, "no-such-program", hint="PATH")
(folder / "infer.py").write_text("pass\n")
refused(126, "infer.py", "-b", hint="infer.py -b")
refused(126, "./infer.py", hint="name its interpreter: python")
refused(126, "old.pb")
(folder / "trace.pb").write_bytes(b"\n\0")
refused(126, "trace.pb", hint="xsp-report trace.pb")
(folder / "orphan").write_text("#!/no/such/interpreter\n")
(folder / "orphan").chmod(0o755)
refused(127, "-o", "orphan.pb", "./orphan", hint="interpreter")

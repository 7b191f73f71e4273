"""The unpacked bundle runs from any folder: with a space in its name, through a symlink, read-only, as another user."""
import os
import shutil
from pathlib import Path

from made_bundle import compile_api_spans, make_bundle, unpack
from support.xsp_e2e import PROGRAMS, SYSTEM_PYTHON, check, check_equal, clean_environment, run, work_folder

NOBODY = 65534
SPANS = 40  # api_spans: ten predictions of three steps each

folder = work_folder()
folder.chmod(0o755)
bundle = unpack(make_bundle(), folder / "a b")
program = compile_api_spans(bundle, folder / "api_spans")
runs = 0


def profile(xsp_run, *command, what, env=None, as_nobody=False):
    """The command under this xsp-run, and its trace read by the bundle's own xsp-report."""
    global runs
    runs += 1
    place = folder / f"run-{runs}"
    place.mkdir()
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if as_nobody else []
    if as_nobody:
        os.chown(place, NOBODY, NOBODY)
    env = env or clean_environment()
    done = run(*user, xsp_run, "-o", "trace.pb", "--", *command, cwd=place, env=env)
    check_equal(done.returncode, 0, f"{what}: exit status; {done.stderr.decode()}")
    check(f", {SPANS} spans" in done.stderr.decode(), f"{what}: {SPANS} spans, not\n{done.stderr.decode()}")
    report = run(*user, bundle / "bin/xsp-report", "trace.pb", cwd=place, env=env)
    check_equal(report.returncode, 0, f"{what}: xsp-report; {report.stderr.decode()}")
    check("predict" in report.stdout.decode() and "tokenize" in report.stdout.decode(), f"{what}: the tables")


own = bundle / "bin/xsp-run"
try:
    profile(own, program, what="a folder with a space")
    maps = run(own, "-q", "-o", folder / "maps.pb", "--", "cat", "/proc/self/maps").stdout.decode()
    check(str(bundle / "lib/libxsp_inject.so") in maps, "the program has the bundle's library loaded")
    audited = run(own, "-q", "--audit", "-o", folder / "audit.pb", "--", "cat", "/proc/self/maps").stdout.decode()
    check(str(bundle / "lib/libxsp_audit.so") in audited, "with --audit the bundle's auditor too")

    (folder / "links").mkdir()
    (folder / "links/xsp").symlink_to(own)
    profile(folder / "links/xsp", program, what="through a symlink")
    profile(own, SYSTEM_PYTHON, PROGRAMS / "api_spans.py", what="the Python module",
            env=clean_environment(PYTHONPATH=bundle / "python"))

    checked = run(own, "--check", "--", SYSTEM_PYTHON).stdout.decode()
    check(f"ok        {bundle}/lib/libxsp_inject.so" in checked, f"xsp-run --check finds the library:\n{checked}")

    for path in [bundle, *bundle.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)
    before = sorted((str(p), p.lstat().st_mtime_ns) for p in bundle.rglob("*"))
    profile(own, program, what="read-only")
    if os.geteuid() == 0 and shutil.which("setpriv"):
        profile(own, program, what="another user", as_nobody=True)
    else:
        print("another user: not tried (not root, or no setpriv)")
    check_equal(sorted((str(p), p.lstat().st_mtime_ns) for p in bundle.rglob("*")), before, "files of the bundle")

    for path in [bundle, *bundle.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    bundle = bundle.rename(folder / "moved")
    profile(bundle / "bin/xsp-run", program, what="moved to a plain folder",
            env=clean_environment(LD_LIBRARY_PATH=bundle / "lib"))
    (bundle / "lib/libxsp_inject.so").rename(folder / "libxsp_inject.so")
    torn = run(bundle / "bin/xsp-run", "--", "true", cwd=folder)
    check_equal(torn.returncode, 125, "without its library")
    check("libxsp_inject.so is not beside xsp-run\n" in torn.stderr.decode(),
          f"what is missing, and no prefix of the build: {torn.stderr.decode()}")
finally:
    for own in Path("/tmp").glob("xsp-lib-*"):
        for link in own.glob("lib-*"):
            if os.readlink(link).startswith(str(folder)):
                link.unlink()

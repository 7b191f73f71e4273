"""In a root that has nothing but the distribution's smallest base the bundle records, and prints its tables."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from made_bundle import compile_api_spans, make_bundle, unpack
from support.xsp_e2e import BUILD, check, check_equal, skip


def distribution():
    """Where apt takes this distribution from: its mirror and code name."""
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', Path("/etc/os-release").read_text(), re.MULTILINE))
    suite = release.get("VERSION_CODENAME", "")
    lists = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    text = "\n".join(path.read_text() for path in lists if path.is_file())
    one_line = re.search(rf"^deb (?:\[[^]]*\] )?(\S+) {suite} ", text, re.MULTILINE)
    paragraph = re.search(rf"^URIs: *(\S+).*\n(?:.*\n)*?Suites:.*\b{suite}\b", text, re.MULTILINE)
    mirror = one_line or paragraph
    if not suite or not mirror:
        skip("apt's lists name no mirror of this distribution")
    return mirror.group(1), suite


def minimal_root():
    """Made once per build folder."""
    if os.geteuid() != 0:
        skip("a minimal root needs root")
    if not shutil.which("debootstrap"):
        skip("no debootstrap: scripts/setup installs it")
    mirror, suite = distribution()
    root = BUILD / f"bundle/root-{suite}"
    if not (root / "etc/os-release").exists():
        unfinished = root.with_suffix(".partial")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        made = subprocess.run(["debootstrap", "--variant=minbase", suite, unfinished, mirror], capture_output=True,
                              text=True)
        if made.returncode != 0:
            shutil.rmtree(unfinished, ignore_errors=True)
            skip(f"debootstrap failed: {(made.stdout + made.stderr).strip().splitlines()[-1]}")
        os.replace(unfinished, root)
    return root


root = minimal_root()
archive = make_bundle()
shutil.rmtree(root / "srv", ignore_errors=True)
bundle = unpack(archive, root / "srv")
inside = Path("/srv") / bundle.name
work = root / "srv/work"
work.mkdir()
compile_api_spans(bundle, work / "api_spans")


def in_root(command):
    """A shell's command in the root, with its own /proc, in /srv/work; the program finds libxsp beside the bundle."""
    script = 'mount -t proc proc "$1/proc" && exec chroot "$1" /bin/sh -c "cd /srv/work && $2"'
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LD_LIBRARY_PATH": str(inside / "lib")}
    return subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", str(root), command], capture_output=True,
                          text=True, timeout=120, env=environment)


entered = in_root("true")
if entered.returncode != 0:
    skip(f"no root can be entered here: {entered.stderr.strip()}")
# apt, which debootstrap brings, needs libstdc++; the bundle does without.
for library in root.glob("usr/lib/*/libstdc++.so*"):
    library.unlink()
for absent in ("libstdc++.so*", "libfmt.so*", "libprotobuf.so*", "python3*"):
    check(not list(root.glob(f"usr/lib/*/{absent}")), f"the root is minimal: it has no {absent}")

done = in_root(f"{inside}/bin/xsp-run -o true.pb -- /bin/true")
check_equal(done.returncode, 0, f"/bin/true under xsp-run: {done.stderr}")
check(done.stdout == "" and "ERROR: ld.so" not in done.stderr, f"the loader is content: {done.stdout}{done.stderr}")
check((work / "true.pb").exists(), "a trace of /bin/true")

done = in_root(f"{inside}/bin/xsp-run -o spans.pb -- ./api_spans")
check_equal((done.returncode, done.stdout), (0, "10 predictions\n"), f"api_spans: {done.stderr}")
check(", 40 spans" in done.stderr, f"its 40 spans: {done.stderr}")
report = in_root(f"{inside}/bin/xsp-report spans.pb")
check_equal(report.returncode, 0, f"xsp-report: {report.stderr}")
for word in ("predict", "tokenize", "forward", "decode"):
    check(word in report.stdout, f"xsp-report's tables name {word}:\n{report.stdout}")
print(f"{archive.name} in {root.name}: 40 spans, {len(report.stdout.splitlines())} lines of tables")
shutil.rmtree(root / "srv")

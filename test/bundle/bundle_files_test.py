"""The archive is small, the same twice, and asks the machine for nothing but glibc 2.35, of any folder."""
import os
import re
import tarfile

from made_bundle import OLDEST_GLIBC, make_bundle, unpack
from support.xsp_e2e import BUILD, SOURCE, check, check_equal, run, work_folder

MOST_BYTES = 40_000_000
GLIBC = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
# Of glibc's machine, not of glibc: unwinding must be the program's own, since what is thrown in one library is caught in
# another. The programs have theirs inside.
UNWINDER_OF_THE_PROCESS = {"libxsp_inject.so": {"libgcc_s.so.1"}}
PATHS_OF_THE_MACHINE = [str(SOURCE), str(BUILD), "/opt/xsp", "/usr/local/bin", "/usr/local/lib", "/home/"]
EXPECTED = {"bin/xsp-run", "bin/xsp-bench", "bin/xsp-report", "bin/xsp-collector", "bin/xsp-import", "bin/xsp-bound", "lib/libxsp_inject.so",
            "lib/libxsp_audit.so", "lib/libxsp.so.0", "lib/xsp/empty_32.so", "lib/pkgconfig/xsp.pc", "include/xsp.h",
            "python/xsp.py", "README.md", "LICENSE"}
for library in ("libxsp_inject.so", "libxsp_audit.so"):
    EXPECTED |= {os.path.join("lib/xsp/libclang_rt.asan", platform, library) for platform in ("", "x86_64", "haswell", "xeon_phi", "i686", "i386")}
for name in ("xsp-run", "xsp-bench", "xsp-report", "xsp-collector", "xsp-import", "xsp-bound"):
    EXPECTED |= {f"share/man/man1/{name}.1", f"share/bash-completion/completions/{name}.bash",
                 f"share/zsh/site-functions/_{name}", f"share/fish/vendor_completions.d/{name}.fish"}

folder = work_folder()
archive = make_bundle()
check(archive.stat().st_size <= MOST_BYTES, f"{archive.stat().st_size} bytes are more than {MOST_BYTES}")
check_equal(make_bundle(folder / "again").read_bytes() == archive.read_bytes(), True, "made twice, the archive is the same")

with tarfile.open(archive) as files:
    members = files.getmembers()
names = [member.name for member in members]
check_equal(names, sorted(names), "the order of the files")
check_equal({(m.mtime, m.uid, m.gid) for m in members}, {(members[0].mtime, 0, 0)}, "time and owner of the files")
for member in members:
    check(member.isfile() or member.isdir() or member.issym(), f"{member.name} is a file, a folder or a link")
    target = os.path.normpath(os.path.join(os.path.dirname(member.name), member.linkname)) if member.issym() else member.name
    check(target in names, f"{member.name} leads out of the bundle or to nothing: {member.linkname}")
    check(member.issym() or member.mode & 0o022 == 0, f"{member.name}: others cannot write it")

bundle = unpack(archive, folder)
present = {str(path.relative_to(bundle)) for path in bundle.rglob("*")}
check(EXPECTED <= present, f"the bundle lacks {sorted(EXPECTED - present)}")
for package in ("libfmt-dev", "libspdlog-dev", "libcli11-dev", "nlohmann-json3-dev", "libprotozero-dev", "libasio-dev", "libsimdjson-dev",
                "libsqlite3-dev", "zlib1g-dev", "libzstd-dev", "libjs-chart.js", "common/GPL-3"):
    check((bundle / "licenses" / package).exists(), f"the licence of {package} is there")
for manager in ("system", "user"):
    unit = (bundle / f"lib/systemd/{manager}/xsp-collector.service").read_text()
    check("\nExecStart=xsp-collector --continuous " in unit, f"the {manager}'s service has systemd look for the program")
check(not re.search(r"@[A-Z]+@", (bundle / "README.md").read_text()), "the README is filled in")

inside = {path.name for path in (bundle / "lib").iterdir()}
looked_at = 0
for path in sorted(p for p in bundle.rglob("*") if p.is_file() and not p.is_symlink()):
    name = str(path.relative_to(bundle))
    content = path.read_bytes()
    for machine in PATHS_OF_THE_MACHINE:
        # The folder by itself is what reports are redacted by.
        check(machine.encode() not in content.replace(b"\0/home/\0", b"\0\0"), f"{name} carries the path {machine}")
    if not content.startswith(b"\x7fELF"):
        check(path.parent.name != "bin", f"{name} is a program")
        continue
    looked_at += 1
    dynamic = run("readelf", "-dW", path).stdout.decode()
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    allowed = GLIBC | inside | UNWINDER_OF_THE_PROCESS.get(path.name, set())
    check(needed <= allowed, f"{name} needs {sorted(needed - allowed)}")
    for runpath in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", dynamic):
        for entry in runpath.split(":"):
            check(re.match(r"\$ORIGIN(/\.\./lib)?$", entry), f"{name} looks for libraries in {entry}")
    versions = set(re.findall(r"Name: (\S+) +Flags", run("readelf", "-VW", path).stdout.decode()))
    for version in versions:
        kind, _, number = version.partition("_")
        check(kind == "GLIBC" or (kind == "GCC" and path.name in UNWINDER_OF_THE_PROCESS), f"{name} needs {version}")
        if kind == "GLIBC":
            check(tuple(map(int, number.split(".")))[:2] <= OLDEST_GLIBC, f"{name} needs {version}")
    glibc = [version for version in versions if version.startswith("GLIBC_")]
    newest = max(glibc, key=lambda v: [int(n) for n in v.partition("_")[2].split(".")], default="no version")
    print(f"{name}: needs {' '.join(sorted(needed)) or 'nothing'}, {newest}")
check(looked_at >= 7, f"{looked_at} ELF files: four programs and three libraries at least")
print(f"{archive.name}: {archive.stat().st_size} bytes")

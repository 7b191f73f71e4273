"""For the tests of the bundle: the archive, and its folder once unpacked."""
import os
import subprocess
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from support.xsp_e2e import BUILD, SOURCE, check, run, skip  # noqa: E402

OLDEST_GLIBC = (2, 35)
NEWEST_GLIBC_TO_BUILD_ON = (2, 36)


def make_bundle(output=BUILD / "bundle/dist"):
    """The archive that scripts/bundle makes of this tree; XSP_BUNDLE names another one."""
    if given := os.environ.get("XSP_BUNDLE"):
        return Path(given)
    version = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
    if version > NEWEST_GLIBC_TO_BUILD_ON:
        skip(f"this glibc is {version[0]}.{version[1]}: the bundle is made where it is 2.36 or older (Debian 12)")
    made = subprocess.run([SOURCE / "scripts/bundle", "--output", str(output)], capture_output=True, text=True,
                          env=dict(os.environ, BUILD_DIR=str(BUILD)))
    check(made.returncode == 0, f"scripts/bundle: exit status {made.returncode}\n{made.stdout}{made.stderr}")
    archives = sorted(Path(output).glob("xsp-*.tar.gz"), key=os.path.getmtime)
    check(archives, f"scripts/bundle left no archive in {output}")
    return archives[-1]


def unpack(archive, into):
    """The one folder that the archive has."""
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as files:
        names = {name.split("/")[0] for name in files.getnames()}
        files.extractall(into)
    check(len(names) == 1, f"the archive unpacks into one folder, not {sorted(names)}")
    return into / names.pop()


def compile_api_spans(bundle, program):
    """test/programs/api_spans.c against the bundle's header and library, as its README tells."""
    flags = run("pkg-config", "--cflags", "--libs", "xsp",
                env=dict(os.environ, PKG_CONFIG_PATH=str(bundle / "lib/pkgconfig")))
    check(flags.returncode == 0, f"pkg-config: {flags.stderr.decode()}")
    # A folder with a space is escaped as for a shell.
    command = f'cc -std=c11 "$1" -o "$2" {flags.stdout.decode().strip()} "-Wl,-rpath,$3"'
    built = run("sh", "-c", command, "sh", SOURCE / "test/programs/api_spans.c", program, bundle / "lib")
    check(built.returncode == 0, f"api_spans.c against the bundle: {built.stderr.decode()}")
    return program

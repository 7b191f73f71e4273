"""A program with more rights than who started it (set-user-ID, file capabilities) hears nothing of XSP: also where the
guest is linked to it, so that the loader's own rule does not help, XSP_SOCKET is not looked at."""
import os
import shutil
import socket
import struct
import subprocess

from support.raw_client import NOBODY
from support.xsp_e2e import BUILD, SOURCE, check, check_equal, clean_environment, run, skip, work_folder

OTHER = 65533
CAP_NET_RAW = 13
PROGRAM = """
#include <stdio.h>
#include <sys/auxv.h>
#include <xsp.h>
int main(void) {
  for (int i = 0; i < 10; ++i) xsp_finish_span(xsp_start_span(xsp_intern("secret"), XSP_MODEL));
  printf("secure %lu\\n", getauxval(AT_SECURE));
  return 0;
}
"""
if os.geteuid() != 0:
    skip("only root can make a program privileged")
if shutil.which("cc") is None:
    skip("no C compiler")
folder = work_folder()
folder.chmod(0o755)
(folder / "program.c").write_text(PROGRAM)
# The loader takes a library for a privileged program from a folder that is named in it.
shutil.copy(BUILD / "inject/libxsp_inject.so", folder / "libxsp_inject.so")
built = run("cc", "-o", "program", "program.c", f"-I{SOURCE / 'inject/api'}", "./libxsp_inject.so", f"-Wl,-rpath,{folder}",
            "-Wl,--disable-new-dtags")  # fmt: skip
check_equal(built.returncode, 0, f"cc: {built.stderr.decode()}")
patched = run("readelf", "-d", "program").stdout
check(b"libxsp_inject.so" in patched, f"the program does not need the guest: {patched}")

listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(str(folder / "socket"))
(folder / "socket").chmod(0o666)
listener.listen(20)
listener.setblocking(False)


def start(program):
    """Runs it as another user; whether it was privileged, and whether the guest connected."""
    env = clean_environment(XSP_SOCKET=folder / "socket", LD_PRELOAD=folder / "libxsp_inject.so", LD_LIBRARY_PATH=folder)
    done = subprocess.run([program], capture_output=True, env=env, user=OTHER, group=OTHER, extra_groups=[], timeout=60)
    check_equal(done.returncode, 0, f"{program}: {done.stderr.decode()}")
    try:
        listener.accept()[0].close()
        connected = True
    except BlockingIOError:
        connected = False
    return done.stdout, connected


def copy(name):
    path = folder / name
    shutil.copy(folder / "program", path)
    path.chmod(0o755)
    return path


check_equal(start(copy("plain")), (b"secure 0\n", True), "a plain program is recorded")
privileged = 0
setuid = copy("setuid")
os.chown(setuid, NOBODY, NOBODY)
setuid.chmod(0o4755)
setgid = copy("setgid")
os.chown(setgid, 0, NOBODY)
setgid.chmod(0o2755)
capable = copy("capable")
try:
    capability = 1 << CAP_NET_RAW
    os.setxattr(capable, "security.capability", struct.pack("<5I", 0x02000001, capability, 0, 0, 0))
    programs = [setuid, setgid, capable]
except OSError as error:
    print(f"without file capabilities: {error}")
    programs = [setuid, setgid]
for program in programs:
    said, connected = start(program)
    if said == b"secure 0\n":
        print(f"{program.name}: not privileged here (nosuid?)")
        continue
    privileged += 1
    check_equal((said, connected), (b"secure 1\n", False), f"{program.name}: what it heard of XSP")
if privileged == 0:
    skip("no program becomes privileged here (a file system that is mounted nosuid?)")

"""The message of a command into which no library can be loaded says so, with what to do, and nothing of frameworks; a collector
that runs already is no reason to be silent, --quiet is. What such a command starts is recorded, and then nothing is said."""
import os
import shutil
import stat
import subprocess

from support.built_programs import SPANS, built, own_words, sanitized, skip_instrumented_build
from support.xsp_e2e import XSP_COLLECTOR, XSP_RUN, check, check_equal, clean_environment, run, skip, wait_until, work_folder, xsp_run

STARTS = """
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char** argv) {
  puts("static");
  fflush(stdout);
  if (argc > 2 && strcmp(argv[1], "start") == 0) execv(argv[2], argv + 2);
  return 3;
}
"""

skip_instrumented_build()
folder = work_folder()
program = built("program", STARTS, "-static")
if program is None:
    skip("a compiler that links statically")
WHY = "it is statically linked, so LD_PRELOAD has no effect on it"

done = xsp_run(program)
check_equal((done.returncode, done.stdout, own_words(done.stderr)), (3, b"static\n", ""), "a static program")
check(f"no spans were recorded in program: {WHY}\nxsp: hint: link it without -static, or run xsp-run on the program it starts\n" in done.stderr, done.stderr)
check("PyTorch" not in done.stderr, done.stderr)
(folder / "script").write_text(f"#!{program}\n")
(folder / "script").chmod(0o755)
check(f"in script: {WHY}" in xsp_run("./script").stderr, "a script of a static program")
check_equal(xsp_run(program, options=("-q",)).stderr, "", "--quiet")

plain = sanitized("gcc")
if plain is not None:
    starting = xsp_run(program, "start", plain).check_success()
    check_equal(len(starting.trace.spans), SPANS, "what a static program starts")
    check(WHY not in starting.stderr, f"it is said although something was recorded:\n{starting.stderr}")

audited = xsp_run(program, "start", "/bin/sh", "-c", "echo $LD_AUDIT", options=("--audit",)).check_success()
check("libxsp_audit.so" in audited.stdout.decode(), f"the auditor for what a static program starts: {audited.stdout}")

collector = subprocess.Popen([XSP_COLLECTOR, "--socket", "socket", "-o", "shared.pb"], env=clean_environment())
try:
    wait_until(lambda: (folder / "socket").exists(), "the collector listens")
    shared = run(XSP_RUN, "--collector", "socket", "--", program)
    check_equal(shared.returncode, 3, "with --collector")
    check(f"xsp: note: {program} itself is not recorded: {WHY}" in shared.stderr.decode(), shared.stderr.decode())
finally:
    collector.terminate()
    collector.wait()

true = shutil.which("true")
if os.geteuid() == 0:
    shutil.copy(true, folder / "privileged")
    os.chown(folder / "privileged", 65534, 65534)
    (folder / "privileged").chmod(0o755 | stat.S_ISUID)
    if not os.statvfs(folder).f_flag & os.ST_NOSUID:
        told = xsp_run("./privileged").check_success()
        check("in privileged: it is set-user-ID, so" in told.stderr, told.stderr)
foreign = bytearray(open(true, "rb").read())
foreign[18:20] = (183).to_bytes(2, "little")  # e_machine: AArch64
(folder / "foreign").write_bytes(foreign)
(folder / "foreign").chmod(0o755)
checked = run(XSP_RUN, "--check", "--", "./foreign").stdout.decode()
check("foreign is built for AArch64, and XSP supports x86-64 only" in checked, checked)

"""A program that is linked to musl runs as without XSP, as the command and as a child, and the message says why it is not
recorded, of a child that lives for a while, too; what it starts is recorded, if that is of glibc."""
import shutil

from support.built_programs import SPANS, own_words, sanitized, skip_instrumented_build
from support.xsp_e2e import XSP_RUN, check, check_equal, run, skip, work_folder, xsp_run

PROGRAM = """
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  puts("musl");
  fflush(stdout);
  if (argc > 2) sleep(1);
  if (argc == 2) execv(argv[1], argv + 1);
  return 3;
}
"""

skip_instrumented_build()
if shutil.which("musl-gcc") is None:
    skip("musl-gcc (musl-tools)")
folder = work_folder()
(folder / "program.c").write_text(PROGRAM)
built = run("musl-gcc", "program.c", "-o", "program")
check_equal(built.returncode, 0, built.stderr.decode())
bare = run("./program")
check_equal((bare.returncode, bare.stdout), (3, b"musl\n"), "without XSP")

for options in ((), ("--audit",)):
    done = xsp_run("./program", options=options)
    check_equal((done.returncode, done.stdout, own_words(done.stderr)), (3, b"musl\n", ""), f"the command {options}")
    check("no spans were recorded in program: it uses musl (" in done.stderr, done.stderr)
    child = xsp_run("sh", "-c", "./program; echo $?", options=options).check_success()
    check_equal((child.stdout, own_words(child.stderr)), (b"musl\n3\n", ""), f"a child {options}")

plain = sanitized("gcc")
if plain is not None:
    done = xsp_run("./program", plain).check_success()
    check_equal((own_words(done.stderr), len(done.trace.spans)), ("", SPANS), "what it starts")
seen = xsp_run("sh", "-c", "./program and waits; true").check_success()
check("not recorded: program (pid " in seen.stderr and "): it uses musl (" in seen.stderr, seen.stderr)
checked = run(XSP_RUN, "--check", "--strict", "--", "./program")
check_equal(checked.returncode, 125, "--check --strict")
check("program uses musl (" in checked.stdout.decode(), checked.stdout.decode())

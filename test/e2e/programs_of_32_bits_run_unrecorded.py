"""A program of 32 bits runs as without XSP, as the command and as a child, also with --audit; its loader says nothing, and the
message says why it is not recorded."""
import os

from support.built_programs import built, own_words, skip_instrumented_build
from support.xsp_e2e import BUILD, check, check_equal, run, skip, work_folder, xsp_run

# Without headers and start files of 32 bits: the library alone.
PROGRAM = "extern int puts(const char*);\nextern void exit(int);\nvoid _start(void) { puts(\"32 bits\"); exit(3); }\n"
LIBC = next((path for path in ("/lib32/libc.so.6", "/usr/lib32/libc.so.6", "/lib/i386-linux-gnu/libc.so.6") if os.path.exists(path)), None)

skip_instrumented_build()
if LIBC is None or not os.path.exists("/lib/ld-linux.so.2"):
    skip("a C library of 32 bits (libc6-i386)")
work_folder()
program = built("program", PROGRAM, "-m32", "-nostdlib", "-fno-pic", "-no-pie", "-fno-stack-protector", "-fno-builtin", LIBC,
                "-Wl,-dynamic-linker,/lib/ld-linux.so.2")  # fmt: skip
if program is None or run(program).stdout != b"32 bits\n":
    skip("programs of 32 bits (no compiler, or a kernel without them)")

for options in ((), ("--audit",)):
    done = xsp_run(program, options=options)
    check_equal((done.returncode, done.stdout, own_words(done.stderr)), (3, b"32 bits\n", ""), f"the command {options}")
    check("no spans were recorded in program: it is built for 32-bit x86, " in done.stderr, done.stderr)
    child = xsp_run("sh", "-c", f"{program}; echo $?", options=options).check_success()
    check_equal((child.stdout, own_words(child.stderr)), (b"32 bits\n3\n", ""), f"a child {options}")
# An empty library that the loader did not like would make the stack executable, or be missing without a word.
maps = run("readelf", "-lW", BUILD / "inject/preload/empty_32.so").stdout.decode()
check(any("GNU_STACK" in line and "RWE" not in line for line in maps.splitlines()), maps)

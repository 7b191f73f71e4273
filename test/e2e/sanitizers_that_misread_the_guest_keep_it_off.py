"""ThreadSanitizer and MemorySanitizer would take what the guest does for faults of the program: there it stays off, the program
runs and its own faults are reported as without XSP, and the message says why nothing was recorded. Others of the run are."""
import re

from support.built_programs import SPANS, own_words, sanitized, skip_instrumented_build
from support.xsp_e2e import check, check_equal, run, skip, work_folder, xsp_run

TITLES = {"thread": "ThreadSanitizer", "memory": "MemorySanitizer"}

skip_instrumented_build()
work_folder()
plain = sanitized("gcc")
ran = 0
for compiler, kind, *static in (("gcc", "thread"), ("gcc", "thread", "-static-libtsan"), ("clang", "thread"), ("clang", "memory")):
    program = sanitized(compiler, f"-fsanitize={kind}", *static)
    if program is None:
        continue
    ran += 1
    done = xsp_run(program).check_success()
    check_equal(own_words(done.stderr), "", f"{program.name}: what it and its sanitizer said")
    check(f"no spans were recorded in {program.name}: it is built with {TITLES[kind]}, " in done.stderr, done.stderr)
    check_equal(len(done.trace.spans), 0, f"{program.name}: spans")
    audited = xsp_run(program, options=("--audit",)).check_success()
    check_equal(own_words(audited.stderr), "", f"{program.name} --audit: what it and its loader said")
    for fault in ("race", "race-and-leave") if kind == "thread" else ():
        bare = run(program, fault)
        check(bare.returncode != 0, f"{program.name} {fault}: nothing is found without XSP")
        recorded = xsp_run(program, fault)
        what = f"{program.name} {fault}"
        check_equal((recorded.returncode, recorded.stdout), (bare.returncode, bare.stdout), f"{what}: status and output")
        races = [re.findall(r"SUMMARY: ThreadSanitizer: [^(\n]*", own_words(text)) for text in (bare.stderr, recorded.stderr)]
        check_equal(races[1], races[0], f"{what}: the reports")
    both = xsp_run("sh", "-c", f"{program} && {plain}").check_success()
    check_equal((own_words(both.stderr), len(both.trace.spans)), ("", SPANS), f"beside {program.name}: the plain program")
if ran == 0:
    skip("a compiler with ThreadSanitizer or MemorySanitizer")

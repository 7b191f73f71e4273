"""Programs built with AddressSanitizer, LeakSanitizer and the sanitizer of undefined behaviour, of gcc and clang, with shared and
with static runtimes: they start, are recorded to the span, no report is about XSP, and the program's own faults are reported as
without it."""
import re

from support.built_programs import SPANS, own_words, sanitized, skip_instrumented_build
from support.xsp_e2e import check, check_equal, run, skip, work_folder, xsp_run

BUILDS = {
    ("gcc", "-fsanitize=address"): ("leak", "overrun"),
    ("gcc", "-fsanitize=address", "-static-libasan"): ("leak", "overrun"),
    ("gcc", "-fsanitize=address,undefined"): ("leak", "overrun"),
    ("gcc", "-fsanitize=leak"): ("leak",),
    ("gcc", "-fsanitize=undefined"): (),
    ("clang", "-fsanitize=address"): ("leak", "overrun"),
    ("clang", "-fsanitize=address", "-shared-libasan"): ("leak", "overrun"),
    ("clang", "-fsanitize=leak"): ("leak",),
    ("clang", "-fsanitize=undefined"): (),
}


def verdict(stderr):
    """The kinds of reports, with the places in the program that they name."""
    found = re.findall(r"(?:ERROR: |SUMMARY: )[^\n]*|#\d+ \S+ in (?:main|record) [^\n]*", own_words(stderr))
    return [re.sub(r"0x[0-9a-f]+|==\d+==", "_", line) for line in found]


skip_instrumented_build()
work_folder()
ran = 0
for build, faults in BUILDS.items():
    program = sanitized(*build)
    if program is None:
        continue
    ran += 1
    done = xsp_run(program).check_success()
    check_equal(own_words(done.stderr), "", f"{program.name}: what it and its sanitizer said")
    check_equal(len(done.trace.spans), SPANS, f"{program.name}: spans")
    for fault in faults:
        bare = run(program, fault)
        check(bare.returncode != 0, f"{program.name} {fault}: nothing is found without XSP")
        recorded = xsp_run(program, fault)
        what = f"{program.name} {fault}"
        check_equal((recorded.returncode, recorded.stdout), (bare.returncode, bare.stdout), f"{what}: status and output")
        check_equal(verdict(recorded.stderr), verdict(bare.stderr), f"{what}: the report")
        check("libxsp" not in own_words(recorded.stderr), f"{what}: names XSP:\n{recorded.stderr}")
        check_equal(len(recorded.trace.spans), SPANS, f"{what}: spans")
if ran == 0:
    skip("a compiler with sanitizers")
print(f"figure: builds with sanitizers {ran}, disturbed 0")

"""Every allocation and every system call of xsp-run fails once, the first, the second and so on: either it says in one line why
the program did not start, with status 125, or the program has run and its own status passes; it never crashes or hangs.

By default each eleventh call fails; XSP_STRESS in the environment: each.
"""
import os

from support.xsp_e2e import BUILD, XSP_RUN, check, check_equal, clean_environment, run, work_folder

PROGRAM = BUILD / "test/e2e/spans_of_every_kind"
STEP = 1 if os.environ.get("XSP_STRESS") else 11
MOST = 5000

folder = work_folder()
alone = run(PROGRAM)
failed = refused = ran = 0
for kind, step in (("memory", 3 * STEP), ("descriptors", max(STEP // 4, 1))):
    for number in range(1, MOST, step):
        for name in ("report", "trace.pb"):
            (folder / name).unlink(missing_ok=True)
        failing = clean_environment(LD_PRELOAD=BUILD / "test/e2e/libfailing_calls.so", FAIL_PROGRAM="xsp-run",
                                    FAIL_KIND=kind, FAIL_NTH=number, FAIL_REPORT=folder / "report")  # fmt: skip
        done = run(XSP_RUN, "-f", "-o", "trace.pb", "--", PROGRAM, env=failing, timeout=60)
        if not (folder / "report").exists():
            break
        what = f"{kind} {(folder / 'report').read_text().strip()}: status {done.returncode}, {done.stderr.decode()}"
        failed += 1
        errors = [line for line in done.stderr.decode().splitlines() if line.startswith("xsp-run: error: ")]
        if done.stdout:
            check_equal((done.returncode, done.stdout), (alone.returncode, alone.stdout), what)
            ran += 1
        else:
            # A forked child counts on from where it was made: it may fail and say so, too.
            check_equal((done.returncode, len(errors) in (1, 2)), (125, True), what)
            refused += 1
    check(number < MOST - step, f"{kind}: there is an end to it")
print(f"figure: calls that failed {failed}, crashes 0, hangs 0; refused with a reason {refused}, programs that ran with their "
      f"own status {ran}")

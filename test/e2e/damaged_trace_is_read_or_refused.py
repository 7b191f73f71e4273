"""A trace cut off at any byte, or with any bit turned over, never crashes xsp-report: it is read or refused."""
import random
from pathlib import Path

from support.xsp_e2e import BUILD, XSP_REPORT, check, run, skip, work_folder, xsp_run

program = BUILD / "test/e2e/api_spans"
if not program.exists():
    skip("the C program on xsp.h is not built")
work_folder()
whole = xsp_run(program).check_success().path.read_bytes()
random.seed(1)


def expect_no_crash(data, how):
    Path("damaged.pb").write_bytes(data)
    done = run(XSP_REPORT, "damaged.pb", timeout=20)
    check(done.returncode in (0, 2, 3, 4), f"{how}: exit status {done.returncode}: {done.stderr.decode()[-500:]}")
    check(done.returncode == 0 or done.stderr, f"{how}: a refusal says why")


cuts = range(len(whole)) if len(whole) < 500 else sorted(random.sample(range(len(whole)), 500))
for size in cuts:
    expect_no_crash(whole[:size], f"cut off at byte {size} of {len(whole)}")
for _ in range(500):
    at, bit = random.randrange(len(whole)), random.randrange(8)
    damaged = bytearray(whole)
    damaged[at] ^= 1 << bit
    expect_no_crash(bytes(damaged), f"bit {bit} of byte {at} turned over")

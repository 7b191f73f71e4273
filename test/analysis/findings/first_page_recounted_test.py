"""What the report says first of real profiles is what can be counted in their files (recounted_profiles.py):
first_page_recounted_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT [--print]. Findings win no more than a step takes, and stand on rows
that are there; the numbers of the verdict are those of A1 and A15. Skipped where the profiles are not at hand.
"""

import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from imported_trace import shared_data, skip  # noqa: E402
from recounted_profiles import MS, Recount, communicates, covered, length, loop_period, read_kineto, read_nsight  # noqa: E402

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../e2e"))
from support import first_page

first_page.XSP_IMPORT, first_page.XSP_REPORT, ROOT = [os.path.abspath(path) for path in sys.argv[1:4]]
DATA = shared_data(ROOT)
# Kernels of an iteration, as README.md of the profiles has them.
LOOPS = {"mxnet_v100_model11_b1.sqlite.gz": (28, 10), "mxnet_v100_model17_b1.sqlite.gz": (288, 10)}
failures = []


def expect(good, what):
    if not good:
        failures.append(what)


def near(got, expected, error, share=0.01):
    if expected is None or got is None:
        return got is None and not expected  # where there is nothing, 0 and no value are alike
    return abs(got - expected) <= max(error, share * abs(expected))


def compare_steps(name, page, recount):
    times, device = recount.figures()
    # A sum over intervals differs by their clock at either end; shares by what that is of a step.
    error = 4 * recount.profile.resolution / MS
    for table, figures in (("A1", times), ("A15", device)):
        if table == "A15" and not recount.kernels:
            continue
        rows = [row for row in page.rows(table) if row.get("n")]
        if len(rows) != 1:
            expect(False, f"{name}: {len(rows)} rows of {table}, expected one of {recount.n} steps")
            continue
        for column, expected in figures.items():
            exact = column in ("n", "period_ms")
            # Copies alone are a share of all windows, not a trimmed mean; copies of a few bytes return within 10 µs and are no waits.
            share = 0.03 if column == "copy_only_ms" else 0.01
            slack = max(error, 0.1) if column == "sync_wait_ms" else error
            ok = column in rows[0] and near(rows[0][column], expected, 1e-6 if exact else slack, 1e-9 if exact else share)
            expect(ok, f"{name}: {column} of {table}: {rows[0].get(column, 'no such column')}, counted {expected}")
    rows = [row for row in page.rows("A1") if row.get("n")]
    if recount.period is not None:
        expect(rows and rows[0].get("throughput_of") == "period", f"{name}: throughput of steps is not by period")
    if page.verdict and recount.period is not None:
        said = page.said_ms(first_page.FIRST)
        expect(
            near(said, recount.period, 0),
            f"{name}: a step of {said} ms in the verdict, counted {recount.period}: {page.verdict}",
        )
    elif page.verdict:
        expect(
            "known" in page.verdict or "step" in page.verdict, f"{name}: does not say that there is no period: {page.verdict}"
        )
    if page.verdict:
        said = page.said_busy()
        waits = re.search(r"GPU waits for the CPU (\d+) %", page.verdict)
        if said is None and waits:  # said the other way round
            said = 100 - int(waits[1])
        expect(
            near(said, recount.busy_pct, 0.6, 0),
            f"{name}: {said} % busy in the verdict, counted {recount.busy_pct}: {page.verdict}",
        )


def compare_loop(name, page, profile):
    kernels, count = LOOPS[name]
    period, covers = loop_period(profile, kernels)
    rows = [row for row in page.rows("D1") if row["level"] == 0]
    expect(len(rows) == count, f"{name}: {len(rows)} iterations, known {count}")
    begins = sorted(row["start_ms"] for row in rows)[1:]
    steady = sorted(after - before for before, after in zip(begins, begins[1:]))
    if steady:
        expect(
            near(steady[len(steady) // 2], period, 0, 0.05),
            f"{name}: iterations of {steady[len(steady) // 2]} ms, counted {period}",
        )
    if page.verdict:
        said = page.said_ms(first_page.FIRST)
        if covers > profile_kernels(profile) / 2:
            expect(near(said, period, 0, 0.05), f"{name}: {said} ms in the verdict, counted {period}: {page.verdict}")
    return period


def profile_kernels(profile):
    return sum(e.kind == "kernel" for e in profile.executions)


def numbers_of_the_verdict(name, page):
    """They are cells of A1 and A15, as they are rounded."""
    if not page.verdict:
        return expect(False, f"{name}: no verdict")
    expect("\n" not in page.verdict, f"{name}: a verdict of several lines: {page.verdict}")
    busy = page.said_busy()
    shares = [row.get("gpu_busy_pct") for row in page.rows("A15")]
    expect(busy is None or any(near(busy, share, 0.6, 0) for share in shares if share is not None) or not any(shares),
           f"{name}: {busy} % busy is no cell of A15 {shares}: {page.verdict}")  # fmt: skip
    step = page.said_ms(first_page.FIRST)
    cells = [
        row.get(column) for row in page.rows("A1") for column in ("period_ms", "latency_ms") if row.get(column) is not None
    ]
    expect(
        step is None or not cells or any(near(step, cell, 0) for cell in cells),
        f"{name}: {step} ms is no cell of A1 {cells}: {page.verdict}",
    )


def sane(name, page, step):
    # Of a recording without steps the whole is the recording.
    wholes = [row["step_ms"] for row in page.rows("A15") if not row.get("n") and row.get("step_ms")]
    try:
        page.check_findings(max([step, *wholes]))
    except SystemExit:
        failures.append(f"{name}: findings, see above")


def described(profile, recount, period=None):
    if recount.n:
        figures = {**recount.figures()[0], **recount.figures()[1]}
    else:
        kernels = [e for e in profile.executions if e.kind == "kernel"]
        figures = {"n": 0, "loop_period_ms": period, "kernels": len(kernels), "kernel_union_ms": length(covered(kernels)) / MS,
                   "communication_ms": length(covered(k for k in kernels if communicates(k))) / MS}  # fmt: skip
    return f"{profile.name}: " + ", ".join(f"{k} {v:.6g}" for k, v in figures.items() if v is not None)


def main():
    files = []
    for kind, read in (("kineto", read_kineto), ("nsys", read_nsight)):
        folder = os.path.join(DATA, kind)
        if os.path.isdir(folder):
            files += [(read, os.path.join(folder, file)) for file in sorted(os.listdir(folder)) if file.endswith(".gz")]
    if not files:
        skip(f"no profiles in {DATA}")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for read, path in files:
            profile = read(path)
            recount = Recount(profile)
            if "--print" in sys.argv:
                period = loop_period(profile, LOOPS[profile.name][0])[0] if profile.name in LOOPS else None
                print(described(profile, recount, period))
                continue
            link = os.path.join(folder, profile.name)
            os.symlink(path, link)
            page = first_page.FirstPage(link)
            print(f"{profile.name}: {page.verdict}\n  {[(f['id'], f.get('gain_ms')) for f in page.findings]}")
            step = None
            if recount.n:
                compare_steps(profile.name, page, recount)
                step = recount.step
            elif profile.name in LOOPS:
                step = compare_loop(profile.name, page, profile)
            else:
                expect(
                    not page.verdict or page.said_ms("^Step") is None or page.rows("D1"),
                    f"{profile.name}: a step from nowhere: {page.verdict}",
                )
            numbers_of_the_verdict(profile.name, page)
            whole = (
                max(e.end for e in profile.executions) - min(e.begin for e in profile.executions)
                if profile.executions
                else 1000 * MS
            )
            sane(profile.name, page, step or whole / MS)
    if failures:
        sys.exit("\n".join(failures))


main()

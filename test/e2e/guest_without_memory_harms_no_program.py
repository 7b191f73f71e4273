"""Every allocation and every system call of the guest fails once, the first, the second and so on, and then all of them from
one on: the program's output and status are what they are without us, and each process that reached the collector has its
spans in the trace or counted."""
import signal
import subprocess

from support.span_counts import NO_RING, TraceCount
from support.xsp_e2e import BUILD, XSP_COLLECTOR, check, check_equal, clean_environment, run, wait_for_listener, work_folder

PROGRAM = BUILD / "test/e2e/spans_of_every_kind"
SPANS = {800, 200}  # of the parent, of its child
MOST = 400

folder = work_folder()
collector = subprocess.Popen([XSP_COLLECTOR, "--socket", folder / "socket", "-o", folder / "all.pb"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=clean_environment())
wait_for_listener(folder / "socket")
alone = run(PROGRAM)
(folder / "scratch").mkdir()
settings = {"LD_PRELOAD": f"{BUILD}/inject/libxsp_inject.so:{BUILD}/test/e2e/libfailing_calls.so",
            "XSP_SOCKET": folder / "socket", "XSP_SCRATCH": folder / "scratch", "XSP_LEVEL": "kernel",
            "FAIL_CALLER": "libxsp_inject", "FAIL_REPORT": folder / "report"}  # fmt: skip
failed = 0
for which, kind in (("FAIL_NTH", "all"), ("FAIL_FROM", "memory"), ("FAIL_FROM", "descriptors")):
    for number in range(1, MOST):
        (folder / "report").unlink(missing_ok=True)
        done = run(PROGRAM, env=clean_environment(**settings, FAIL_KIND=kind, **{which: number}), timeout=60)
        has_failed = (folder / "report").exists()
        what = f"{which}={number} of {kind}: {(folder / 'report').read_text() if has_failed else 'none'}"
        check_equal((done.returncode, done.stdout, done.stderr), (alone.returncode, alone.stdout, alone.stderr), what)
        failed += has_failed
        if not has_failed:
            break
    check(number < MOST - 1, f"{which} of {kind}: there is an end to it")
collector.send_signal(signal.SIGTERM)
output, _ = collector.communicate(timeout=60)
check_equal(collector.returncode, 0, f"xsp-collector: {output.decode()}")
trace = TraceCount("all.pb")
processes = [p for number, p in trace.processes.items() if number]
unheard = 0
for process in processes:
    kept = process.spans + process.losses[NO_RING]
    unheard += kept == 0
    check(kept in SPANS | {0}, f"{process.spans} spans and losses {dict(process.losses)}")
check_equal(sum(sum(p.losses.values()) - p.losses[NO_RING] for p in processes), 0, "other losses")
print(f"figure: calls that failed {failed}, programs disturbed 0, processes in the trace {len(processes)}, of which told why "
      f"they were off {unheard}, spans {trace.spans}, counted as lost {trace.lost(NO_RING)}, unaccounted 0")

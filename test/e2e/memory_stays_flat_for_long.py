"""A day in minutes: millions of spans of one program, and programs without end on one collector. From the first quarter on
neither the program nor the collector grows; what was recorded and what was dropped make all. The rings, which a late sender
makes larger for a while, stay below what is promised.

XSP_STRESS=20 takes ten times as many as the default, 20 million spans and 10,000 processes.
"""
import os
import signal
import subprocess
import time
from pathlib import Path

from support.span_counts import RING_FULL, TraceCount, program_counts
from support.xsp_e2e import (BUILD, XSP_COLLECTOR, XSP_RUN, check, check_equal, clean_environment, wait_for_listener,
                     wait_until, work_folder)  # fmt: skip

SCALE = (int(os.environ.get("XSP_STRESS", 0)) or 2) / 2
THREADS, EACH, RATE = 2, int(1_000_000 * SCALE), 300_000
PROCESSES = int(1_000 * SCALE)
GROWTH_KIB = 4096
RINGS_KIB = (THREADS + 1) * (1 + 16) * 1024  # a ring and an overflow area for each thread
rings_kib = {}  # by process, the most seen


def resident_kib(pid):
    """Without the rings."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    kib = {line.split(":")[0]: int(line.split()[1]) for line in status.splitlines() if line.startswith("Rss")}
    rings_kib[pid] = max(rings_kib.get(pid, 0), kib.get("RssShmem", 0))
    return kib.get("RssAnon", 0) + kib.get("RssFile", 0)


def quarters(progress, total, running, *pids):
    """Resident memory of the processes when a quarter, a half and so on of `total` is done."""
    samples = []
    last = [0] * len(pids)
    for quarter in (1, 2, 3, 4):
        while running.poll() is None and progress() < total * quarter // 4 * 0.98:
            time.sleep(0.02)
            last = [resident_kib(pid) or before for pid, before in zip(pids, last)]
        last = [resident_kib(pid) or before for pid, before in zip(pids, last)]
        samples.append(last)
    return [list(column) for column in zip(*samples)]


folder = work_folder()
collector = subprocess.Popen([XSP_COLLECTOR, "--socket", folder / "socket", "-o", folder / "day.pb"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=clean_environment())
wait_for_listener(folder / "socket")
run = (XSP_RUN, "--collector", folder / "socket", "--")


def finished():
    return sum(program_counts("counts")[1].values())


program = subprocess.Popen([*run, BUILD / "test/e2e/counted_spans", "counts", str(THREADS), str(RATE), str(EACH)],
                           stdout=subprocess.PIPE, env=clean_environment())
wait_until(lambda: Path("counts").exists() and program_counts("counts")[1], "the program records")
recorder = program_counts("counts")[0]
guest, of_spans = quarters(finished, THREADS * EACH, program, recorder, collector.pid)
check_equal(program.communicate()[0], b"done\n", "the program")

# Each has a connection, a memory and threads of its own.
begun = time.monotonic()
storm = subprocess.Popen([*run, BUILD / "test/e2e/many_processes", "fork", str(PROCESSES)], stdout=subprocess.PIPE,
                         env=clean_environment())  # fmt: skip
size = (folder / "day.pb.partial").stat().st_size


def written():
    return (folder / "day.pb.partial").stat().st_size - size


# Of a process there are some 500 bytes in the file; how far it is, is known well enough by them.
(of_processes,) = quarters(written, PROCESSES * 500, storm, collector.pid)
check_equal(storm.communicate()[0].split()[0], str(PROCESSES + 1).encode(), "processes")
collector.send_signal(signal.SIGTERM)
output, _ = collector.communicate(timeout=120)
check_equal(collector.returncode, 0, f"xsp-collector: {output.decode()}")
for what, resident in (("the program", guest), ("the collector, by spans", of_spans),
                       ("the collector, by processes", of_processes)):  # fmt: skip
    check(resident[3] - resident[0] <= GROWTH_KIB, f"{what}: resident after each quarter {resident} KiB")
check(0 < rings_kib[recorder] < RINGS_KIB, f"the program's rings: {rings_kib[recorder]} KiB")
trace = TraceCount("day.pb")
issued = THREADS * EACH + 100 * (PROCESSES + 1)
check_equal(trace.spans + trace.lost(RING_FULL), issued, "recorded and dropped")
check_equal(len([number for number in trace.processes if number]), PROCESSES + 2, "processes")
print(f"figure: spans {issued}, recorded {trace.spans}, processes {PROCESSES + 2}, resident KiB after each quarter: program "
      f"{guest} and rings of {rings_kib[recorder]}, collector {of_spans} by spans, {of_processes} by processes")

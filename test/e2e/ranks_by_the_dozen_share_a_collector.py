"""64 programs at once on one collector, also on one that may hold few of them at a time: each is in the trace with exactly the
spans that it finished, recorded or counted as dropped."""
import signal
import subprocess

from support.span_counts import RING_FULL, TraceCount, program_counts
from support.xsp_e2e import (BUILD, XSP_COLLECTOR, XSP_RUN, check, check_equal, clean_environment, run,
                     wait_for_listener, work_folder)  # fmt: skip

RANKS, THREADS, EACH, RATE = 64, 2, 5_000, 10_000

folder = work_folder()
recorded = dropped = 0
for limit in ("true", "ulimit -n 96"):
    command = ["bash", "-c", f'{limit}; exec "$0" "$@"', XSP_COLLECTOR, "--socket", folder / "socket", "-f", "-o", "ranks.pb"]
    collector = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=clean_environment())
    wait_for_listener(folder / "socket")
    on_collector = [XSP_RUN, "--collector", folder / "socket", "--", BUILD / "test/e2e/counted_spans"]
    ranks = [subprocess.Popen([*on_collector, f"rank{rank}", str(THREADS), str(RATE), str(EACH)], stdout=subprocess.PIPE,
                              env=clean_environment()) for rank in range(RANKS)]  # fmt: skip
    for rank in ranks:
        stdout, _ = rank.communicate(timeout=120)
        check_equal((rank.returncode, stdout), (0, b"done\n"), "a rank's status and output")
    collector.send_signal(signal.SIGTERM)
    output, _ = collector.communicate(timeout=60)
    check_equal(collector.returncode, 0, f"xsp-collector: {output.decode()}")
    trace = TraceCount("ranks.pb")
    check(trace.complete, "the trace is complete")
    by_pid = {p.pid: p for number, p in trace.processes.items() if number}
    check_equal(len(by_pid), RANKS, "processes in the trace")
    for rank in range(RANKS):
        pid, counts = program_counts(f"rank{rank}")
        check_equal(sorted(counts.values()), [EACH] * THREADS, f"rank {rank}: spans that it finished")
        by_pid[pid].check_once()
        check_equal(by_pid[pid].spans + by_pid[pid].losses[RING_FULL], THREADS * EACH, f"rank {rank}: recorded and dropped")
        dropped += by_pid[pid].losses[RING_FULL]
    recorded += trace.spans
print(f"figure: ranks {RANKS}, twice, issued {2 * RANKS * THREADS * EACH}, recorded {recorded}, dropped {dropped}, "
      "unaccounted 0")

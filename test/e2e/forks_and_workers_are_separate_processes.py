"""fork, and multiprocessing by fork and by spawn: every process that called the model is in the trace under its own pid,
with all of its spans, none lost and none twice.
"""
from collections import Counter

from support.trace_reader import TORCH_MODULE, TORCH_ROOT
from support.xsp_e2e import PROGRAMS, check_equal, torch_python, work_folder, xsp_run

python = torch_python()
folder = work_folder()
done = xsp_run(python, PROGRAMS / "forks_and_multiprocessing.py", folder / "log").check_success()
check_equal(done.stdout, b"done\n", "stdout")
calls = Counter()
for line in (folder / "log").read_text().splitlines():
    pid, count = map(int, line.split())
    calls[pid] += count
check_equal(len(calls), 5, "processes that called the model")
trace = done.trace
check_equal(dict(Counter(s.pid for s in trace.of_kind(TORCH_ROOT))), dict(calls), "model spans per pid")
check_equal(dict(Counter(s.pid for s in trace.of_kind(TORCH_MODULE))), {p: 3 * n for p, n in calls.items()},
            "layers per pid")
identities = Counter((s.process, s.ring, s.id) for s in trace.spans)
check_equal([i for i, n in identities.items() if n > 1], [], "spans that are there twice")
check_equal([p.losses for p in trace.processes.values() if any(p.losses.values())], [], "losses")

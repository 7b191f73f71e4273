"""What continuous recording costs a model, beside what the guest measures of itself: continuous_cost.py BUILD ROUNDS SAMPLES PYTHON
SCRIPT ARGUMENTS.... The script prints the processor time of each model call in nanoseconds, one a line. Rounds with and without XSP
alternate; SAMPLES are values of XSP_SAMPLE ("off,1/10,auto"; off: everything is recorded). Ratios are of the rounds' median, and of
their mean without the slowest twentieth, as all that is recorded of sampled calls is in the mean alone.
"""
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from trace_reader import read_trace


def calls_of(text):
    times = sorted(int(line) for line in text.split())
    kept = times[: len(times) - len(times) // 20]
    return statistics.median(times), statistics.mean(kept)


def main():
    build, rounds, samples, command = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4:]
    environment = {"OMP_NUM_THREADS": "1", **os.environ}
    plain, recorded, totals = [], {sample: [] for sample in samples}, {}
    for _ in range(rounds):
        plain.append(calls_of(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout))
        for sample in samples:
            options = [build / "inject/launch/xsp-run", "-f", "-o", f"/tmp/continuous-cost-{os.getpid()}.pb", "--"]
            done = subprocess.run([*options, *command], env={**environment, "XSP_SAMPLE": sample}, capture_output=True,
                                  text=True, check=True)  # fmt: skip
            recorded[sample].append(calls_of(done.stdout))
            trace = read_trace(options[3])
            totals[sample] = max((p for p in trace.processes.values()), key=lambda p: len(p.spans))
    os.remove(options[3])
    print(f"alone: median {statistics.median(m for m, _ in plain) / 1e6:.3f} ms")
    for sample in samples:
        medians = sorted(a[0] / b[0] for a, b in zip(recorded[sample], plain))
        means = sorted(a[1] / b[1] for a, b in zip(recorded[sample], plain))
        process = totals[sample]
        cost = process.overhead
        shares = {name: 100 * cost.get(name, 0) / cost["cpu_ns"] for name in ("hooks_ns", "calls_ns", "threads_ns")}
        print(f"{sample}: median {statistics.median(medians):.4f} ({medians[0]:.4f} to {medians[-1]:.4f}), mean "
              f"{statistics.median(means):.4f} ({means[0]:.4f} to {means[-1]:.4f}); by itself "
              + ", ".join(f"{name[:-3]} {share:.2f} %" for name, share in shares.items())
              + f" of the processor time; {process.sampling}")  # fmt: skip


main()

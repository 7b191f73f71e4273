"""Finding iterations in sequences of GPU operations: the miners alone, and as part of a report."""

import re


def mining(bench, figures, options):
    figures.section = "mining of iterations"
    for method, seconds, megabytes in (("periods", 1, 100), ("suffix-tree", 5, 400)):
        figures.command = f"mining_bench {method} 1000000 10000000"
        text = bench.output([bench.path("test", "bench", "mining_bench"), method, "1000000", "10000000"])
        shorter, longer = (
            (float(time), float(memory)) for time, memory in re.findall(r"([\d.]+) s of CPU.* peak ([\d.]+) MB", text)
        )
        figures.at_most(f"10 M operations, {method}", longer[0], seconds, "s of CPU")
        figures.at_most(f"memory beside the symbols, {method}", longer[1], megabytes, "MB")
        figures.at_most(f"time / that of 1 M operations, {method}", longer[0] / shorter[0], 20)


def iterations(bench, figures, options):
    """Reports of a program that loops: what tables of iterations add to loading the trace."""
    figures.section = "iterations in a report"
    figures.command = "scripts/bench --only iterations"
    trace = bench.temporary("looping.pb")
    for order in ("ordered", "blocks", "launches"):
        added = {}
        for operations in (1_000_000, 10_000_000):
            bench.output([bench.path("test", "bench", "looping_trace"), trace, str(operations), order])
            added[operations] = added_by_iterations(bench, trace, operations // 1000)
        longer, shorter = added[10_000_000], added[1_000_000]
        figures.at_most(f"D1 of 10 M operations, {order}: over loading", longer["D1"][0], 1, "s of CPU")
        figures.at_most(f"its memory, {order}", longer["D1"][1], 100, "MB")
        figures.at_most(f"by the paper's method, {order}", longer["paper"][0], 5, "s of CPU")
        figures.at_most(f"its memory, {order}, by the paper's method", longer["paper"][1], 400, "MB")
        figures.add(f"D1 to D4, {order}", longer["all"][0], "s of CPU")
        figures.at_most(f"D1 to D4, {order}, over that of 1 M operations", longer["all"][0] / shorter["all"][0], 20)


def added_by_iterations(bench, trace, count):
    """Seconds of CPU and megabytes beyond a report that only loads the trace; the least of interleaved runs."""
    choices = {
        "load": ["-a", "Q1"],
        "D1": ["-a", "D1"],
        "paper": ["-a", "D1", "--mining", "suffix-tree", "--iterations", str(count)],
        "all": ["-a", "D1,D2,D3,D4"],
    }
    least = {name: (float("inf"), float("inf")) for name in choices}
    for _ in range(3):
        for name, arguments in choices.items():
            seconds, memory, _ = bench.used([bench.path("analysis", "xsp-report"), trace, *arguments])
            least[name] = min(seconds, least[name][0]), min(memory, least[name][1])
    load = least.pop("load")
    return {name: (max(seconds - load[0], 0), max(memory - load[1], 0) / 1e6) for name, (seconds, memory) in least.items()}

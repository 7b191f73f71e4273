"""What a recorded span costs, tracer beside tracer, in interleaved rounds of one run."""

import os
import statistics

from . import tracers

COLUMNS = ("min", "median", "mean", "p99", "p99.9", "p99.99", "first")
# Of each subject, half of the bursts span by span. With rests in between, in which consumers work and after which the first
# span finds its caches cold: a burst is half of what fits a ring of XSP.
BURSTS = ["--bursts", "60", "--spans", "8000"]
BURSTS_OF_CALLS = ["--bursts", "160", "--spans", "3000"]  # a call takes two records
# A hundred spans every 20 microseconds: caches stay warm, and consumers work at the same time.
STREAM = ["--bursts", "12", "--spans", "100000", "--pace-us", "20"]
THREADS = (1, 2, 4, 8)
# (tracer, subject) of its program, and what stands in the table.
SUBJECTS = (
    ("clocks", "floor", "two rdtsc reads (the floor)"),
    ("clocks", "clock_gettime", "two clock_gettime(CLOCK_MONOTONIC)"),
    ("xsp", "api_span", "XSP: a span by the C API"),
    ("xsp-calls", "library_call", "XSP: a wrapped library call, time and status"),
    ("xsp-calls", "gemm", "XSP: a wrapped library call, its 14 arguments too"),
    ("tracy", "tracy", "Tracy: a zone by its C functions"),
    ("lttng", "lttng", "LTTng-UST: a begin and an end tracepoint"),
    ("xsp-absent", "plt_call", "a PLT call"),
    ("xsp-absent", "api_span", "a span by the C API, two PLT calls, without XSP"),
    ("xsp-off", "api_span", "the same, XSP there and switched off"),
    ("xsp-absent", "gemm", "a library call of 14 arguments, without XSP"),
    ("xsp-off", "gemm", "the same, XSP there and switched off"),
)
# Measured in another run on another machine (Zen 5, 2.6 GHz), each over that machine's two rdtsc: clients compiled in,
# medians of 7 rounds. Only a hint for tracers that are not here.
ELSEWHERE = (
    ("Tracy 0.10, ZoneScoped compiled in, capture connected", 1.03, 1.57),
    ("LTTng-UST 2.13, begin+end", 7.1, 11.3),
    ("Perfetto SDK v53, TRACE_EVENT without arguments, in-process", 11.6, 18.7),
)


def all_tracers(bench, options):
    library, capture = options.tracy or (None, None)
    return [
        tracers.Floor(bench),
        tracers.Xsp(bench),
        tracers.XspCalls(bench),
        tracers.Tracy(bench, library, capture),
        tracers.Lttng(bench),
        tracers.XspAbsent(bench),
        tracers.XspOff(bench),
    ]


def present(bench, figures, options):
    here = []
    for tracer in all_tracers(bench, options):
        why = tracer.why_not()
        if why is None:
            here.append(tracer)
        else:
            figures.leave_out(tracer.title, why)
    return here


def pinned():
    """The last processor, with real-time priority where that is allowed."""
    processor = max(os.sched_getaffinity(0))
    return ["--cpu", str(processor), *(["--fifo", "50"] if os.geteuid() == 0 else [])]


def over_rounds(values, column):
    return min(values) if column == "min" else statistics.median(values)


def spans(bench, figures, options):
    figures.section = "a recorded span, begin and end, in nanoseconds: bursts of 8,000, and rests"
    figures.command = "scripts/bench --only spans"
    here = present(bench, figures, options)
    figures.leave_out("Perfetto", "its SDK is in no package here; measured elsewhere, see below")
    table, floors = measure(bench, figures, options, here, BURSTS)
    judge(figures, table, floors)
    judge_switched_off(figures, table)
    judge_calls(figures, table, floors)
    for title, least, median in ELSEWHERE:
        figures.add(f"elsewhere: {title}, over two rdtsc of that machine", median, "", f"minimum {least:g}; not of this run")


def stream(bench, figures, options):
    figures.section = "a recorded span, begin and end, in nanoseconds: a stream of 4 million a second"
    figures.command = "scripts/bench --only stream"
    here = [tracer for tracer in present(bench, figures, options) if tracer.name in ("clocks", "xsp", "tracy", "lttng")]
    judge(figures, *measure(bench, figures, options, here, STREAM))


def measure(bench, figures, options, here, workload):
    """(costs by tracer and subject, floors by tracer), each by column; prints them as a table."""
    rounds = {tracer.name: [] for tracer in here}
    kept = {tracer.name: {"recorded": 0, "kept": 0, "lost": 0, "bytes": 0} for tracer in here}
    for number in range(options.rounds):
        bench.say(f"round {number + 1} of {options.rounds}")
        for tracer in here:
            with bench.undisturbed():
                result, counts = tracer.run([*pinned(), *(BURSTS_OF_CALLS if tracer.name == "xsp-calls" else workload)])
            rounds[tracer.name].append(result)
            add_counts(kept[tracer.name], tracer.name, result, counts)
    table = {}
    rows = []
    floors = {}
    for name, results in rounds.items():
        floors[name] = {column: over_rounds([result["floor"][column] for result in results], column) for column in COLUMNS}
    for name, subject, title in SUBJECTS:
        if name not in rounds or subject not in rounds[name][0]:
            continue
        costs = {column: over_rounds([result[subject][column] for result in rounds[name]], column) for column in COLUMNS}
        table[name, subject] = costs
        ratio = [costs[column] / floors[name][column] for column in ("min", "median")]
        rows.append((title, *(f"{costs[column]:.1f}" for column in COLUMNS), f"{ratio[0]:.2f}", f"{ratio[1]:.2f}", told(kept[name], name)))
    figures.table(("what", *COLUMNS[:-1], "first after a rest", "min / floor", "median / floor", "recorded, lost"), rows)
    return table, floors


def add_counts(own, name, result, counts):
    own["recorded"] += sum(subject["recorded"] for key, subject in result.items() if key in ("api_span", "library_call", "gemm", "tracy", "lttng"))
    for key, value in (counts or {}).items():
        own[key] += value


def told(counts, name):
    if name not in ("xsp", "xsp-calls", "tracy", "lttng"):
        return ""
    lost = counts["recorded"] - counts["kept"]
    return f"{counts['recorded']:,}, {lost:,}"


def judge(figures, table, floors):
    ours = table.get(("xsp", "api_span"))
    if ours is None:
        return
    floor = floors["xsp"]
    figures.at_most("XSP's span / two rdtsc, minima", ours["min"] / floor["min"], 1.15)
    figures.add("XSP's span / two rdtsc, medians", ours["median"] / floor["median"])
    figures.at_most("XSP's p99.99", ours["p99.99"], 1000, "ns", f"the bare clock's in the same run: {floor['p99.99']:.0f}")
    if ("tracy", "tracy") in table:
        tracy = table["tracy", "tracy"]
        figures.at_most("XSP's median / Tracy's", ours["median"] / tracy["median"], 1)
        figures.at_most("XSP's p99.9 / Tracy's", ours["p99.9"] / tracy["p99.9"], 0.1)
        figures.add("XSP's p99.99 / Tracy's", ours["p99.99"] / tracy["p99.99"])
    if ("lttng", "lttng") in table:
        figures.at_most("XSP's median / LTTng's begin and end", ours["median"] / table["lttng", "lttng"]["median"], 0.2)


def judge_switched_off(figures, table):
    absent, off = table.get(("xsp-absent", "api_span")), table.get(("xsp-off", "api_span"))
    if absent and off:
        figures.at_most("a span of the C API switched off / two plain PLT calls", off["median"] / absent["median"], 1.5)
        figures.at_most("a library call switched off / the plain call", table["xsp-off", "gemm"]["median"] / table["xsp-absent", "gemm"]["median"], 1.5)


def judge_calls(figures, table, floors):
    """Wrapped library calls; the call itself is in no floor."""
    if ("xsp-calls", "gemm") not in table or ("xsp-absent", "gemm") not in table:
        return
    added = table["xsp-calls", "gemm"]["median"] - table["xsp-absent", "gemm"]["median"]
    figures.at_most("a library call with its 14 arguments, over the call", added, 60, "ns")
    recorded = table["xsp-calls", "library_call"]["median"]
    figures.at_most("a library call, time and status / two rdtsc", recorded / floors["xsp-calls"]["median"], 1.3)
    figures.at_most("the same / two clock_gettime", recorded / table["clocks", "clock_gettime"]["median"], 1.3)


def threads(bench, figures, options):
    figures.section = "CPU time of a span by threads, in nanoseconds"
    figures.command = "scripts/bench --only threads"
    here = [tracer for tracer in present(bench, figures, options) if tracer.name in ("xsp", "tracy", "lttng")]
    figures.left_out = [entry for entry in figures.left_out if entry[0] != figures.section or entry[1] not in ("no tracer",)]
    subject = {"xsp": "api_span", "tracy": "tracy", "lttng": "lttng"}
    rows = []
    for tracer in here:
        costs = {count: [] for count in THREADS}
        lost = dict.fromkeys(THREADS, 0)
        recorded = dict.fromkeys(THREADS, 0)
        rounds = options.rounds if tracer.name == "xsp" else (options.rounds + 1) // 2
        for number in range(rounds):
            for count in THREADS:
                # More threads than two measure CPU time alone, so one thread is measured as the others are.
                arguments = ["--threads", str(count), "--cpu-time", "1", "--bursts", str(max(25, 100 // count)), "--rest-us", str(4000 * count)]
                bench.say(f"{tracer.title}, {count} threads, round {number + 1} of {rounds}")
                with bench.undisturbed():
                    result, counts = tracer.run(arguments)
                costs[count].append(result[subject[tracer.name]]["cpu_median"])
                recorded[count] += result[subject[tracer.name]]["recorded"]
                lost[count] += result[subject[tracer.name]]["recorded"] - counts["kept"]
        medians = {count: statistics.median(values) for count, values in costs.items()}
        rows.append((tracer.title, *(f"{medians[count]:.1f}" for count in THREADS), f"{sum(recorded.values()):,}, {sum(lost.values()):,}"))
        if tracer.name == "xsp":
            ratio = statistics.median(eight / one for eight, one in zip(costs[8], costs[1]))
            figures.at_most("XSP's span at 8 threads / at one", ratio, 1.2, "", f"of {len(os.sched_getaffinity(0))} processors")
            figures.at_most("XSP's spans lost at 1 to 8 threads", sum(lost.values()), 0)
    figures.table(("tracer", *(f"{count} thread{'s' if count > 1 else ''}" for count in THREADS), "recorded, lost"), rows)

"""Recomputes tables over a set of runs from its raw spans (trace_reader.py), by the definitions of doc/experiments.md:
a second arithmetic beside that of xsp-report.
"""
import json
from pathlib import Path

from .trace_reader import KERNEL, MEMCPY, MEMSET, read_trace

LEVELS = ["model", "layer", "library", "kernel"]
NAMES = ["M", "M/L", "M/L/library", "M/L/library/G"]
NS_PER_MS = 1e6
CLOCK_ERROR_MS = 1e-3  # how far the clocks of host and device may differ


def percentile(values, percent):
    values = sorted(values)
    place = (len(values) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def statistic(values, name):
    values = sorted(values)
    if name == "trimmed":
        if len(values) == 3:
            return values[1]
        cut = len(values) // 5
        kept = values[cut : len(values) - cut]
        return sum(kept) / len(kept)
    if name == "min":
        return values[0]
    return percentile(values, 50 if name == "median" else float(name.removeprefix("p")))


def spread(values):
    return percentile(values, 75) - percentile(values, 25) if len(values) > 1 else None


def union(intervals):
    covered, end = 0, None
    for begin, stop in sorted(intervals):
        if end is None or begin > end:
            covered += stop - begin
            end = stop
        elif stop > end:
            covered += stop - end
            end = stop
    return covered


def warm_up(latencies):
    if len(latencies) < 3:
        return 0
    half = len(latencies) // 2
    steady = latencies[half:]
    if len(steady) < 4:
        return 1
    upper = percentile(steady, 75)
    limit = max(upper + 4 * (upper - percentile(steady, 25)), 1.05 * percentile(steady, 50),
                percentile(steady, 100 if len(steady) <= 20 else 95))  # fmt: skip
    length = 0
    while length < half and latencies[length] > limit:
        length += 1
    return max(length, 1)


class Evaluation:
    """A call of the model with everything in it; programs here have a single thread that calls it."""

    def __init__(self, root, trace):
        inside = [s for s in sorted(trace.spans, key=lambda s: (s.begin, -s.end))
                  if s.thread == root.thread and root.begin <= s.begin < root.end]  # fmt: skip
        self.root = root
        self.layers = [s for s in inside if s.level == "layer"]
        self.calls = [s for s in inside if s.level == "library"]
        self.executed = [e for e in trace.executed(KERNEL, MEMCPY, MEMSET)
                         if e.launch is not None and e.launch.outer("model") is root]  # fmt: skip
        self.kernels = sorted((e for e in self.executed if e.kind == KERNEL), key=lambda e: e.launch.begin)
        self.latency = max([root.end, *(e.end for e in self.executed)]) - root.begin

    def of_layer(self, layer, executed):
        return [(e.begin, e.end) for e in executed if e.launch.outer("layer") is self.layers[layer]]

    def host_of(self, layer):
        return self.layers[layer].end - self.layers[layer].begin

    def gpu_of(self, layer):
        return union(self.of_layer(layer, self.kernels))

    def latency_of(self, layer):
        own = (self.layers[layer].begin, self.layers[layer].end)
        return union([own, *self.of_layer(layer, self.executed)])

    def in_libraries(self):
        return union([(call.begin, call.end) for call in self.calls])


class SetTruth:
    """The calls in a set of one model, by level, without warm-up; values in ms."""

    def __init__(self, folder, name="trimmed", skip=None):
        self.name = name
        self.levels = {}  # by index of LEVELS
        for run in json.loads((Path(folder) / "set.json").read_text())["runs"]:
            trace = read_trace(Path(folder) / run["trace"])
            roots = sorted((s for s in trace.spans if s.level == "model"), key=lambda s: s.begin)
            evaluations = [Evaluation(root, trace) for root in roots]
            left_out = warm_up([e.latency for e in evaluations]) if skip is None else skip
            self.levels.setdefault(LEVELS.index(run["level"]), []).extend(evaluations[left_out:])

    def values(self, level, value):
        return [value(evaluation) / NS_PER_MS for evaluation in self.levels[level]]

    def of(self, level, value):
        return statistic(self.values(level, value), self.name)

    def row(self, level, value):
        """latency_ms, n, spread"""
        values = self.values(level, value)
        return statistic(values, self.name), len(values), spread(values)

    @property
    def layers(self):
        return range(len(self.levels[1][0].layers))

    def layers_outlast_calls(self):
        deepest = max(self.levels)
        behind = lambda i: self.of(deepest, lambda e: e.latency_of(i)) - self.of(deepest, lambda e: e.host_of(i))
        return any(behind(i) > CLOCK_ERROR_MS for i in self.layers)

    def a2(self):
        """Rows of A2: name, latency_ms, n, spread."""
        deepest = max(self.levels)
        if self.layers_outlast_calls():
            rows = [self.row(deepest, lambda e, i=i: e.latency_of(i)) for i in self.layers]
        else:
            rows = [self.row(1, lambda e, i=i: e.host_of(i)) for i in self.layers]
        return [(layer.name, *row) for layer, row in zip(self.levels[1][0].layers, rows)]

    def a13(self):
        """layer_latency_ms, gpu_ms, non_gpu_ms"""
        of = lambda i: (self.of(3, lambda e: e.latency_of(i)), self.of(3, lambda e: e.gpu_of(i)))
        rows = [of(i) for i in self.layers]
        return [(latency, gpu, latency - gpu) for latency, gpu in rows]

    def kernels(self):
        """Name, layer index and latency_ms, in launch order, as in A8."""
        first = self.levels[3][0]
        layer_of = lambda kernel: next(i for i, s in enumerate(first.layers) if s is kernel.launch.outer("layer"))
        return [(kernel.name, layer_of(kernel), self.of(3, lambda e, k=k: e.kernels[k].duration))
                for k, kernel in enumerate(first.kernels)]  # fmt: skip

    def l1(self):
        """(level_set, event_level, layer_index) to latency_ms, overhead_ms, n, spread."""
        measured = {}
        for level in self.levels:
            measured[level, "model", None] = self.row(level, lambda e: e.latency)
            if level >= 1:
                for i in self.layers:
                    measured[level, "layer", i] = self.row(level, lambda e, i=i: e.host_of(i))
            if level >= 2:
                measured[level, "library", None] = self.row(level, lambda e: e.in_libraries())
        rows = {}
        for (level, event, layer), (latency, n, iqr) in measured.items():
            before = measured.get((level - 1, event, layer))
            rows[NAMES[level], event, layer] = (latency, None if before is None else latency - before[0], n, iqr)
        return rows

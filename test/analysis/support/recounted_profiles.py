"""Recounts, from the files of other tools alone, what the first page says about them: lists of intervals, and their sums. No
code of XSP reads or counts here. Times are ns in the file's own clock, results ms.
"""

import gzip
import json
import os
import sqlite3
import tempfile
from dataclasses import dataclass, field
from statistics import median

MS = 1_000_000
SYNCHRONISES = ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize", "cuStreamSynchronize", "cuCtxSynchronize",
                "cuEventSynchronize")  # fmt: skip


@dataclass
class Span:
    name: str
    begin: int
    end: int
    process: object = None
    thread: object = None
    correlation: int = None
    kind: str = ""


@dataclass
class Profile:
    name: str
    steps: list = field(default_factory=list)
    loaders: list = field(default_factory=list)
    calls: list = field(default_factory=list)  # CUDA API calls
    executions: list = field(default_factory=list)  # kind: kernel, copy, memset
    resolution: int = 1


def read_kineto(path):
    """A file of torch.profiler, of 2021 or later. A process that has only steps runs nothing: its steps are left out."""
    with gzip.open(path, "rt") as file:
        events = [e for e in json.load(file, parse_float=str)["traceEvents"] if e.get("ph") == "X"]

    def ns(text):
        whole, _, part = str(text).partition(".")
        return int(whole) * 1000 + int((part + "000")[:3])

    profile = Profile(os.path.basename(path))
    profile.resolution = 1 if any("." in str(e["ts"]) and str(e["ts"]).rstrip("0")[-1] != "." for e in events) else 1000
    kinds = {"kernel": "kernel", "gpu_memcpy": "copy", "memcpy": "copy", "gpu_memset": "memset", "memset": "memset"}
    operators, steps = set(), []
    for event in events:
        category, arguments = event.get("cat", "").lower(), event.get("args", {})
        span = Span(event["name"], ns(event["ts"]), ns(event["ts"]) + ns(event["dur"]), event["pid"], str(event["tid"]),
                    arguments.get("correlation"))  # fmt: skip
        if category in kinds:
            span.kind = kinds[category]
            profile.executions.append(span)
        elif category in ("cuda_runtime", "cuda_driver", "runtime", "driver"):
            profile.calls.append(span)
        elif span.name.startswith("ProfilerStep#") and category in ("user_annotation", "operator", "cpu_op"):
            steps.append(span)
        elif span.name.startswith("enumerate(DataLoader)#"):
            profile.loaders.append(span)
        if category in ("cpu_op", "operator") and not span.name.startswith("ProfilerStep#"):
            operators.add(span.process)
    profile.steps = sorted((s for s in steps if s.process in operators), key=lambda s: s.begin)
    return profile


def read_nsight(path):
    """An SQLite export of Nsight Systems: executions and calls; it marks no steps."""
    profile = Profile(os.path.basename(path))
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as plain:
        with gzip.open(path) as packed:
            plain.write(packed.read())
        plain.flush()
        database = sqlite3.connect(plain.name)
        names = dict(database.execute("SELECT id, value FROM StringIds"))
        rows = database.execute(
            "SELECT demangledName, start, end, globalPid, deviceId, gridX, gridY, gridZ FROM CUPTI_ACTIVITY_KIND_KERNEL"
        )
        for name, begin, end, process, device, *grid in rows:
            profile.executions.append(Span(f"{names[name]} {grid}", begin, end, process, device, None, "kernel"))
        for table, kind in (("MEMCPY", "copy"), ("MEMSET", "memset")):
            for begin, end, process, device in database.execute(
                f"SELECT start, end, globalPid, deviceId FROM CUPTI_ACTIVITY_KIND_{table}"
            ):
                profile.executions.append(Span(kind, begin, end, process, device, None, kind))
        for name, begin, end in database.execute("SELECT nameId, start, end FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
            profile.calls.append(Span(names[name].rsplit("_v", 1)[0], begin, end))
        database.close()
    profile.executions.sort(key=lambda e: e.begin)
    return profile


def union(intervals):
    """Converts any intervals to disjoint ones in order."""
    joined = []
    for begin, end in sorted((b, e) for b, e in intervals if e > b):
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    return joined


def common(one, other):
    """The intersection of two lists of disjoint intervals in order."""
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        begin, end = max(one[i][0], other[j][0]), min(one[i][1], other[j][1])
        if begin < end:
            found.append([begin, end])
        if one[i][1] < other[j][1]:
            i += 1
        else:
            j += 1
    return found


def length(intervals):
    return sum(end - begin for begin, end in intervals)


def covered(spans):
    return union((s.begin, s.end) for s in spans)


def communicates(execution):
    return execution.kind == "kernel" and "nccl" in execution.name.lower()


def without(spans, others):
    """Where some of `spans` are and none of the others."""
    left = []
    for begin, end in covered(spans):
        at = begin
        for b, e in common([[begin, end]], others):
            left.append([at, b])
            at = e
        left.append([at, end])
    return [[b, e] for b, e in left if e > b]


def communication_of(profile):
    """ms in the whole profile: of communication kernels, and of these with no other kernel beside them."""
    kernels = [e for e in profile.executions if e.kind == "kernel"]
    communication = [e for e in kernels if communicates(e)]
    beside = covered(e for e in kernels if not communicates(e))
    return length(covered(communication)) / MS, length(without(communication, beside)) / MS


def trimmed(values):
    """The report's mean: ⌊n/5⌋ values dropped at either end, of three the median."""
    values = sorted(values)
    drop = 1 if len(values) == 3 else len(values) // 5
    return sum(values[drop : len(values) - drop]) / (len(values) - 2 * drop)


class Recount:
    """Figures of a profile's marked steps, leaving out the first of more than two."""

    def __init__(self, profile):
        self.profile = profile
        self.used = profile.steps[1:] if len(profile.steps) > 2 else profile.steps
        self.n = len(self.used)
        begins = [s.begin for s in self.used]
        differences = [after - before for before, after in zip(begins, begins[1:])]
        self.period = median(differences) / MS if len(differences) > 1 else None
        kernels = [e for e in profile.executions if e.kind == "kernel"]
        self.kernels = covered(kernels)
        if not self.n:
            return
        launched = {c.correlation: c for c in profile.calls}
        beside = covered(e for e in kernels if not communicates(e))
        self.latencies, self.own, self.counts, self.windows = [], [], [], []
        self.communication, self.exposed, self.copies, self.input, self.sync = [], [], [], [], []
        for step in self.used:
            own = [e for e in profile.executions if e.correlation in launched and self._within(launched[e.correlation], step)]
            end = max([step.end] + [e.end for e in own])
            following = [s.begin for s in profile.steps if s.begin > step.begin]
            self.windows.append((step.begin, max([end] + following[:1])))
            self.latencies.append((end - step.begin) / MS)
            self.own.append(length(covered(e for e in own if e.kind == "kernel")) / MS)
            self.counts.append(sum(e.kind == "kernel" for e in own))
            self.communication.append(length(covered(e for e in own if communicates(e))) / MS)
            self.exposed.append(length(without([e for e in own if communicates(e)], beside)) / MS)
            self.copies.append(length(without([e for e in own if e.kind == "copy"], self.kernels)) / MS)
            loading = covered(s for s in profile.loaders if self._within(s, step))
            waiting = covered(c for c in self._waits() if self._within(c, step))
            self.input.append(length(loading) / MS)
            self.sync.append((length(waiting) - length(common(waiting, loading))) / MS)
        self.latency = trimmed(self.latencies)
        windows = union(self.windows)
        busy = length(common(windows, self.kernels))
        self.busy_pct = 100 * busy / length(windows) if kernels else None
        self.idle = (length(windows) - busy) / MS / self.n

    def _within(self, call, step):
        return step.begin <= call.begin and call.end <= step.end

    def _waits(self):
        """Synchronisations, and copies that return when they are done: of pageable memory, and by plain cudaMemcpy."""
        pageable = {e.correlation for e in self.profile.executions if e.kind == "copy" and "Pageable" in e.name}
        for call in self.profile.calls:
            if (
                call.name in SYNCHRONISES
                or call.name == "cudaMemcpy"
                or call.name.startswith("cudaMemcpy")
                and call.correlation in pageable
            ):
                yield call

    @property
    def step(self):
        return self.period or self.latency

    def figures(self):
        """Columns of A1 and A15, and their expected values."""
        times = {"n": self.n, "period_ms": self.period, "latency_ms": self.latency}
        device = {"n": self.n, "gpu_busy_pct": self.busy_pct, "own_kernel_ms": trimmed(self.own), "idle_ms": self.idle,
                  "communication_ms": trimmed(self.communication), "exposed_communication_ms": trimmed(self.exposed),
                  "copy_only_ms": trimmed(self.copies),
                  "input_wait_ms": trimmed(self.input), "sync_wait_ms": trimmed(self.sync)}  # fmt: skip
        return times, device


def loop_period(profile, kernels):
    """The median ms from a kernel to the one `kernels` later, where the sequence repeats: the period of a loop of that many
    kernels, wherever it is taken to begin. And the number of kernels in it."""
    symbols = [e.name for e in profile.executions if e.kind == "kernel"]
    begins = [e.begin for e in profile.executions if e.kind == "kernel"]
    alike = [symbols[i] == symbols[i + kernels] for i in range(len(symbols) - kernels)]
    run = next((i for i in range(len(alike)) if all(alike[i : i + 8 * kernels])), None)
    return (
        median(begins[i + kernels] - begins[i] for i in range(run + kernels, len(alike)) if alike[i]) / MS,
        len(symbols) - run,
    )

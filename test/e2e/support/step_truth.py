"""The true figures of a made program's steps (made_steps.py), added up from what the simulation did: intervals are painted onto
a raster and its cells counted, so that no formula of the program under test is repeated. Results are in ms.
"""

from dataclasses import dataclass
from statistics import median

from .simulated_program import GRAIN, MS


class Raster:
    """Time as a row of cells, each on or off, stored in one integer."""

    def __init__(self, cell, intervals=()):
        self.cell, self.cells = cell, 0
        for begin, end in intervals:
            if end > begin:
                self.cells |= ((1 << (end // cell - begin // cell)) - 1) << (begin // cell)

    def _with(self, cells):
        made = Raster(self.cell)
        made.cells = cells
        return made

    def __and__(self, other):
        return self._with(self.cells & other.cells)

    def __or__(self, other):
        return self._with(self.cells | other.cells)

    def __sub__(self, other):
        return self._with(self.cells & ~other.cells)

    @property
    def ms(self):
        return bin(self.cells).count("1") * self.cell / MS


def trimmed_mean(values):
    """The report's statistic: drops a fifth of the values at either end; the median of three, the mean of fewer."""
    values = sorted(values)
    drop = 1 if len(values) == 3 else len(values) // 5
    kept = values[drop : len(values) - drop]
    return sum(kept) / len(kept)


@dataclass
class StepTruth:
    """One step, or one call of a model."""

    begin: int
    host_end: int
    end: int  # the host's, or that of its last own execution
    kernels: Raster
    communication: float
    exposed: float  # of its communication, with no other kernel running
    copies_alone: float  # of its copies, with no kernel running
    input_wait: float
    sync_wait: float

    @property
    def latency(self):
        return (self.end - self.begin) / MS


class Truth:
    """Figures of all steps that are whole in a recording, or of other calls in it, leaving out the first of more than two.
    `reach`: windows extend to the begin of the next one, as when the host runs ahead."""

    def __init__(self, loop, evaluations=None, reach=True):
        self.recording = recording = loop.recording
        self.cell = max(GRAIN, recording.clock)
        whole = recording.steps if evaluations is None else evaluations
        kernels = [e for e in recording.executions if e.of.kind == "kernel"]
        self.kernels = self._painted(kernels)
        self.compute = self._painted(e for e in kernels if not e.of.communication)
        self.all = [self._step(s) for s in whole]
        self.used = self.all[1:] if len(self.all) > 2 else self.all
        self.n = len(self.used)
        begins = [s.begin for s in whole]
        windows = []
        for step in self.used:
            following = [b for b in begins if b > step.begin]
            windows.append((step.begin, max([step.end] + (following[:1] if reach else []))))
        self.windows = Raster(self.cell, windows)

    def _painted(self, intervals):
        return Raster(self.cell, ((i.begin, i.end) for i in intervals))

    def _step(self, step):
        own = [e for e in self.recording.executions if step.of.begin <= e.of.launched <= step.of.end]
        kernels = [e for e in own if e.of.kind == "kernel"]
        calls = [c for c in self.recording.calls if step.of.begin <= c.of.begin and c.of.end <= step.of.end]
        end = max([step.end] + [e.end for e in own])
        communication = self._painted(e for e in kernels if e.of.communication)
        copies = self._painted(e for e in own if e.of.kind == "gpu_memcpy")
        return StepTruth(step.begin, step.end, end, self._painted(kernels),
                         communication.ms, (communication - self.compute).ms, (copies - self.kernels).ms,
                         self._painted(c for c in calls if c.of.wait == "input").ms,
                         self._painted(c for c in calls if c.of.wait == "sync").ms)  # fmt: skip

    @property
    def period(self):
        begins = [s.begin for s in self.used]
        differences = [later - earlier for earlier, later in zip(begins, begins[1:])]
        return median(differences) / MS if len(differences) >= 2 else None

    @property
    def latency(self):
        return trimmed_mean([s.latency for s in self.used])

    @property
    def step(self):
        """What a step takes: the period, where there is one."""
        return self.period or self.latency

    @property
    def busy_pct(self):
        return 100 * (self.kernels & self.windows).ms / self.windows.ms

    @property
    def idle(self):
        """Time per step in which no kernel runs in the windows, whoever launched it."""
        return (self.windows - self.kernels).ms / self.n

    @property
    def own_kernel(self):
        return trimmed_mean([s.kernels.ms for s in self.used])

    @property
    def communication_ms(self):
        return trimmed_mean([s.communication for s in self.used])

    @property
    def exposed_communication(self):
        return trimmed_mean([s.exposed for s in self.used])

    @property
    def copies_alone(self):
        return trimmed_mean([s.copies_alone for s in self.used])

    @property
    def input_wait(self):
        return trimmed_mean([s.input_wait for s in self.used])

    @property
    def sync_wait(self):
        return trimmed_mean([s.sync_wait for s in self.used])

    def waits_of(self, layer):
        """What a layer of this name waits in a step."""
        waits = []
        for step in self.used:
            calls = [c for c in self.recording.calls if c.of.wait and c.of.layer is not None and c.of.layer.name == layer]
            waits.append(self._painted(c for c in calls if step.begin <= c.begin < step.host_end).ms)
        return trimmed_mean(waits)

    def __str__(self):
        figures = ("period", "latency", "busy_pct", "own_kernel", "idle", "communication_ms", "exposed_communication", "copies_alone",
                   "input_wait", "sync_wait")  # fmt: skip
        values = ((f, getattr(self, f)) for f in figures)
        return f"n {self.n}, " + ", ".join(f"{f} " + ("none" if v is None else f"{v:.4g}") for f, v in values)

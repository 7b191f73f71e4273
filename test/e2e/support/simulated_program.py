"""A simulated host with threads and device with streams: what a program did and when is known exactly, for the tests that
compare a report with it. Times are whole ns; the host's are multiples of GRAIN, so that a raster can count them.

A kernel begins when its launch has reached the device and its stream is free. A launch waits while `queue` earlier ones have
not begun, as with a GPU's launch queue: so a host faster than the device is ahead of it by a bounded time.
"""

import random
from contextlib import contextmanager
from dataclasses import dataclass, field

US, MS = 1000, 1_000_000
GRAIN = 100
MAIN_THREAD, BACKWARD_THREAD = 4000, 4077
COMPUTE, COMMUNICATION = 7, 20
PAGEABLE_TO_DEVICE = "Memcpy HtoD (Pageable -> Device)"
PINNED_TO_DEVICE = "Memcpy HtoD (Pinned -> Device)"
TO_PAGEABLE = "Memcpy DtoH (Device -> Pageable)"


def grains(ns):
    return max(0, round(ns / GRAIN)) * GRAIN


@dataclass
class Call:
    """A span of the host. wait: "" or what it waits for, "input" or "sync". layer: the outermost operator around it, or it."""

    category: str
    name: str
    thread: int
    begin: int
    end: int = 0
    arguments: dict = field(default_factory=dict)
    correlation: int = 0
    wait: str = ""
    step: int = None
    layer: "Call" = None


@dataclass
class Execution:
    kind: str
    name: str
    stream: int
    begin: int
    end: int
    correlation: int
    launched: int
    step: int = None
    bytes: int = 0
    communication: bool = False


@dataclass
class Step:
    """One turn of the program's loop; `number` counts from 0, including those before the recording."""

    number: int
    model: str
    begin: int
    end: int = 0


class Program:
    """ends: the earliest end of the n-th collective, if other ranks determine it (ranks_together)."""

    def __init__(self, seed=1, queue=1024, jitter=0.02, ends=(), begin=50 * MS):
        self.random = random.Random(seed)
        self.queue, self.jitter, self.ends = queue, jitter, ends
        self.now, self.thread = begin, MAIN_THREAD
        self.calls, self.executions, self.steps, self.collectives = [], [], [], []
        self.open, self.free = [], {}
        self.step = None
        self.last_correlation = 100
        self.sequence = 500

    def work(self, us):
        """The host computes for about this long."""
        self.now += grains(us * US * max(0.2, self.random.gauss(1, self.jitter)))

    @contextmanager
    def span(self, category, name, thread=None, wait="", before=0.0, after=0.0, **arguments):
        """before, after: µs of the span before and after its content."""
        outer = self.thread
        self.thread = thread or outer
        layer = next((c.layer for c in self.open if c.layer and c.thread == self.thread), None)
        call = Call(category, name, self.thread, self.now, arguments=arguments, wait=wait, step=self.number, layer=layer)
        if layer is None and (category == "cpu_op" or name.startswith(("enumerate(DataLoader)", "Optimizer."))):
            call.layer = call
        self.calls.append(call)
        self.open.append(call)
        if before:
            self.work(before)
        yield call
        if after:
            self.work(after)
        self.open.pop()
        call.end = self.now
        self.thread = outer

    def operator(self, name, dims=None, types=None, before=6.0, after=3.0, **more):
        arguments = {"Input Dims": dims, "Input type": types or ["float"] * len(dims)} if dims is not None else {}
        return self.span("cpu_op", name, before=before, after=after, **arguments, **more)

    @property
    def number(self):
        return None if self.step is None else self.step.number

    @contextmanager
    def turn(self, model="Net", mark=True):
        """A step of the loop, marked as PyTorch's profiler marks it."""
        self.step = Step(len(self.steps), model, self.now)
        self.steps.append(self.step)
        if mark:
            with self.span("user_annotation", f"ProfilerStep#{self.step.number}"):
                yield
        else:
            yield
        self.step.end = self.now
        self.step = None

    def _called(self, name, begin, wait=""):
        self.last_correlation += 1
        layer = self.open[-1].layer if self.open else None
        self.calls.append(
            Call("cuda_runtime", name, self.thread, begin, self.now, {}, self.last_correlation, wait, self.number, layer)
        )
        return self.last_correlation

    def _execute(self, kind, name, us, stream, begin, **more):
        """Goes to the device, whose stream takes it once free; the call that started it has not ended."""
        start = max(begin, self.free.get(stream, 0))
        execution = Execution(kind, name, stream, start, start + grains(us * US), 0, begin, self.number, **more)
        self.free[stream] = execution.end
        self.executions.append(execution)
        return execution

    def _pass_queue(self):
        if len(self.executions) >= self.queue:
            self.now = max(self.now, self.executions[-self.queue].begin)

    def kernel(self, name, us, stream=COMPUTE):
        begin = self.now
        self._pass_queue()
        execution = self._execute("kernel", name, us, stream, self.now + 4 * US)
        self.work(5)
        execution.correlation = self._called("cudaLaunchKernel", begin)
        execution.launched = begin
        return execution

    def collective(self, name, us, stream=COMMUNICATION, after=COMPUTE):
        """A kernel of all ranks: begins when `after` is done, ends when the last rank's has run for its duration."""
        self.order(after, stream)
        execution = self.kernel(name, us, stream)
        execution.communication = True
        if len(self.collectives) < len(self.ends):
            execution.end = max(execution.end, self.ends[len(self.collectives)])
            self.free[stream] = execution.end
        self.collectives.append((execution, grains(us * US)))
        return execution

    def copy(self, name, us, size, stream=COMPUTE):
        """cudaMemcpyAsync; of pageable memory it returns when the data have been moved."""
        begin = self.now
        execution = self._execute("gpu_memcpy", name, us, stream, self.now + 4 * US, bytes=size)
        blocks = "Pageable" in name
        if blocks:
            self.now = max(self.now, execution.end)
        self.work(4)
        execution.correlation = self._called("cudaMemcpyAsync", begin, "sync" if blocks else "")
        execution.launched = begin
        return execution

    def memset(self, us, size, stream=COMPUTE):
        begin = self.now
        execution = self._execute("gpu_memset", "Memset (Device)", us, stream, self.now + 4 * US, bytes=size)
        self.work(4)
        execution.correlation, execution.launched = self._called("cudaMemsetAsync", begin), begin

    def synchronize(self, call="cudaStreamSynchronize", stream=COMPUTE):
        begin = self.now
        streams = self.free.values() if call == "cudaDeviceSynchronize" else [self.free.get(stream, 0)]
        self.now = max([self.now, *streams])
        self.work(3)
        self._called(call, begin, "sync")

    def runtime_call(self, name, us):
        begin = self.now
        self.work(us)
        self._called(name, begin)

    def order(self, first, second):
        """What is added to stream `second` waits for what is in `first`, as with an event."""
        self.free[second] = max(self.free.get(second, 0), self.free.get(first, 0))


def ranks_together(make, ranks):
    """Programs of all ranks, whose collectives end together: make(rank, ends) runs one. If a rank's wait moves its later
    collectives, all are rerun with the resulting ends, until none moves."""
    ends = []
    for _ in range(200):
        programs = [make(rank, ends) for rank in range(ranks)]
        together = [max(e.begin + us for e, us in each) for each in zip(*(p.collectives for p in programs))]
        if together == ends:
            return programs
        ends = together
    raise RuntimeError("the collectives of the ranks come to no rest")

"""For the tests of D1 to D4: plans of programs that iterate (test/fake_cuda/programs/iterating.c), how they ran, and what
the tables have to say about them by arithmetic.

Streams pause by fake_cuda_pause, so that a plan's times are exact however loaded the machine is; the first pause gives the
host its lead over the device.
"""
import random
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from .fake_cuda import DeviceRun, device_environment, fake, read_truth
from .trace_reader import KERNEL, MEMCPY, MEMSET
from .xsp_e2e import check, check_equal, xsp_run

US = 1000
MS = 1000 * US
LEAD = 250 * MS


class Plan:
    """Lines of a plan. `jitter`: the fraction by which kernel times scatter."""

    def __init__(self, streams=1, jitter=0.02):
        self.lines = [f"streams {streams}"]
        self.streams = streams
        self.steps = 0
        self.jitter = jitter
        self.random = random.Random(7)
        self.pause(LEAD)
        for stream in range(1, streams):
            self.order(0, stream)

    def add(self, *words):
        self.lines.append(" ".join(str(word) for word in words))
        return self

    def step(self):
        self.add("step", self.steps)
        self.steps += 1
        return self

    def end(self):
        return self.add("end")

    def kernel(self, name, us, grid=64, stream=0):
        ns = round(us * US * (1 + self.random.uniform(-self.jitter, self.jitter)))
        return self.add("kernel", stream, *(grid if isinstance(grid, tuple) else (grid, 1, 1)), ns, name)

    def to_device(self, size, stream=0):
        return self.add("to_device", stream, size)

    def to_host(self, size=4, stream=0):
        return self.add("to_host", stream, size)

    def on_device(self, size=4096, stream=0):
        return self.add("on_device", stream, size)

    def memset(self, size=4096, stream=0):
        return self.add("memset", stream, size)

    def pause(self, ns, stream=0):
        return self.add("pause", stream, round(ns))

    def order(self, first, second):
        return self.add("order", first, second)

    def host_waits(self, ns, stream=0):
        """What a host does that waits for the device and then continues: only as exact as the machine allows."""
        return self.add("sync", stream).add("sleep", round(ns))


LAYERS = 6


def forward(plan, layers=LAYERS, us=100, stream=0):
    for layer in range(layers):
        plan.kernel("gemm_forward", us, 32 + layer, stream)
        plan.kernel("void relu<float>(float*, int)", us / 2, 16 + layer, stream)


def backward(plan, layers=LAYERS, us=100, stream=0):
    for layer in reversed(range(layers)):
        plan.kernel("gemm_weights", us, 32 + layer, stream)
        plan.kernel("gemm_inputs", us, 96 + layer, stream)


def update(plan, us=100, stream=0):
    plan.kernel("multi_tensor_apply_adam", us, 320, stream)


def log(plan):
    """Statistics of the weights, some small kernels, and the copy of their result."""
    for layer in range(LAYERS):
        plan.kernel("reduce_norm", 10, 8 + layer)
    plan.to_host(4 * LAYERS)


def train(plan, copied=150_000, host=60 * US, us=100):
    """A step: what the host does, the batch's copy, forward, backward, optimizer, the loss' copy."""
    plan.pause(host).to_device(copied)
    forward(plan, us=us)
    backward(plan, us=us)
    update(plan, us=us)
    plan.to_host()


def evaluate(plan):
    plan.pause(60 * US).to_device(150_000)
    forward(plan)
    plan.kernel("argmax", 20, 4)
    plan.to_host(64)


def training(steps=40, jitter=0.02, **of_step):
    """`of_step`: arguments of train(), each a value or a function of the step's number."""
    plan = Plan(jitter=jitter)
    for number in range(steps):
        train(plan.step(), **{name: v(number) if callable(v) else v for name, v in of_step.items()})
    return plan


@dataclass
class Operation:
    """Something that a program was told to run, and its execution in the trace."""
    step: int
    stream: int
    kind: str
    name: str
    grid: tuple
    bytes: int
    execution: object = None

    @property
    def begin(self):
        return self.execution.begin

    @property
    def end(self):
        return self.execution.end

    @property
    def is_host_copy(self):
        return self.kind == "memcpy" and self.name != "DtoD"


@dataclass
class Step:
    """A step of the program and its operations, in order of begin."""
    number: int
    operations: list = field(default_factory=list)

    @property
    def work(self):
        """The operations of its iteration."""
        return [o for o in self.operations if not o.is_host_copy] or self.operations

    @property
    def begin(self):
        return min(o.begin for o in self.work)

    @property
    def end(self):
        return max(o.end for o in self.work)


class PlannedRun(DeviceRun):
    """`operations`: all, of each process, in order of begin. `steps`: of a process. `written`: what the program wrote."""

    def __init__(self, done, truth, written):
        super().__init__(done, truth)
        self.executed = self.trace.executed(KERNEL, MEMCPY, MEMSET)
        self.written = written
        self.operations = {}
        for pid in dict.fromkeys(line["pid"] for line in written):
            self.operations[pid] = self.operations_of([line for line in written if line["pid"] == pid], pid)

    def operations_of(self, written, pid):
        operations = [Operation(l["step"], l["stream"], l["kind"], l["name"], tuple(l["grid"]), l["bytes"])
                      for l in written if "kind" in l]  # fmt: skip
        given = defaultdict(list)
        for operation in operations:
            given[operation.stream].append(operation)
        ran = defaultdict(list)
        for execution in self.executed:
            if execution.pid == pid:
                ran[execution.stream].append(execution)
        # Streams are numbered in order of creation; idle ones are in neither.
        for planned, stream in zip(sorted(given), sorted(ran)):
            for operation, execution in zip(given[planned], sorted(ran[stream], key=lambda e: (e.begin, e.end))):
                operation.execution = execution
        return sorted((o for o in operations if o.execution), key=lambda o: (o.begin, o.end))

    def steps(self, pid=None):
        found = {}
        for operation in self.operations[pid or next(iter(self.operations))]:
            if operation.step >= 0:
                found.setdefault(operation.step, Step(operation.step)).operations.append(operation)
        return [found[number] for number in sorted(found)]

    def check_as_planned(self, is_whole=True):
        """Checks that what ran is what was planned, and in the trace with the driver's times."""
        if is_whole:
            self.check_success()
            given = sum(len(operations) for operations in self.operations.values())
            check_equal(given, len(self.truth), "operations that were given and that ran")
            check_equal(given, len(self.executed), "operations that were given and that are in the trace")
            for line, execution in self.pairs():  # clock conversion
                check(abs(execution.duration - line["duration"]) <= 2, f"{execution}: {line['duration']} ns in truth")
        for operations in self.operations.values():
            for o in operations:
                name = o.name if o.kind == "kernel" else ""
                grid = "grid=[{},{},{}]".format(*o.grid) if o.kind == "kernel" else ""
                check_equal(o.execution.name if name else "", name, "name of what ran")
                check(grid in o.execution.configuration, f"{o}: its grid")
                if o.kind != "kernel":
                    check_equal(o.execution.bytes, o.bytes, f"bytes of {o}")
        return self


def run_plan(plan, options=(), wrap=(), **environment):
    """The plan, or several at once, under xsp-run."""
    plans = plan if isinstance(plan, list) else [plan]
    for path in ("truth.log", "written.log"):
        Path(path).unlink(missing_ok=True)
    for i, each in enumerate(plans):
        Path(f"plan{i}").write_text("\n".join(each.lines) + "\n")
    command = [fake("iterating"), "plan0", "written.log"]
    if len(plans) > 1:
        runs = " ".join(f"'{command[0]}' plan{i} written{i}.log &" for i in range(len(plans)))
        command = ["sh", "-c", f"{runs} wait; cat written?.log > written.log"]
    done = xsp_run(*wrap, *command, options=options, env=device_environment(**environment))
    return PlannedRun(done, read_truth(), read_truth("written.log"))

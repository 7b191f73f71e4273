"""Recordings made from real operations: steps of real programs, recombined with known times, deviations and faults,
and written as PyTorch's profiler writes them. A case says what D1 and D4 have to find in it.
"""
import gzip
import json
import os
import random
import sqlite3
import tempfile
from dataclasses import dataclass, field, replace

WORK = {"kernel": "kernel", "memcpy": "copy", "gpu_memcpy": "copy", "memset": "memset", "gpu_memset": "memset"}


@dataclass
class Operation:
    begin: float  # µs, within its step until it is placed
    duration: float
    kind: str  # kernel, HtoD, DtoH, DtoD, memset
    name: str
    grid: tuple = (1, 1, 1)
    stream: int = 7
    bytes: int = 0

    @property
    def end(self):
        return self.begin + self.duration

    @property
    def of_host(self):
        return self.kind in ("HtoD", "DtoH")


def copy(kind, duration, size, stream=7):
    return Operation(0, duration, kind, "", stream=stream, bytes=size)


class Recordings:
    """Operations of one step of each program, without the time between them."""

    def __init__(self, data):
        self.data = data

    @property
    def there(self):
        return all(os.path.exists(os.path.join(self.data, name)) for name in (
            "kineto/resnet50_v100_workers0_a.json.gz", "kineto/tl_vit_h100.json.gz", "kineto/hta_sampled_rank0.json.gz",
            "nsys/mxnet_v100_model11_b1.sqlite.gz", "nsys/mxnet_v100_model17_b1.sqlite.gz"))  # fmt: skip

    def kineto(self, name):
        with gzip.open(os.path.join(self.data, "kineto", name + ".json.gz")) as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("ph") == "X" and e.get("cat", "").lower() in WORK]
        operations = []
        for event in sorted(events, key=lambda event: event["ts"]):
            kind = WORK[event["cat"].lower()]
            if kind == "copy":
                kind = event["name"].split()[1]
            of = event["args"]
            operations.append(Operation(event["ts"], max(event["dur"], 0.5), kind, event["name"], tuple(of.get("grid", (1, 1, 1))),
                                        of["stream"], of.get("bytes", 0)))  # fmt: skip
        return operations

    def nsys(self, name):
        """Kernels."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "profile")
            with gzip.open(os.path.join(self.data, "nsys", name + ".sqlite.gz")) as packed, open(path, "wb") as file:
                file.write(packed.read())
            rows = sqlite3.connect(path).execute(
                "select start, end, value, gridX, gridY, gridZ from CUPTI_ACTIVITY_KIND_KERNEL join StringIds "
                "on demangledName = id order by start").fetchall()  # fmt: skip
        return [Operation(b / 1000, (e - b) / 1000, "kernel", n, (x, y, z)) for b, e, n, x, y, z in rows]

    def resnet(self):
        step = self.kineto("resnet50_v100_workers0_a")[1516 * 2 : 1516 * 3]
        assert [o.kind for o in step[:3]] == ["HtoD", "HtoD", "kernel"]
        return step

    def mxnet_resnet(self):
        return self.nsys("mxnet_v100_model17_b1")[-288:]

    def lenet(self):
        return self.nsys("mxnet_v100_model11_b1")[-28:]

    def vit(self):
        """(what precedes the layers, one layer of twelve, what follows)."""
        kernels = [o for o in self.kineto("tl_vit_h100") if o.kind == "kernel"]
        first = next(i for i, o in enumerate(kernels) if [p.name for p in kernels[i : i + 12]] == [p.name for p in kernels[i + 12 : i + 24]])
        return kernels[:first], kernels[first : first + 12], kernels[first + 144 :]

    def distributed(self):
        return self.kineto("hta_sampled_rank0")


@dataclass
class Case:
    kind: str
    seed: int
    processes: list = field(default_factory=list)  # lists of operations
    counts: list = field(default_factory=list)  # allowed results at level 0: tuples of loop counts
    inner: tuple = ()  # allowed sums at level 1; (): not checked
    begins: list = field(default_factory=list)  # of the first process: begins of the steps
    slack: int = 1  # operations between an iteration's begin and the step's
    found: set = None  # diagnoses; None: not checked
    least_begins: float = 1.0  # minimum share of the steps where an iteration begins, too


class Maker:
    """Puts steps one after another."""

    def __init__(self, rng, inside=0.04, between=0.06, jitter=0.03, slow=0.02):
        self.rng, self.inside, self.between, self.jitter, self.slow = rng, inside, between, jitter, slow
        self.operations, self.begins, self.at = [], [], 1000.0

    def step(self, base, interval=None, pace=1.0, before=(), beside=(), counts=True):
        """`before`: what runs in the interval; `beside`: operations whose begins are fractions of the step. `interval` and
        the gaps are fractions of the step's duration."""
        pace *= self.rng.lognormvariate(0, self.slow)
        nominal = sum(o.duration for o in base)
        gap = nominal * self.inside / len(base)
        self.at += nominal * (self.between if interval is None else interval) * self.rng.lognormvariate(0, self.jitter)
        for o in before:
            self.operations.append(replace(o, begin=self.at))
            self.at += o.duration * self.rng.lognormvariate(0, self.jitter) + gap
        start = self.at
        begun = False
        for o in base:
            duration = o.duration * pace * self.rng.lognormvariate(0, self.jitter)
            self.operations.append(replace(o, begin=self.at, duration=duration))
            if counts and not begun and not o.of_host:
                begun = True
                self.begins.append(self.at)
            self.at += duration + gap * self.rng.expovariate(1)
        for o in beside:
            self.operations.append(replace(o, begin=start + o.begin * (self.at - start)))

    def done(self):
        self.operations.sort(key=lambda o: o.begin)
        return self.operations


def varied(step, share, rng, others):
    """Drops, inserts or renames some operations."""
    result = []
    for o in step:
        if rng.random() >= share:
            result.append(o)
            continue
        what = rng.randrange(3)
        if what == 1:
            result += [o, replace(rng.choice(others), stream=o.stream)]
        elif what == 2:
            result.append(replace(o, name=f"variant {rng.randrange(5)} of {o.name}"))
    return result


def regridded(step, share, rng):
    return [replace(o, grid=(o.grid[0] + 1, *o.grid[1:])) if o.kind == "kernel" and rng.random() < share else o for o in step]


class Cases:
    """All kinds of cases, by seed."""

    def __init__(self, recordings):
        self.steps = {"resnet": recordings.resnet(), "mxnet": recordings.mxnet_resnet(), "lenet": recordings.lenet()}
        self.embedding, self.layer, self.head = recordings.vit()
        self.steps["vit"] = self.embedding + self.layer * 12 + self.head
        self.distributed = recordings.distributed()
        self.others = self.steps["lenet"] + self.layer + [o for o in self.distributed if o.kind == "kernel"][:200]
        self.kinds = [name[5:] for name in dir(self) if name.startswith("make_")]

    def make(self, kind, seed):
        rng = random.Random(f"{kind} {seed}")
        return getattr(self, "make_" + kind)(Case(kind, seed), rng)

    def base(self, rng, names=("lenet", "mxnet", "vit", "resnet")):
        return self.steps[rng.choice(names)]

    def many(self, base, rng, most=60):
        return rng.randint(8, max(12, min(most, 12000 // len(base))))

    def simple(self, case, maker, found=frozenset()):
        case.processes, case.begins = [maker.done()], maker.begins
        case.counts = case.counts or [(len(maker.begins),)]
        case.found = None if found is None else set(found)
        return case

    def make_plain(self, case, rng):
        base = self.base(rng)
        maker = Maker(rng, jitter=rng.choice((0.01, 0.1, 0.3)))
        for _ in range(self.many(base, rng)):
            maker.step(base)
        return self.simple(case, maker)

    def make_cut(self, case, rng):
        base = self.base(rng)
        maker = Maker(rng)
        n = self.many(base, rng)
        for _ in range(n):
            maker.step(base)
        operations = maker.done()
        first, last = rng.randrange(1, len(base)), rng.randrange(1, len(base))
        case.processes = [operations[first : len(operations) - last]]
        # As many as there are whole periods, which may begin elsewhere than the steps.
        case.counts = [((len(operations) - first - last) // len(base),)]
        case.found = set()
        return case

    def vary(self, case, rng, share):
        base = self.base(rng)
        maker = Maker(rng)
        for _ in range(self.many(base, rng)):
            step = varied(base, share, rng, self.others)
            maker.step(base[:1] + step[1:] if step and step[0] is base[0] else base[:1] + step)
        case.slack = 2
        return self.simple(case, maker, None)

    def make_varied_0_1(self, case, rng):
        return self.vary(case, rng, 0.001)

    def make_varied_1(self, case, rng):
        return self.vary(case, rng, 0.01)

    def make_varied_5(self, case, rng):
        return self.vary(case, rng, 0.05)

    def make_varied_10(self, case, rng):
        return self.vary(case, rng, 0.1)

    def make_varied_20(self, case, rng):
        return self.vary(case, rng, 0.2)

    def make_last_batch(self, case, rng):
        """The last step has other grids: for all kernels it is no iteration of the loop, for some it is."""
        base = self.base(rng)
        share = rng.choice((0.2, 0.5, 1.0))
        maker = Maker(rng)
        n = self.many(base, rng)
        for _ in range(n - 1):
            maker.step(base)
        maker.step(regridded(base, share, rng), pace=0.7)
        case.counts = [(n,)] if share == 0.2 else [(n,), (n - 1,)]
        case.least_begins = (n - 1) / n
        return self.simple(case, maker, None)

    def make_evaluation(self, case, rng):
        """Epochs of training, each followed by evaluation: the forward part of the step."""
        base = self.base(rng, ("lenet", "mxnet", "vit"))
        forward = base[: len(base) * 2 // 5] + [copy("DtoH", 2, 4)]
        epochs, train, evaluate = rng.randint(2, 4), rng.randint(8, 20), rng.randint(4, 8)
        maker = Maker(rng)
        for _ in range(epochs):
            for _ in range(train):
                maker.step(base)
            for _ in range(evaluate):
                maker.step(forward)
        case.counts = [(epochs * train, epochs * evaluate), (epochs * evaluate, epochs * train)]
        return self.simple(case, maker, None)

    def make_log(self, case, rng):
        base = self.base(rng, ("lenet", "mxnet", "vit"))
        every, n = rng.choice((5, 10)), self.many(base, rng) + 30
        line = [copy("DtoH", 2, 4), *(replace(o, duration=2) for o in rng.sample(self.layer, 2))]
        maker = Maker(rng)
        for i in range(n):
            maker.step(base + (line if i % every == every - 1 else []))
        return self.simple(case, maker, {"periodic_work"})

    def make_prefetch(self, case, rng):
        """The next input is copied on another stream while the step runs, at any point of it."""
        base = self.base(rng)
        maker = Maker(rng)
        took = sum(o.duration for o in base)
        for _ in range(self.many(base, rng)):
            copies = [replace(copy("HtoD", took * 0.02, 600_000, 20), begin=rng.uniform(0.05, 0.9)) for _ in range(2)]
            maker.step(base, beside=copies)
        case.slack = 2
        return self.simple(case, maker)

    def make_two_streams(self, case, rng):
        """A second stream whose operations come sometimes before, sometimes after those of the first."""
        base = self.base(rng)
        second = [replace(o, stream=14) for o in rng.sample(self.others, 12)]
        places = sorted(rng.uniform(0.1, 0.85) for _ in second)
        maker = Maker(rng)
        for _ in range(self.many(base, rng)):
            maker.step(base, beside=[replace(o, begin=p + rng.gauss(0, 0.01)) for o, p in zip(second, places)])
        return self.simple(case, maker)

    def make_nccl(self, case, rng):
        """All-reduces on a stream of their own beside the backward part, the last of them beyond the step's end."""
        base = self.base(rng)
        reduce = replace(next(o for o in self.distributed if "nccl" in o.name.lower()), stream=30)
        took = sum(o.duration for o in base)
        maker = Maker(rng)
        for _ in range(self.many(base, rng)):
            parts = [replace(reduce, begin=p + rng.gauss(0, 0.003), duration=took * 0.04) for p in (0.5, 0.65, 0.8, 0.95)]
            maker.step(base, beside=parts)
        return self.simple(case, maker)

    def make_graph_bursts(self, case, rng):
        """Launched as a whole: no time between operations, and only a little between steps."""
        base = self.base(rng)
        maker = Maker(rng, inside=0.0, between=0.005, jitter=0.01)
        for _ in range(self.many(base, rng)):
            maker.step(base)
        return self.simple(case, maker)

    def make_micro_batches(self, case, rng):
        base = self.base(rng, ("lenet", "mxnet"))
        update = rng.sample(self.others, max(len(base) // 8, 6))
        micro, n = rng.choice((2, 4, 8)), rng.randint(6, 20)
        maker = Maker(rng)
        for _ in range(n):
            for i in range(micro):
                maker.step(base, interval=0.08 if i == 0 else 0.02, counts=i == 0)
            for o in update:
                maker.operations.append(replace(o, begin=maker.at))
                maker.at += o.duration + 0.2
        case.inner = (n * micro,)
        return self.simple(case, maker)

    def make_generation(self, case, rng):
        """Requests: a prefill with large grids, then a hundred decode steps whose attention grows."""
        requests = rng.choice((1, 4))
        maker = Maker(rng)
        grown = lambda o, by: replace(o, grid=(o.grid[0], o.grid[1] * by, 1 + o.grid[2]))
        starts = []
        for _ in range(requests):
            maker.step([grown(o, 64) for o in self.embedding + self.layer * 4 + self.head], interval=0.3, counts=False)
            starts.append(len(maker.begins))
            for token in range(100):
                layer = [replace(o, grid=(o.grid[0], o.grid[1], 2 + token // 16)) if "flash" in o.name else o for o in self.layer]
                maker.step(self.embedding[:3] + layer * 4 + self.head[:2])
        if requests == 1:
            case.counts = [(100,)]
            return self.simple(case, maker, None)
        case.counts, case.inner = [(requests,), (100 * requests,)], (100 * requests, 400 * requests)
        self.simple(case, maker, None)
        case.begins = []
        return case

    def make_layers(self, case, rng):
        layers, n = rng.choice((6, 12, 24)), rng.randint(4, 20)
        maker = Maker(rng)
        for _ in range(n):
            maker.step(self.embedding + self.layer * layers + self.head)
        case.inner = (n * layers,)
        return self.simple(case, maker)

    def make_two_models(self, case, rng):
        """Two models alternate: both together are the iteration."""
        one, other = (self.steps[name] for name in rng.sample(("lenet", "mxnet", "vit"), 2))
        n = rng.randint(6, 20)
        maker = Maker(rng)
        for _ in range(n):
            maker.step(one)
            maker.step(other, interval=0.01, counts=False)
        return self.simple(case, maker)

    def make_stretches(self, case, rng):
        """One model for a while, then another."""
        one, other = (self.steps[name] for name in rng.sample(("lenet", "mxnet", "vit"), 2))
        n, m = rng.randint(8, 20), rng.randint(8, 20)
        maker = Maker(rng)
        for i in range(n + m):
            maker.step(one if i < n else other)
        case.counts = [(n, m), (m, n)]
        return self.simple(case, maker, None)

    def make_buckets(self, case, rng):
        """Inputs of a few lengths in random order: the same kernels, most of them with the grid of the length."""
        base = self.base(rng)
        of_length = [[replace(o, grid=(o.grid[0] + length, *o.grid[1:])) if o.kind == "kernel" and i % 5 < 3 else o
                      for i, o in enumerate(base)] for length in range(rng.choice((2, 4)))]  # fmt: skip
        maker = Maker(rng, slow=0.1)
        for _ in range(self.many(base, rng) + 10):
            maker.step(rng.choice(of_length))
        return self.simple(case, maker, None)

    def make_depths(self, case, rng):
        """Each step has a different number of inner repeats."""
        maker = Maker(rng)
        for _ in range(rng.randint(10, 40)):
            maker.step(self.embedding + self.layer * rng.randint(4, 12) + self.head, interval=0.1)
        return self.simple(case, maker, None)

    def make_checkpoints(self, case, rng):
        """Every 20th step the weights are copied to the host."""
        base = self.base(rng, ("lenet", "mxnet", "vit"))
        weights = [copy("DtoH", 5, rng.choice((1, 64, 256)) * 4096) for _ in range(40)]
        maker = Maker(rng)
        for i in range(80):
            maker.step(base + (weights if i % 20 == 19 else []))
        return self.simple(case, maker, None)

    def make_turns(self, case, rng):
        """One network several times, then the other, as a GAN is trained: all of it is the iteration."""
        one, other = (self.steps[name] for name in rng.sample(("lenet", "mxnet", "vit"), 2))
        n, turns = rng.randint(8, 20), rng.randint(2, 5)
        maker = Maker(rng)
        for _ in range(n):
            for turn in range(turns):
                maker.step(one, interval=0.06 if turn == 0 else 0.02, counts=turn == 0)
            maker.step(other, interval=0.02, counts=False)
        return self.simple(case, maker)

    def make_few(self, case, rng):
        base = self.base(rng)
        maker = Maker(rng)
        for _ in range(rng.choice((2, 3, 4))):
            maker.step(base)
        return self.simple(case, maker, None)

    def make_split_streams(self, case, rng):
        """Two streams run side by side throughout the step, each at its own pace."""
        base = self.base(rng, ("lenet", "mxnet", "vit"))
        beside = self.steps["lenet"][:20]
        maker = Maker(rng)
        for _ in range(self.many(base, rng)):
            pace = rng.lognormvariate(0, 0.1)
            maker.step(base, beside=[replace(o, begin=min(0.9, (0.1 + 0.035 * i) * pace), stream=9) for i, o in enumerate(beside)])
        case.slack = 2
        return self.simple(case, maker)

    def make_ranks(self, case, rng):
        base = self.base(rng)
        n = self.many(base, rng)
        for _ in range(2):
            maker = Maker(rng)
            for _ in range(n):
                maker.step(base)
            case.processes.append(maker.done())
            case.begins = case.begins or maker.begins
        case.counts, case.found = [(n,)], set()
        return case

    def make_shuffled(self, case, rng):
        """The operations of steps in random order: no loop."""
        base = self.base(rng)
        operations = base * rng.randint(1, max(2, 3000 // len(base)))
        rng.shuffle(operations)
        maker = Maker(rng)
        maker.step(operations)
        case.counts = [()]
        case.processes, case.found = [maker.done()], set()
        return case

    def make_random(self, case, rng):
        """Random operations, some more often than others: no loop."""
        pool = rng.sample(self.others, rng.choice((5, 20, 80)))
        weights = [1 / (1 + i) for i in range(len(pool))]
        maker = Maker(rng)
        maker.step(rng.choices(pool, weights, k=rng.choice((300, 3000))))
        case.counts = [()]
        case.processes, case.found = [maker.done()], set()
        return case

    def make_initialisation(self, case, rng):
        """Weights made and copied, each of its own size: no loop."""
        maker = Maker(rng)
        operations = []
        kernels = [o for o in self.others if o.kind == "kernel"]
        for i in range(rng.randint(60, 200)):
            size = rng.choice((64, 128, 256, 512)) * rng.choice((1, 3, 64, 128, 576, 1152))
            operations.append(rng.choice((copy("HtoD", 1 + size / 1e5, 4 * size), Operation(0, 2, "memset", "Memset (Device)"))))
            for _ in range(rng.choice((0, 1, 1, 2, 5))):
                operations.append(replace(rng.choice(kernels[:40]), grid=(1 + size // 256, 1, 1)))
        maker.step(operations)
        case.counts = [()]
        case.processes, case.found = [maker.done()], set()
        return case

    def faulty(self, case, rng, found, jitter=(0.01, 0.05, 0.15), inside=0.04, **by_step):
        """A loop; `by_step`: arguments of the step by its number."""
        base = self.base(rng, ("lenet", "mxnet", "vit"))
        n = rng.choice((24, 40, 80) if len(base) > 100 else (24, 40, 80, 300))
        maker = Maker(rng, jitter=rng.choice(jitter), inside=inside)
        for i in range(n):
            maker.step(base, **{name: value(i, n, base) for name, value in by_step.items()})
        return self.simple(case, maker, found)

    def make_fault_none(self, case, rng):
        return self.faulty(case, rng, (), jitter=(0.05, 0.2, 0.4))

    def make_fault_stall(self, case, rng):
        return self.faulty(case, rng, {"input_stall"}, interval=lambda i, n, base: 1.5 if i % 7 == 6 else 0.06)

    def make_fault_growth(self, case, rng):
        return self.faulty(case, rng, {"graph_growth"}, interval=lambda i, n, base: 0.05 + 0.5 * i / n)

    def make_fault_drift(self, case, rng):
        return self.faulty(case, rng, {"drift"}, pace=lambda i, n, base: 1 + 0.6 * i / n)

    def make_fault_copy(self, case, rng):
        large = lambda i, n, base: [copy("HtoD", 0.4 * sum(o.duration for o in base), 50_000_000)]
        return self.faulty(case, rng, {"copy_bound"}, before=large)

    def make_fault_slow_third(self, case, rng):
        """A one-time step in durations is no growth."""
        return self.faulty(case, rng, (), pace=lambda i, n, base: 1.4 if 3 * i >= 2 * n else 1)

    def make_fault_outlier(self, case, rng):
        at = rng.randint(10, 20)
        return self.faulty(case, rng, {"outliers"}, pace=lambda i, n, base: max(4, n * 0.04) if i == at else 1)

    def make_fault_host(self, case, rng):
        return self.faulty(case, rng, {"host_bound"}, interval=lambda i, n, base: 0.8)

    def make_fault_launch(self, case, rng):
        return self.faulty(case, rng, {"launch_bound"}, inside=1.0, interval=lambda i, n, base: 0.15)

    def make_fault_warm_up(self, case, rng):
        return self.faulty(case, rng, {"warm_up"}, pace=lambda i, n, base: (4, 2, 1.5)[i] if i < 3 else 1)


CATEGORY = {"kernel": "kernel", "memset": "gpu_memset"}
COPY_NAMES = {"HtoD": "Memcpy HtoD (Pageable -> Device)", "DtoH": "Memcpy DtoH (Device -> Pageable)", "DtoD": "Memcpy DtoD (Device -> Device)"}


def write_profile(operations, path, rank=None, configurations=True):
    """One file of PyTorch's profiler; one with a rank is a process of its own."""
    events = []
    for i, o in enumerate(operations):
        args = {"device": 0, "context": 1, "stream": o.stream, "correlation": i + 1}
        if o.kind == "kernel":
            if configurations:
                args.update(grid=list(o.grid), block=[256, 1, 1])
        else:
            args["bytes"] = o.bytes
        events.append({"ph": "X", "cat": CATEGORY.get(o.kind, "gpu_memcpy"), "name": COPY_NAMES.get(o.kind, o.name), "pid": 0,
                       "tid": o.stream, "ts": round(o.begin, 3), "dur": round(o.duration, 3), "args": args})  # fmt: skip
    whole = {"schemaVersion": 1, "traceEvents": events}
    if rank is not None:
        whole["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": 2}
    with open(path, "w") as file:
        json.dump(whole, file)

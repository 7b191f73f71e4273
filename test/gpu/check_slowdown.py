"""Checks: what each level costs a step, beside torch.profiler, and the memory it takes. All variants live at once and run
blocks of steps in turn, so that whatever changes on the machine changes for all.
"""
import json
import queue
import statistics
import subprocess
import threading
import time

VARIANTS = {
    "bare": None,
    "torch.profiler": None,
    "model": ["--level", "model"],
    "layer": ["--level", "layer"],
    "library": ["--level", "library"],
    "kernel": ["--level", "kernel"],
    "default": [],
}
BATCHES = [(1, 20), (64, 10)]  # and steps a block: bound by launches, bound by the device
ROUNDS = 12
START_S, BLOCK_S = 120, 30
LARGEST_LIBRARY = 0.02
NOISE = 0.01  # of the comparison with torch.profiler, where that costs next to nothing


class VariantError(Exception):
    pass


class Variant:
    """A program that runs a block of steps whenever it is told to."""

    def __init__(self, acceptance, name, model):
        self.name = name
        command = acceptance.program("torch_blocks.py", "--model", model, "--device", acceptance.device,
                                     *(["--profiler"] if name == "torch.profiler" else []))
        if VARIANTS[name] is not None:
            command = acceptance.xsp_command(acceptance.work / f"slowdown-{name}.pb", command, *VARIANTS[name])
        self.errors = open(acceptance.work / f"slowdown-{name}.stderr", "w+", encoding="utf-8", errors="replace")
        self.process = acceptance.running.start(f"slowdown-{name}", command, acceptance.environment(XSP_GPU_TURN=""),
                                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.lines.put(line)
        self.lines.put(None)

    def ask(self, request, timeout):
        try:
            if request:
                self.process.stdin.write(request + "\n")
                self.process.stdin.flush()
            line = self.lines.get(timeout=timeout)
            return json.loads(line)
        except (OSError, ValueError, queue.Empty, TypeError) as error:
            self.errors.seek(0)
            last = self.errors.read().strip().splitlines()[-1:] or [f"{type(error).__name__}"]
            raise VariantError(f"{self.name}: no answer to '{request or 'start'}': {last[0][:200]}") from error


def run(acceptance, verdicts, model="resnet50"):
    variants, ratios, memory = start(acceptance, verdicts, model), {}, {}
    if "bare" not in variants:
        for variant in variants.values():
            acceptance.running.end(variant.process)
        verdicts.skip(model, "the program does not run without XSP")
        return
    try:
        for batch, steps in BATCHES if acceptance.has_gpu else [(1, 3)]:
            times = measure(acceptance, verdicts, variants, batch, steps)
            ratios[batch] = {name: slowdown(times[name], times["bare"]) for name in times}
            bare_ms = statistics.median(x for x in times["bare"] if x)
            judge_batch(acceptance, verdicts, f"{model}, batch {batch}", ratios[batch], bare_ms)
        for name, variant in variants.items():
            try:
                memory[name] = variant.ask("memory", BLOCK_S)
            except VariantError:
                continue
        tell_memory(verdicts, model, memory)
    finally:
        for variant in variants.values():
            try:
                variant.process.stdin.close()
            except OSError:
                pass
        time.sleep(1)
        for variant in variants.values():
            acceptance.running.end(variant.process)


def start(acceptance, verdicts, model):
    variants = {name: Variant(acceptance, name, model) for name in VARIANTS}
    for name in list(variants):
        try:
            variants[name].ask("", START_S)
        except VariantError as error:
            drop(acceptance, verdicts, variants, name, error)
    return variants


def drop(acceptance, verdicts, variants, name, error):
    verdicts.fail(f"{name}: runs", "steps", error)
    acceptance.running.end(variants.pop(name).process)


def measure(acceptance, verdicts, variants, batch, steps):
    """Variant -> median step time of each round; the first two rounds are warm-up. The order turns with the rounds."""
    times = {name: [] for name in variants}
    rounds = ROUNDS if acceptance.has_gpu else 2
    for i in range(rounds + 2):
        names = list(variants)
        names = names[i % len(names):] + names[: i % len(names)]
        for name in names:
            try:
                answer = variants[name].ask(f"steps {batch} {steps}", BLOCK_S)
            except VariantError as error:
                drop(acceptance, verdicts, variants, name, error)
                times.pop(name)
                if name == "bare":
                    raise
                continue
            if i >= 2:
                times[name].append(statistics.median(answer["ms"]))
    return times


def slowdown(times, bare):
    """Median over the rounds of the time over that of the bare program in the same round, less 1."""
    return statistics.median(a / b for a, b in zip(times, bare)) - 1


def judge_batch(acceptance, verdicts, subject, ratios, bare_ms):
    shown = {name: f"{100 * ratio:+.2f} %" for name, ratio in ratios.items()}
    if not acceptance.has_gpu:
        for name in ("library", "kernel"):
            verdicts.not_seen(f"{subject}: {name} level", "see doc/gpu-acceptance.md", f"{shown.get(name)} on a CPU")
        return
    verdicts.fact(f"{subject}: bare step", f"{bare_ms:.3f} ms")
    for name in ("model", "layer", "default", "torch.profiler"):
        if name in ratios:
            verdicts.fact(f"{subject}: {name}", shown[name])
    if "library" in ratios:
        verdicts.judge(f"{subject}: library level", "<= 2 %", shown["library"], ratios["library"] <= LARGEST_LIBRARY,
                       "it costs more")
    if "kernel" in ratios and "torch.profiler" in ratios:
        limit = max(ratios["torch.profiler"] / 2, NOISE)
        verdicts.judge(f"{subject}: kernel level", f"<= {100 * limit:.2f} % (half of torch.profiler's)", shown["kernel"],
                       ratios["kernel"] <= limit, f"torch.profiler costs {shown['torch.profiler']}")


def tell_memory(verdicts, subject, memory):
    if "bare" not in memory:
        return
    own = lambda name: (memory[name]["RssAnon"] + memory[name]["RssShmem"] - memory["bare"]["RssAnon"] -
                        memory["bare"]["RssShmem"]) / 1e6
    for name in ("library", "torch.profiler"):
        if name in memory:
            verdicts.fact(f"{subject}: memory, {name}", f"{own(name):+.1f} MB over bare")
    if "kernel" in memory:
        # What of it is CUPTI's own has to be seen before anything can be asked.
        verdicts.fact(f"{subject}: memory, kernel level", f"{own('kernel'):+.1f} MB over bare, of anonymous and shared memory, "
                      f"CUPTI's own included")

"""Checks: a step of a PyTorch model, as XSP and as torch.profiler see it, in two runs of the same program."""
import json

import comparison
import kineto
import trace_rules
from report import ReportError

TIMEOUT_S = 150  # the first import of PyTorch on a cold disk takes most of a minute
WARMUP, STEPS, BATCH = 3, 6, 8
STEP_ARGUMENTS = ["--warmup", WARMUP, "--steps", STEPS, "--batch", BATCH]
LEAST_AGREEMENT = 0.99
NO_KERNELS = "torch.profiler saw no kernel"


class Reference:
    """What torch.profiler saw."""

    def __init__(self, prefix, rank=""):
        self.steps = comparison.usual_steps(kineto.read_steps(f"{prefix}.plain.json{rank}"))
        self.stack_steps = kineto.read_steps(f"{prefix}.stack.json{rank}")
        with open(f"{prefix}.json{rank}", encoding="utf-8") as file:
            self.result = json.load(file)
        self.leaves = self.result.get("leaves", [])

    @property
    def names(self):
        """Of a step's kernels. A graph that was made before the profiler came may show none: it launches what the eager
        model does.
        """
        for steps in (self.steps, self.stack_steps[-1:]):
            if steps and steps[0].kernels:
                return [kernel.name for kernel in steps[0].kernels]
        return []

    def total_ms(self):
        total = comparison.step_total_us(self.steps)
        return None if total is None else total / 1000

    def kernels_in_layers(self):
        """(kernel name, qualified name of its module) of a step of the eager model."""
        step = self.stack_steps[-1] if self.stack_steps else None
        if step is None or len(step.leaves) != len(self.leaves):
            return []
        return [(kernel.name, None if kernel.leaf is None else self.leaves[kernel.leaf]) for kernel in step.kernels]


def program(acceptance, model, mode, *more):
    return acceptance.program("torch_steps.py", "--model", model, "--mode", mode, "--device", acceptance.device,
                              *STEP_ARGUMENTS, *more)


def report_options(mode):
    """Of the tables of the steps: in graph mode of the replays, not of the eager warm-up."""
    return ["--skip", WARMUP, "--stat", "median", *(["--model", "Replay"] if mode == "graph" else [])]


def run_reference(acceptance, name, model, mode, timeout, *more):
    prefix = acceptance.work / f"{name}-profiler"
    outcome = acceptance.run(f"{name}-profiler", program(acceptance, model, mode, "--profile", prefix, "--result",
                                                         f"{prefix}.json", *more), timeout)
    return outcome, prefix


def run(acceptance, verdicts, model, mode):
    subject = model
    name = f"{mode}-{model}"
    if mode == "graph" and not acceptance.has_gpu:
        verdicts.not_seen(subject, "kernels as torch.profiler's", "CUDA graphs need a GPU")
        return
    outcome, prefix = run_reference(acceptance, name, model, mode, TIMEOUT_S)
    if not outcome.good:
        verdicts.skip(subject, f"without XSP: {outcome.why()}")
        return
    reference = Reference(prefix)
    traced, trace = acceptance.profile(name, program(acceptance, model, mode), "--level", "kernel", timeout=TIMEOUT_S)
    if not traced.good or trace is None:
        verdicts.fail(f"{subject}: runs under xsp-run", "exit status 0 and a trace", traced.why())
        return
    if mode == "eager":
        verdicts.judge(f"{subject}: result", "as without XSP", "the same" if traced.stdout == outcome.stdout else
                       "another", traced.stdout == outcome.stdout, "the digests of the result differ")
        judge_layer_names(acceptance, verdicts, subject, trace, reference)
    tables = acceptance.tables(trace, trace_rules.TABLES, *report_options(mode))
    if not reference.names:
        verdicts.not_seen(f"{subject}: kernels", "as torch.profiler's", NO_KERNELS)
        return
    judge_kernels(verdicts, subject, tables, reference)
    judge_layers(verdicts, subject, mode, tables, reference)
    trace_rules.judge_identity(verdicts, subject, tables)
    if mode != "graph":  # a replay's layers are those of another model call: they have no latency in it
        trace_rules.judge_layer_sums(verdicts, subject, tables)
    trace_rules.judge_quality(verdicts, subject, tables)
    devices = trace_rules.judge_times(verdicts, subject, trace, STEPS).devices
    if devices:
        acceptance.facts["CUPTI used by XSP"] = devices[0]["cupti_version"]
    if model == "resnet50" and mode in ("eager", "graph"):
        acceptance.evidence.keep_golden(f"{mode}_{model}", trace, answers(reference, report_options(mode), tables))


def answers(reference, options, tables):
    """What torch.profiler counted, for the golden trace. Its times are of runs that had the device for themselves."""
    return {"options": [str(option) for option in options], "kernels": len(reference.names),
            "kernel_latency_ms": comparison.of_model(tables, "kernel_latency_ms"),
            "names": sorted(map(comparison.demangle, reference.names))}


def judge_layer_names(acceptance, verdicts, subject, trace, reference):
    """A2's layers that are modules are the module calls without module calls inside, in order."""
    try:
        names = list(filter(is_module, acceptance.tables(trace, ["A2"], "--skip", WARMUP)["A2"].values("name")))
    except ReportError as error:
        verdicts.fail(f"{subject}: layers of a step", f"{len(reference.leaves)}", error)
        return
    verdicts.judge(f"{subject}: layers of a step", f"{len(reference.leaves)} by hooks of its own", len(names),
                   names == reference.leaves, first_difference(names, reference.leaves))


def is_module(layer):
    """A layer that is an operator has its name behind its container's: "layer1.0.aten::add_"."""
    return layer is not None and "::" not in layer


def first_difference(ours, theirs):
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f"layer {i} is {a}, not {b}"
    return f"{len(ours)} instead of {len(theirs)}"


def judge_kernels(verdicts, subject, tables, reference):
    count = comparison.of_model(tables, "kernel_count")
    verdicts.judge(f"{subject}: kernels of a step", len(reference.names), count, count == len(reference.names),
                   "the numbers differ")
    extra, missing = comparison.name_difference([n or "" for n in kernel_names(tables)], reference.names)
    verdicts.judge(f"{subject}: kernel names", f"torch.profiler's {len(set(reference.names))}",
                   f"{sum(extra.values())} extra, {sum(missing.values())} missing", not extra and not missing,
                   comparison.describe_difference(extra, missing))


def kernel_names(tables):
    return tables["A8"].values("kernel_name")


def judge_layers(verdicts, subject, mode, tables, reference):
    """Each kernel's layer, where that is a module, against the module around its launch."""
    if mode == "compile":
        layers = {row.get("layer_index") for row in tables["A8"].rows}
        verdicts.judge(f"{subject}: layers", "at most 1: compiled, it is one layer", len(layers), len(layers) <= 1,
                       f"layers {sorted(map(str, layers))[:5]}")
        return
    theirs = reference.kernels_in_layers()
    if not any(layer is not None for _, layer in theirs):
        verdicts.not_seen(f"{subject}: layers", ">= 99 % agree", "torch.profiler recorded no module calls")
        return
    layers = [(row.get("kernel_name") or "", comparison.layer_key(row, "layer_name")) for row in tables["A8"].rows]
    ours = [(kernel, layer if is_module(layer) else None) for kernel, layer in layers]
    share = comparison.agreement(ours, theirs)
    verdicts.judge(f"{subject}: layers", ">= 99 % agree with torch.profiler", f"{100 * (share or 0):.2f} % of {len(theirs)}",
                   share is not None and share >= LEAST_AGREEMENT, comparison.disagreement(ours, theirs))


LAUNCHERS = {
    "processes": ["-m", "torch.distributed.run", "--standalone", "--local-addr", "127.0.0.1", "--nproc-per-node", "2"],
    "spawned": [],  # torch_spawned.py starts them itself
}


def run_processes(acceptance, verdicts, name, model):
    """Two processes on one device."""
    steps = program(acceptance, model, "eager")[1:]
    if name == "spawned":
        steps[0] = acceptance.program("torch_spawned.py")[1]
    command = [acceptance.python, *LAUNCHERS[name], *steps]
    environment = {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    prefix = acceptance.work / f"{name}-profiler"
    outcome = acceptance.run(f"{name}-profiler", [*command, "--profile", prefix, "--result", f"{prefix}.json"], 150,
                             environment)
    if not outcome.good:
        verdicts.skip(model, f"without XSP: {outcome.why()}")
        return
    traced, trace = acceptance.profile(name, command, "--level", "kernel", timeout=150, env=environment)
    if not traced.good or trace is None:
        verdicts.fail(f"{model}: runs under xsp-run", "exit status 0 and a trace", traced.why())
        return
    counts = {}
    for rank in range(2):
        subject = f"{model}, rank {rank}"
        reference = Reference(prefix, f".rank{rank}")
        try:
            tables = acceptance.tables(trace, trace_rules.TABLES, *report_options("eager"), "--process", f"rank{rank}")
        except ReportError as error:
            verdicts.fail(f"{subject}: in the one trace", "tables of this rank", error)
            continue
        if not reference.names:
            verdicts.not_seen(f"{subject}: kernels", "as torch.profiler's", NO_KERNELS)
            continue
        judge_kernels(verdicts, subject, tables, reference)
        judge_layers(verdicts, subject, "eager", tables, reference)
        trace_rules.judge_identity(verdicts, subject, tables)
        counts[f"rank{rank}"] = answers(reference, [*report_options("eager"), "--process", f"rank{rank}"], tables)
    if counts:
        trace_rules.judge_quality(verdicts, model, acceptance.tables(trace, ["Q1"]))
        trace_rules.judge_times(verdicts, model, trace)
        if name == "processes":
            acceptance.evidence.keep_golden(f"processes_{model}", trace, counts)

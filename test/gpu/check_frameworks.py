"""Checks: other ways in which Python programs come to kernels: JAX, Triton, ONNX Runtime."""
import json
from collections import Counter

import check_environment
import trace_rules
from comparison import describe_difference, most_frequent, name_difference
from executions import DeviceTrace

STEPS = 10


def profiled(acceptance, verdicts, name, command, timeout=120):
    """The program with and without XSP: (its own answer of the run under XSP, trace), or None after a row that says why."""
    bare = acceptance.run(f"{name}-bare", command(f"{name}-bare"), timeout)
    if not bare.good:
        verdicts.skip(name, f"without XSP: {bare.why()}")
        return None
    traced, trace = acceptance.profile(name, command(name), "--level", "kernel", timeout=timeout)
    if not traced.good or trace is None:
        verdicts.fail(f"{name}: runs under xsp-run", "exit status 0 and a trace", traced.why())
        return None
    with open(acceptance.work / f"{name}.json", encoding="utf-8") as file:
        return json.load(file), trace


def has(acceptance, verdicts, module):
    missing = check_environment.find_module(acceptance, module).get("missing")
    if missing:
        verdicts.skip(module, f"no {module} ({missing})")
    return not missing


def kernels_between(trace, intervals):
    """For each interval of CLOCK_MONOTONIC the kernels whose launch began in it, on any thread of any process."""
    kernels = [kernel for kernel in trace.kernels() if kernel.launch is not None]
    return [[k for k in kernels if begin <= k.launch.begin < end] for begin, end in intervals]


def judge_steps(acceptance, verdicts, name, answer, path, least=1):
    """Steps that do the same launch the same kernels; nothing is unmatched. Returns the kernels of a step."""
    trace = DeviceTrace(path)
    if not trace.kernels() and not acceptance.has_gpu:
        verdicts.not_seen(f"{name}: kernels", "the same in every step", "there is no GPU")
        return None
    steps = [Counter(k.name for k in kernels) for kernels in kernels_between(trace, answer["steps_ns"])]
    usual = most_frequent([frozenset(step.items()) for step in steps])
    usual = Counter(dict(usual)) if usual else Counter()
    same = sum(step == usual for step in steps)
    verdicts.judge(f"{name}: kernels of a step", f"the same in {len(steps)} steps, at least {least}",
                   f"{sum(usual.values())} in {same} steps", same == len(steps) and sum(usual.values()) >= least,
                   f"{[sum(step.values()) for step in steps]}")
    trace_rules.judge_quality(verdicts, name, acceptance.tables(path, ["Q1"]))
    trace_rules.judge_times(verdicts, name, path)
    return usual


def run_jax(acceptance, verdicts):
    if not has(acceptance, verdicts, "jax"):
        return
    command = lambda name: acceptance.program("jax_steps.py", "--steps", STEPS, "--result", acceptance.work / f"{name}.json",
                                              "--device", acceptance.device,
                                              *(["--profile", acceptance.work / "jax-profile"] if name == "jax-bare" else []))
    found = profiled(acceptance, verdicts, "jax", command, timeout=120)
    if found is None:
        return
    answer, path = found
    usual = judge_steps(acceptance, verdicts, "jax", answer, path, least=2)
    if usual is None:
        return
    with open(acceptance.work / "jax-bare.json", encoding="utf-8") as file:
        own = json.load(file)
    if own.get("profile_kernels"):
        extra, missing = name_difference(list(usual.elements()), own["profile_kernels"])
        verdicts.judge("jax: kernels of a step against its own profiler", len(own["profile_kernels"]), sum(usual.values()),
                       sum(usual.values()) == len(own["profile_kernels"]), describe_difference(extra, missing))
    else:
        verdicts.not_seen("jax: kernels of a step against its own profiler", "equal", own.get("profile_why", "no kernels in it"))
    acceptance.evidence.keep_golden("jax", path, {
        "kernels_of_a_step": sum(usual.values()), "names": sorted(usual.elements()), "steps": STEPS,
        "profiler_kernels": len(own.get("profile_kernels") or [])})  # fmt: skip


def run_triton(acceptance, verdicts):
    if not acceptance.has_gpu:
        verdicts.not_seen("triton", "one kernel a launch", "Triton's kernels need a GPU")
        return
    if not has(acceptance, verdicts, "triton"):
        return
    command = lambda name: acceptance.program("triton_steps.py", "--steps", STEPS, "--result",
                                              acceptance.work / f"{name}.json")
    found = profiled(acceptance, verdicts, "triton", command)
    if found is None:
        return
    answer, path = found
    kernels = [kernel for kernel in DeviceTrace(path).kernels() if kernel.name.startswith(answer["kernel"])]
    verdicts.judge("triton: its kernel", f"{answer['launches']} x {answer['kernel']}", len(kernels),
                   len(kernels) == answer["launches"], "launches by the driver API are missing")
    launches = Counter(kernel.launch.name if kernel.launch else "no launch" for kernel in kernels)
    verdicts.judge("triton: launched by", "the driver API", ", ".join(f"{n} x {name}" for name, n in launches.items()),
                   bool(launches) and all(name.startswith("cuLaunch") for name in launches), "another call")
    trace_rules.judge_quality(verdicts, "triton", acceptance.tables(path, ["Q1"]))


def run_ort(acceptance, verdicts):
    for module in ("onnxruntime", "onnx"):
        if not has(acceptance, verdicts, module):
            return
    providers = check_environment.find_module(acceptance, "onnxruntime").get("providers", [])
    provider = "CUDAExecutionProvider" if acceptance.has_gpu else "CPUExecutionProvider"
    if provider not in providers:
        verdicts.skip("ort", f"onnxruntime has no {provider} ({', '.join(providers)})")
        return
    model = acceptance.work / "resnet50.onnx"
    maker = acceptance.program("../../../scripts/make_resnet50_onnx.py", model)
    made = acceptance.run("ort-model", maker, 60)
    if not made.good:
        verdicts.skip("ort", made.why())
        return
    command = lambda name: acceptance.program("ort_steps.py", model, "--provider", provider, "--steps", STEPS, "--result",
                                              acceptance.work / f"{name}.json")
    found = profiled(acceptance, verdicts, "ort", command)
    if found is None:
        return
    answer, path = found
    if judge_steps(acceptance, verdicts, "ort", answer, path, least=50) is not None:
        tables = acceptance.tables(path, trace_rules.TABLES)
        trace_rules.judge_identity(verdicts, "ort", tables)
        in_layers = sum(row.get("layer_index") is not None for row in tables["A8"].rows)
        verdicts.judge("ort: kernels in layers", ">= 99 %", f"{in_layers} of {len(tables['A8'].rows)}",
                       in_layers >= 0.99 * len(tables["A8"].rows), "kernels belong to no node")

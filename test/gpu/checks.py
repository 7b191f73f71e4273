"""All checks, in the order in which they run, by stage."""
from dataclasses import dataclass, field

import check_bounds
import check_counters
import check_cuda_programs
import check_durations
import check_endings
import check_environment
import check_frameworks
import check_give_way
import check_graphs
import check_iterations
import check_kill
import check_levels
import check_recorder
import check_serving
import check_slowdown
import check_smoke
import check_stream_events
import check_torch
import check_training
import facts

MODELS = ("resnet50", "transformer")


@dataclass(frozen=True)
class Stage:
    name: str
    side_by_side: bool = False
    limit: float = None  # in seconds


STAGES = [
    Stage("facts", limit=25),
    Stage("recorder", limit=75),
    Stage("smoke", limit=110),
    Stage("together", side_by_side=True),
    Stage("alone"),  # times of the host, or a device that nobody else uses
]


@dataclass
class Check:
    name: str
    what: str
    run: object  # called with (acceptance, verdicts, *arguments)
    arguments: tuple = field(default=())
    stage: str = "together"
    limit: float = None  # in seconds, of those that run one after the other


def steps(mode, how):
    return [Check(f"{mode}_{model}", f"{model} in PyTorch, {how}: kernels, names, layers", check_torch.run, (model, mode))
            for model in MODELS]


CHECKS = [
    Check("facts", "the machine: driver, toolkit, each libcupti, Python's modules", facts.run, stage="facts"),
    Check("recorder", "what CUPTI does here, without XSP", check_recorder.run, stage="recorder"),
    Check("environment", "the bundle's programs", check_environment.run, stage="smoke", limit=30),
    Check("known_kernels", "CUDA C++ with known kernels, copies, memsets, graphs", check_cuda_programs.run_known, stage="smoke",
          limit=45),
    Check("smoke_endings", "exit, cudaDeviceReset", check_endings.run, (check_endings.FIRST_ENDINGS,), stage="smoke", limit=45),
    Check("kill", "SIGKILL in the middle", check_kill.run, stage="smoke", limit=25),
    Check("smoke_torch", "three steps of PyTorch at each level", check_smoke.run_torch, stage="smoke", limit=85),
    Check("smoke_metrics", "--metrics of the known kernels", check_smoke.run_metrics, stage="smoke", limit=25),
    Check("endings", "exit codes, _exit, abort, fork, device reset", check_endings.run),
    Check("own_subscriber", "a program with a CUPTI subscriber of its own", check_endings.run_subscriber),
    Check("cublas", "a cuBLAS program in C++", check_cuda_programs.run_library, ("cublas",)),
    Check("cudnn", "a cuDNN program in C++", check_cuda_programs.run_library, ("cudnn",)),
    Check("options", "--serialize and --activities", check_cuda_programs.run_options),
    Check("part", "--delay and --duration", check_cuda_programs.run_part),
    Check("kill_ahead", "SIGKILL of a program that runs ahead of the device", check_kill.run_ahead),
    Check("graph_burst", "a graph of 1000 kernels, 500 times without waiting", check_graphs.run_burst),
    Check("long_graph", "the same 1500 times: times of all kernels, memory of the device", check_graphs.run_long),
    Check("triton", "a Triton kernel", check_frameworks.run_triton),
    *steps("eager", "eager"),
    *steps("graph", "a CUDA graph"),
    Check("give_way", "torch.profiler inside a program under xsp-run", check_give_way.run),
    Check("give_way_graph", "the same in a program that replays a CUDA graph", check_give_way.run_graph),
    *steps("compile", "torch.compile"),
    Check("processes", "two processes of torchrun on one device", check_torch.run_processes, ("processes", "resnet50")),
    Check("spawned", "two processes of torch.multiprocessing on one device", check_torch.run_processes,
          ("spawned", "resnet50")),
    Check("spawn_serve", "a server whose spawned workers replay graphs, ended by SIGTERM", check_serving.run),
    Check("training", "a training loop: phases, memory of the device, layers of backward kernels", check_training.run),
    Check("stream_events", "model latency by stream events", check_stream_events.run),
    Check("leveled", "a leveled set: latencies of each level set, and what tables take from which", check_levels.run),
    Check("iterations", "a training loop without marks: its iterations, and steps before which the CPU is late",
          check_iterations.run),
    Check("jax", "a JAX program", check_frameworks.run_jax),
    Check("ort", "ResNet-50 in ONNX Runtime on CUDA", check_frameworks.run_ort),
    Check("counters", "--metrics: a matrix product, a convolution and a copy", check_counters.run, stage="alone", limit=150),
    *[Check(f"durations_{mode}_{model}", f"{model} in PyTorch, {mode}: kernel time of a step", check_durations.run,
            (model, mode), stage="alone", limit=110) for mode in ("eager", "graph") for model in MODELS],
    Check("slowdown", "what each level costs, and memory", check_slowdown.run, stage="alone"),
    Check("bounds", "xsp-bound's lower bounds of two models in five types, and what PyTorch takes", check_bounds.run,
          stage="alone"),
]


def chosen(names):
    """(checks, unknown names). A name stands for itself and for those that begin with it and an underscore."""
    found, unknown = [], []
    for name in names:
        matching = [c for c in CHECKS if c.name == name or c.name.startswith(name + "_")]
        unknown += [] if matching else [name]
        found += [c for c in matching if c not in found]
    return [c for c in CHECKS if c in found], unknown

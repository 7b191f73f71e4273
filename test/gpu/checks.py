"""All checks, in the order of the table."""
from dataclasses import dataclass, field

import check_counters
import check_cuda_programs
import check_endings
import check_environment
import check_frameworks
import check_give_way
import check_iterations
import check_levels
import check_slowdown
import check_stream_events
import check_torch
import check_training


@dataclass
class Check:
    name: str
    what: str
    run: object  # called with (acceptance, verdicts, *arguments)
    arguments: tuple = field(default=())
    alone: bool = False  # it measures times of the host: nothing may run beside it


CHECKS = [
    Check("environment", "the machine, the bundle's programs", check_environment.run),
    *[Check(f"{mode}_{model}", f"{model} in PyTorch, {how}: kernels, names, times, layers", check_torch.run, (model, mode))
      for mode, how in (("compile", "torch.compile"), ("eager", "eager"), ("graph", "a CUDA graph"))
      for model in ("resnet50", "transformer")],
    Check("processes", "two processes of torchrun on one device", check_torch.run_processes,
          ("processes", "resnet50")),
    Check("spawned", "two processes of torch.multiprocessing on one device", check_torch.run_processes,
          ("spawned", "resnet50")),
    Check("give_way", "torch.profiler inside a program under xsp-run", check_give_way.run),
    Check("stream_events", "model latency by stream events", check_stream_events.run),
    Check("leveled", "a leveled set: latencies of each level set, and what tables take from which", check_levels.run),
    Check("training", "a training loop: phases, memory of the device, layers of backward kernels", check_training.run),
    Check("iterations", "a training loop without marks: its iterations, and steps before which the host is late",
          check_iterations.run),
    Check("counters", "--metrics: a matrix product, a convolution and a copy", check_counters.run),
    Check("jax", "a JAX program", check_frameworks.run_jax),
    Check("triton", "a Triton kernel", check_frameworks.run_triton),
    Check("ort", "ResNet-50 in ONNX Runtime on CUDA", check_frameworks.run_ort),
    Check("known_kernels", "CUDA C++ with known kernels, copies, memsets, graphs", check_cuda_programs.run_known),
    Check("options", "--serialize and --activities", check_cuda_programs.run_options),
    Check("part", "--delay and --duration", check_cuda_programs.run_part),
    Check("cublas", "a cuBLAS program in C++", check_cuda_programs.run_library, ("cublas",)),
    Check("cudnn", "a cuDNN program in C++", check_cuda_programs.run_library, ("cudnn",)),
    Check("endings", "exit codes, _exit, abort, fork, device reset", check_endings.run),
    Check("kill", "SIGKILL in the middle", check_endings.run_kill),
    Check("own_subscriber", "a program with a CUPTI subscriber of its own", check_endings.run_subscriber),
    Check("slowdown", "what each level costs, and memory", check_slowdown.run, alone=True),
]


def chosen(names):
    """(checks, unknown names). A name stands for itself and for those that begin with it and an underscore."""
    found, unknown = [], []
    for name in names:
        matching = [c for c in CHECKS if c.name == name or c.name.startswith(name + "_")]
        unknown += [] if matching else [name]
        found += [c for c in matching if c not in found]
    return [c for c in CHECKS if c in found], unknown

"""In the place of programs/torch_steps.py: the inference loop of test/fake_cuda, and with --profile a trace of torch.profiler
made up from what that loop is known to launch. MADE_UP_LAYER moves the last kernel to another layer,
MADE_UP_US is how long a kernel takes there, and with MADE_UP_COMPANY it was not alone.
"""
import json
import os
import subprocess
import sys

KERNELS = [("cudnn_nchwToNhwcKernel", 0), ("implicit_convolve_sgemm", 0), ("bias_relu", 0), ("ampere_sgemm_128x64_tn", 1),
           ("sm90_xmma_gemm_f16f16_128x128", 2), ("splitKreduce_kernel", 2), ("bias_relu", 3),
           ("softmax", int(os.environ.get("MADE_UP_LAYER", "4")))]  # fmt: skip
LAYERS = ["conv1", "fc1", "fc2", "relu2", "softmax"]
DURATION_US = float(os.environ.get("MADE_UP_US", "10"))


def value_of(option):
    return sys.argv[sys.argv.index(option) + 1]


def event(category, name, begin, duration, thread=1, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": begin, "dur": duration, "args": args}


def events(steps, with_modules):
    made, correlation = [], 0
    for step in range(steps):
        begin = step * 10_000.0
        made.append(event("user_annotation", f"xsp step {step}", begin, 5_000.0))
        if with_modules:
            made.append(event("python_function", "nn.Module: Network_0", begin + 1, 4_000.0))
            made += [event("python_function", f"nn.Module: Layer_{i}", begin + 100 * (i + 1), 99.0) for i in range(len(LAYERS))]
        for i, (name, layer) in enumerate(KERNELS):
            correlation += 1
            launch = begin + 100 * (layer + 1) + 5 * i + 1
            made.append(event("cuda_runtime", "cudaLaunchKernel", launch, 2.0, correlation=correlation))
            made.append(event("kernel", name, launch + 20, DURATION_US, thread=7, correlation=correlation))
    return made


if "--profile" in sys.argv:
    for which, steps in (("plain", 6), ("stack", 2)):
        with open(f"{value_of('--profile')}.{which}.json", "w") as file:
            json.dump({"traceEvents": events(steps, which == "stack")}, file)
    with open(value_of("--result"), "w") as file:
        json.dump({"leaves": LAYERS}, file)
else:
    if "--result" in sys.argv:
        with open(value_of("--result"), "w") as file:
            json.dump({"alone": "MADE_UP_COMPANY" not in os.environ}, file)
    inference = os.path.join(os.environ["FAKE_CUDA"], "inference")
    subprocess.run([inference, "9"], check=True, stdout=subprocess.DEVNULL)

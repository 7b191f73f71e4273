"""Steps of a jitted convolution and matrix product; with --profile also under JAX's own profiler."""
import argparse
import glob
import json
import time

import jax
import jax.numpy as jnp
from gpu_turn import GpuTurn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--device", default="cuda")
parser.add_argument("--profile")
parser.add_argument("--result", required=True)
arguments = parser.parse_args()


@jax.jit
def step(image, filters, weights):
    x = jax.lax.conv_general_dilated(image, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    x = jax.nn.relu(x).mean((1, 2))
    return jax.nn.softmax(x @ weights)


def kernels_of_profile(folder, steps):
    """Names of the kernels of a step by JAX's profile, or why not."""
    from jax.profiler import ProfileData

    names = []
    for path in glob.glob(f"{folder}/**/*.xplane.pb", recursive=True):
        for plane in ProfileData.from_file(path).planes:
            if not plane.name.startswith("/device:GPU"):
                continue
            for line in plane.lines:
                if line.name.startswith("Stream"):
                    names += [event.name for event in line.events if not event.name.startswith(("Memcpy", "Memset"))]
    if not names or len(names) % steps:
        return None, f"{len(names)} kernels in the profile of {steps} steps"
    return names[: len(names) // steps], ""


def main():
    result = {"steps_ns": [], "jax": jax.__version__}
    if arguments.device == "cuda" and jax.devices()[0].platform not in ("gpu", "cuda"):
        raise SystemExit(f"JAX runs on {jax.devices()[0].platform}, not on the GPU")
    size = (32, 56, 56, 64) if arguments.device == "cuda" else (1, 8, 8, 4)
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    image = jax.random.normal(keys[0], size)
    filters = jax.random.normal(keys[1], (3, 3, size[3], 128))
    weights = jax.random.normal(keys[2], (128, 1000))
    for _ in range(3):
        jax.block_until_ready(step(image, filters, weights))
    time.sleep(0.05)
    with GpuTurn():
        for _ in range(arguments.steps):
            begin = time.monotonic_ns()
            y = jax.block_until_ready(step(image, filters, weights))
            result["steps_ns"].append((begin, time.monotonic_ns()))
        if arguments.profile:
            try:
                jax.profiler.start_trace(arguments.profile)
                for _ in range(arguments.steps):
                    jax.block_until_ready(step(image, filters, weights))
                jax.profiler.stop_trace()
                result["profile_kernels"], result["profile_why"] = kernels_of_profile(arguments.profile, arguments.steps)
            except Exception as error:  # whatever JAX's profiler lacks here
                result["profile_why"] = f"{type(error).__name__}: {error}"
    print(y.shape)
    with open(arguments.result, "w") as file:
        json.dump(result, file)


main()

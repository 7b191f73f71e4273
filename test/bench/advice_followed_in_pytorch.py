#!/usr/bin/env python3
"""What following B5, B6 and B7 gains in PyTorch and NumPy, one thread:

    PYTHON advice_followed_in_pytorch.py [--rounds N]

where PYTHON has torch, torchvision and numpy. ResNet-50 in channels-last, batch 1: B6 names weights that are reordered in every call, and
convolutions that go to sgemm instead of oneDNN; a frozen graph with its weights packed has neither. bf16: B7 says what it costs or
gains. Products of a BERT in NumPy: B5 names a faster implementation, oneDNN with weights packed before. Variants run by turns; the
least processor time of a call counts. doc/bounds-of-a-run.md has the predictions.
"""
import argparse
import os
import time
import warnings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy  # noqa: E402
import torch  # noqa: E402
import torchvision  # noqa: E402

PRODUCTS = [(128, 768, 768), (128, 768, 3072), (128, 3072, 768), (128, 768, 30522)]


def least_times(variants, rounds):
    least = dict.fromkeys(variants, float("inf"))
    for run in variants.values():
        for _ in range(3):
            run()
    for _ in range(rounds):
        for name, run in variants.items():
            begin = time.thread_time()
            run()
            least[name] = min(least[name], (time.thread_time() - begin) * 1e3)
    return least


def resnet50():
    def network():
        return torchvision.models.resnet50(weights=None).eval()
    image = torch.randn(1, 3, 224, 224)
    last = image.to(memory_format=torch.channels_last)
    eager = network().to(memory_format=torch.channels_last)
    packed = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(network(), image)))
    half = network().to(torch.bfloat16).to(memory_format=torch.channels_last)
    half_image = last.to(torch.bfloat16)
    return {"ResNet-50, channels last": lambda: eager(last), "the same, frozen with packed weights": lambda: packed(image),
            "the same, bf16": lambda: half(half_image)}


def products():
    random = numpy.random.default_rng(0)
    operands = [(random.standard_normal((m, k), dtype=numpy.float32), random.standard_normal((k, n), dtype=numpy.float32))
                for m, k, n in PRODUCTS]
    packed = [(torch.from_numpy(a), torch.ops.mkldnn._reorder_linear_weight(torch.from_numpy(b).t().contiguous(), a.shape[0]))
              for a, b in operands]
    return {"products in NumPy": lambda: [a @ b for a, b in operands],
            "the same by oneDNN, weights packed": lambda: [
                torch.ops.mkldnn._linear_pointwise(a, b, None, "none", [], "") for a, b in packed]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    with torch.no_grad():
        for variants in (resnet50(), products()):
            for name, ms in least_times(variants, options.rounds).items():
                print(f"{name:40} {ms:8.2f} ms", flush=True)


if __name__ == "__main__":
    main()

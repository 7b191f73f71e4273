"""A step of a vision transformer on an H100 and six of a ResNet-50 on a V100, imported from PyTorch's profiler, have the flops
that arithmetic says: profile_flops_test.py XSP_IMPORT XSP_REPORT SOURCE_ROOT. Skipped where the recordings are not at hand.
"""
import json
import os
import subprocess
import sys
import tempfile

IMPORT, REPORT, ROOT = (os.path.abspath(path) for path in sys.argv[1:4])
FOLDER = os.path.join(os.environ.get("XSP_SHARED_DATA", ROOT + "/../shared/data"), "kineto")
failures = []


def kernels_of(recording, folder):
    """(name, gflops) of all kernels, or nothing where the recording is not there."""
    path = f"{FOLDER}/{recording}.json.gz"
    if not os.path.exists(path):
        print(f"skipped: no {path}")
        sys.exit(77)
    trace = f"{folder}/{recording}.pb"
    subprocess.run([IMPORT, path, "-o", trace], check=True, capture_output=True)
    command = [REPORT, trace, "-q", "--analysis", "A8", "--per", "trace", "--format", "json"]
    done = subprocess.run(command, check=True, capture_output=True)
    table = json.loads(done.stdout)["A8"]
    names = [column["name"] for column in table["columns"]]
    return [(row[names.index("kernel_name")], row[names.index("gflops")]) for row in table["rows"]]


def check(found, expected, what):
    if abs(found - expected) > 1e-9 * expected:
        failures.append(f"{what}: {found}, not {expected}")


with tempfile.TemporaryDirectory() as folder:
    kernels = kernels_of("tl_vit_h100", folder)
    check(len(kernels), 154, "kernels of the transformer")
    products = [gflops for name, gflops in kernels if "gemm" in name]
    # A matrix product of 788 x 768 x 768 with a bias: the outputs of attention, and its three inputs, of 12 layers.
    check(sum(1 for gflops in products if abs(gflops - 0.930167808) < 1e-9), 48, "products of 788 x 768 x 768")
    wide = [2 * 788 * 768 * 3072 / 1e9 + 788 * n / 1e9 for n in (768, 3072)]
    pooled = (2 * 4 * 768 * 768 + 4 * 768) / 1e9
    check(sum(products), 48 * 0.930167808 + 12 * sum(wide) + pooled, "products of the transformer")
    attention = [gflops for name, gflops in kernels if "flash" in name]
    check(sum(attention), 12 * 4 * 4 * 12 * 197 * 197 * 64 / 1e9, "attention")
    patches = [gflops for name, gflops in kernels if "fprop" in name]
    check(sum(patches), 2 * 4 * 196 * 768 * 768 / 1e9, "the convolution")

    # Its recording has no strides: outputs are those of the gradients.
    kernels = kernels_of("resnet50_v100_workers0_a", folder)
    check(len(kernels), 8772, "kernels of the ResNet-50")
    # 4087136256 multiply-adds of convolutions an image, 118013952 of them in the first, whose input needs no gradient.
    convolutions, first = 4_087_136_256, 118_013_952
    total = sum(gflops for name, gflops in kernels if gflops)
    expected = 2 * 32 * 6 * (3 * convolutions - first + 3 * 2_048_000) / 1e9
    rest = total / expected - 1
    # Normalization and what works on single elements is the rest.
    if not 0 < rest < 0.01:
        failures.append(f"the ResNet-50: {total} Gflop, products alone {expected}")
sys.exit("\n".join(failures) if failures else 0)

"""xsp-run --check tells of each framework in a Python its version and what will be recorded of it, from metadata and files:
nothing of it is imported. An installation that is broken is said to be; what an interpreter prints beside is passed over.
"""
import os
import subprocess
from pathlib import Path

from support.xsp_e2e import SYSTEM_PYTHON, XSP_RUN, check, check_equal, clean_environment, run, work_folder

folder = work_folder()
REPORT = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE"
TORCH = {"_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE", "_ZNK2at14RecordFunction4nameEv",
         "_ZNK2at14RecordFunction7isAsyncEv"}  # fmt: skip


def library(path, functions, *options):
    path.parent.mkdir(parents=True, exist_ok=True)
    source = "".join(f"void {f}(void) {{}}\n" for f in sorted(functions)) + "void caller(void) {\n"
    source += "".join(f"  {f}();\n" for f in sorted(functions)) + "}\n"
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path, *options], input=source.encode(), check=True)


def metadata(site, name, version):
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def package(site, name, version):
    metadata(site, name, version)
    (site / name).mkdir(exist_ok=True)
    (site / name / "__init__.py").write_text("raise SystemExit('imported')\n")


def rows(site, *options, python=SYSTEM_PYTHON, status=0):
    """Title -> (state, text); a title that is indented belongs to the one above: `PyTorch/memory`."""
    environment = clean_environment(PYTHONPATH=site)
    done = run(XSP_RUN, "--check", *options, "--", python, env=environment)
    text = done.stdout.decode()
    check_equal(done.returncode, status, text)
    lines = text.splitlines()
    width = lines[0].index("ok ")  # the guest library, which is there
    found, above = {}, ""
    for line in lines:
        title, rest = line[:width].rstrip(), line[width:]
        if not title:
            continue
        state, _, why = rest.partition("  ")
        if title.startswith("  "):
            title = f"{above}/{title.strip()}"
        else:
            above = title
        found[title] = (state.strip(), why.strip())
    return found


# As it should be; every framework that is known.
site = folder / "whole"
package(site, "torch", "2.1.0")
library(site / "torch/lib/libtorch_cpu.so", TORCH)
library(site / "torch/lib/libc10.so", {REPORT, "_ZN3c109alloc_cpuEm"})
package(site, "onnxruntime", "1.15.0")
(site / "onnxruntime/capi").mkdir()
(site / "onnxruntime/capi/onnxruntime_inference_collection.py").write_text("    def _create_inference_session(self):\n")
for name in ("tensorflow", "jax", "mxnet", "tensorrt", "triton"):
    package(site, name, "7.8.9")
found = rows(site)
check_equal(found["PyTorch"], ("ok", "2.1.0 for the CPU (tested: 1.13 to 2.15)"), "PyTorch")
for part in ("models, layers", "operators", "memory", "library calls"):
    check_equal(found[f"PyTorch/{part}"][0], "ok", f"PyTorch: {part}")
check_equal(found["ONNX Runtime"], ("ok", "1.15.0 (tested: 1.15 to 1.31)"), "ONNX Runtime")
check_equal(found["ONNX Runtime/models, layers"][0], "ok", "nodes of ONNX Runtime")
for title in ("JAX", "TensorRT", "Triton"):
    check(found[title][0] == "ok" and found[title][1].startswith("7.8.9: "), f"{title}: {found[title]}")
for title in ("TensorFlow", "MXNet"):
    check(found[title][0] == "degraded" and "cannot be read" in found[title][1], f"{title} without libraries: {found[title]}")

# What the interpreter prints beside, at its start and its end.
noisy = folder / "python-noisy"
noisy.write_text(f'#!/bin/sh\necho "{{\\"not\\": 1}}"\n{SYSTEM_PYTHON} "$@"\necho bye\n')
noisy.chmod(0o755)
check_equal(rows(site, python=noisy)["PyTorch"], found["PyTorch"], "PyTorch by an interpreter that prints")
# A program installed by pip names its Python in its first line.
script = folder / "serve"
script.write_text(f"#!{SYSTEM_PYTHON}\nraise SystemExit('was run')\n")
script.chmod(0o755)
check_equal(rows(site, python=script)["PyTorch"], found["PyTorch"], "PyTorch of a script")

# Hidden symbols, calls that pass the PLT by, a version of the future, sessions made in another way.
site = folder / "unlike"
package(site, "torch", "9.1.0+cu999")
library(site / "torch/lib/libtorch_cpu.so", TORCH, "-fvisibility=hidden")
library(site / "torch/lib/libtorch_cuda.so", set())
library(site / "torch/lib/libc10.so", {REPORT, "_ZN3c109alloc_cpuEm"}, "-Wl,-Bsymbolic")
package(site, "onnxruntime", "9.0")
(site / "onnxruntime/capi").mkdir()
(site / "onnxruntime/capi/onnxruntime_inference_collection.py").write_text("")
found = rows(site)
check_equal(found["PyTorch"], ("ok", "9.1.0+cu999 for CUDA (not tested, which are: 1.13 to 2.15)"), "PyTorch")
check_equal(found["PyTorch/models, layers"][0], "ok", "modules")
check_equal(found["PyTorch/operators"][0], "degraded", "operators")
check_equal(found["PyTorch/memory"][0], "degraded", "memory")
check_equal(found["ONNX Runtime/models, layers"][0], "degraded", "nodes of ONNX Runtime")

# Metadata without a package, a package without its libraries, a damaged library, an empty folder of that name.
site = folder / "broken"
metadata(site, "onnxruntime", "1.20.0")
package(site, "torch", "2.0.0")
(site / "jax").mkdir()
found = rows(site)
check_equal(found["PyTorch"][0], "degraded", "a PyTorch without libraries")
check("libtorch_cpu.so is missing" in found["PyTorch"][1], f"what is missing: {found['PyTorch']}")
check(found["ONNX Runtime"][0] == "degraded" and "no package" in found["ONNX Runtime"][1], f"{found['ONNX Runtime']}")
check("JAX" not in found, "a folder is no framework")
for name in ("libtorch_cpu.so", "libc10.so"):
    (site / "torch/lib").mkdir(exist_ok=True)
    (site / "torch/lib" / name).write_bytes(b"\x7fELF" + os.urandom(5000))
found = rows(site)
check_equal((found["PyTorch/operators"][0], found["PyTorch/memory"][0]), ("degraded", "degraded"), "damaged libraries")
check_equal(Path(site / "torch/__pycache__").exists(), False, "nothing was imported")

"""For the tests of ONNX Runtime's C API: the stand-in library and its hosts, and the real library where a wheel has it."""
import glob
import os

from .xsp_e2e import BUILD, clean_environment, run, skip, xsp_run

FOLDER = BUILD / "test/fake_onnxruntime"
LIBRARY = FOLDER / "libonnxruntime.so.1"
HOST = FOLDER / "ort_host"
LINKED_HOST = FOLDER / "ort_host_linked"
INPUT = ("image", "1,8,16,16")
NODES = [("conv1", "Conv", "CPUExecutionProvider", 300), ("relu1", "Relu", "CPUExecutionProvider", 50),
         ("fc", "Gemm", "CPUExecutionProvider", 150)]  # fmt: skip


def write_model(nodes=NODES, name="net.onnx"):
    with open(name, "w") as file:
        for node in nodes:
            file.write(" ".join(map(str, node)) + "\n")
    return name


def environment(library=LIBRARY, fake="", **extra):
    return clean_environment(ORT_LIBRARY=library, FAKE_ORT=fake, **extra)


def run_host(*words, model="net.onnx", host=HOST, env=None):
    """The host alone."""
    return run(host, model, *INPUT, *words, env=env or environment())


def profile_host(*words, model="net.onnx", host=HOST, options=(), env=None):
    """The host under xsp-run."""
    return xsp_run(host, model, *INPUT, *words, options=options, env=env or environment())


def real_library():
    """The C library of a wheel: recent ones carry it beside the Python module."""
    found = sorted(glob.glob(str(BUILD / "python/ort*/lib/python*/site-packages/onnxruntime/capi/libonnxruntime.so*")))
    if not found:
        skip("no wheel in build/python carries ONNX Runtime's C library")
    return os.path.realpath(found[-1])

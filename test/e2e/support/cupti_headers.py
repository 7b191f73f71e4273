"""Where CUPTI's headers are, for tests that compile programs against them; and such a program, the recorder."""
import glob
import os
import shutil
import subprocess
from pathlib import Path

from .xsp_e2e import BUILD, SOURCE

FOLDERS = ("/usr/local/cuda*/include", "/usr/local/cuda*/extras/CUPTI/include",
           f"{BUILD}/python/*/lib/python*/site-packages/nvidia/cu*/include",
           f"{BUILD}/python/*/lib/python*/site-packages/triton/backends/nvidia/include")  # fmt: skip


def folders_of_headers():
    """Folders with cupti.h, and the driver's header that it includes."""
    found = [Path(folder) for pattern in FOLDERS for folder in sorted(glob.glob(pattern))]
    unique = {folder.resolve(): folder for folder in found if (folder / "cupti.h").exists() and (folder / "cuda.h").exists()}
    return list(unique.values())


def compile_recorder(output, headers=None):
    """Builds test/gpu/programs/cupti_recorder.cc against these headers, or the first ones found; None: there are none."""
    compiler = os.environ.get("CXX", "").split() or [shutil.which("c++") or "g++"]
    headers = headers or next(iter(folders_of_headers()), None)
    if headers is None:
        return None
    source = SOURCE / "test/gpu/programs/cupti_recorder.cc"
    subprocess.run([*compiler, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-isystem", headers, source,
                    "-o", output, "-ldl", "-pthread"], check=True, timeout=300)  # fmt: skip
    return Path(output)

"""What the back ends take NVIDIA's interfaces for is what its headers say: vendor_values_test.py SOURCE_ROOT BUILD_ROOT.

Headers are looked for in $CUDA_HOME, /usr/local/cuda, and the folders of Python wheels below the build folder.
"""
import os
import subprocess
import sys
from pathlib import Path

ROOT, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
SOURCE = ROOT / "test/bound/backends/vendor_values.cc"
NEEDED = ("cuda.h", "cublas_v2.h", "cublasLt.h", "library_types.h")


def include_sets():
    """Folders that together have all headers, of one version each."""
    toolkits = [Path(os.environ.get("CUDA_HOME") or "/usr/local/cuda") / "include"]
    sets = [toolkits]
    for packages in sorted(BUILD.glob("python/*/lib/python*/site-packages")):
        sets.append(sorted(packages.glob("nvidia/*/include")))
    return [folders for folders in sets if all(any((folder / name).is_file() for folder in folders) for name in NEEDED)]


def complaint(folders, *options):
    """The compiler's first error; empty where it has none."""
    includes = [f"-isystem{folder}" for folder in folders]
    command = ["g++", "-std=c++20", "-fsyntax-only", "-w", f"-I{ROOT}", *includes, *options, str(SOURCE)]
    done = subprocess.run(command, capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return errors[0] if errors else done.stderr[:300] if done.returncode else ""


def main():
    sets = include_sets()
    if not sets:
        print("skipped: no headers of CUDA are here")
        sys.exit(77)
    failures = []
    for folders in sets:
        found = complaint(folders)
        print(f"{folders[0]}: {found or 'all as described'}")
        failures += [found] if found else []
    if "CUDA_SUCCESS" not in complaint(sets[0], "-DXSP_ALTERED=1"):
        failures.append("a wrong number was not seen")
    for failure in failures:
        print("FAILED:", failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

"""The CUDA toolkit of the machine, be it NVIDIA's or of wheels: the compiler, libraries with their headers, and what was built
with them.
"""
import os
import shutil
import threading
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent / "programs"
ROOTS = ("/usr/local/cuda", "/opt/cuda")
TARGET = "targets/x86_64-linux"
LIBRARY_FOLDERS = ("lib64", f"{TARGET}/lib", "lib", "extras/CUPTI/lib64")
INCLUDE_FOLDERS = ("include", f"{TARGET}/include", "extras/CUPTI/include")
IN_WHEELS = ("nvidia/cu13", "nvidia/cu12", "nvidia/cuda_nvcc")
BUILD_S = 120


class Unbuildable(Exception):
    pass


class Toolkit:
    """Methods may be called by any thread. `run(name, command, timeout)` returns an Outcome."""

    def __init__(self, work, run, python):
        self.work, self.run, self.python = Path(work), run, python
        self._built, self._locks = {}, {}
        self._packages = None
        self._lock = threading.Lock()

    def nvcc(self):
        """Its path, or None."""
        folders = [os.environ.get("PATH", ""), f"{os.environ.get('CUDA_HOME', '')}/bin", *(f"{root}/bin" for root in ROOTS)]
        found = shutil.which("nvcc", path=os.pathsep.join(folders))
        wheels = () if found else [packages / wheel / "bin" for packages in self.site_packages() for wheel in IN_WHEELS]
        return found or shutil.which("nvcc", path=os.pathsep.join(map(str, wheels)))

    def roots(self):
        """Folders that have bin/, include/ and libraries: nvcc's first."""
        nvcc = self.nvcc()
        roots = [Path(nvcc).resolve().parent.parent] if nvcc else []
        return roots + [Path(root) for root in ROOTS if Path(root) not in roots]

    def site_packages(self):
        """Folders in which wheels of CUDA's libraries may lie."""
        with self._lock:
            if self._packages is None:
                probe = "import sys; print('\\n'.join(p for p in sys.path if p.endswith('-packages')))"
                outcome = self.run("site-packages", [self.python, "-c", probe], 20)
                self._packages = [Path(line) for line in outcome.stdout.splitlines() if line]
            return self._packages

    def find_library(self, file, header, wheel_folders):
        """(library, include folder) of a CUDA library, from the toolkit or from wheels; None where either is missing."""
        places = [([root / folder for folder in LIBRARY_FOLDERS], [root / folder for folder in INCLUDE_FOLDERS])
                  for root in self.roots()]
        places += [([Path("/usr/lib/x86_64-linux-gnu")], [Path("/usr/include")])]
        places += [([packages / folder / "lib"], [packages / folder / "include"])
                   for packages in self.site_packages() for folder in wheel_folders]
        for libraries, includes in places:
            found = [file_found for folder in libraries for file_found in self._files(folder, file)]
            include = [folder for folder in includes if (folder / header).exists()]
            if found and include:
                return found[0], include[0]
        return None

    @staticmethod
    def _files(folder, name):
        return sorted(folder.glob(f"{name}.so.[0-9]*")) or sorted(folder.glob(f"{name}.so"))

    def runtime(self):
        """libcudart.so.N beside the compiler or in a wheel; None."""
        folders = [root / folder for root in self.roots() for folder in LIBRARY_FOLDERS]
        folders += [packages / wheel / "lib" for packages in self.site_packages()
                    for wheel in ("nvidia/cu13", "nvidia/cuda_runtime")]
        return next((file for folder in folders for file in self._files(folder, "libcudart")), None)

    def build(self, name, source, *flags, cudart="shared"):
        """The program of programs/SOURCE with this kind of runtime, built once. Raises Unbuildable with the compiler's word."""
        with self._lock:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self._built:
                self._built[name] = self._build(name, source, flags, cudart)
        built = self._built[name]
        if isinstance(built, Unbuildable):
            raise built
        return built

    def _build(self, name, source, flags, cudart):
        nvcc = self.nvcc()
        if nvcc is None:
            return Unbuildable("no nvcc on this machine")
        program = self.work / name
        root = Path(nvcc).resolve().parent.parent
        paths = [f"-Xlinker=-rpath,{root / folder}" for folder in LIBRARY_FOLDERS if (root / folder).is_dir()]
        command = [nvcc, "-O1", "-std=c++17", "-o", program, PROGRAMS / source, *flags, *paths]
        built = self.run(f"nvcc-{name}", [*command, "-cudart", cudart], BUILD_S)
        runtime = self.runtime()
        if not built.good and cudart == "shared" and runtime is not None:
            # Wheels have libcudart.so.13, but not the libcudart.so that the linker is told to find.
            linked = ["-cudart", "none", f"-L{runtime.parent}", f"-l:{runtime.name}", f"-Xlinker=-rpath,{runtime.parent}"]
            built = self.run(f"nvcc-{name}", [*command, *linked], BUILD_S)
        return program if built.good and program.exists() else Unbuildable(compiler_error(built))


def compiler_error(outcome):
    """The first line with "error" of what a compiler printed, else how it ended."""
    lines = [line.strip() for line in (outcome.stderr + "\n" + outcome.stdout).splitlines() if "error" in line.lower()]
    return f"{outcome.name}: {lines[0][:300]}" if lines else outcome.why()

"""What the checks share: the bundle under test, the machine, the time that is left, and where results go."""
import json
import os
import shutil
import sys
import tarfile
import threading
from pathlib import Path

from report import ReportError, parse
from running import Running

SOURCE = Path(__file__).resolve().parents[2]
PROGRAMS = SOURCE / "test/gpu/programs"
LARGEST_GOLDEN_BYTES = 300_000
LARGEST_EVIDENCE_BYTES = 12 << 20
NVCC_FOLDERS = ("/usr/local/cuda/bin", "/opt/cuda/bin")
MODULES_OF_INTEREST = ("torch", "triton", "jax", "onnxruntime", "onnx")


class Unbuildable(Exception):
    pass


class Acceptance:
    """Given to every check. Methods may be called by any thread."""

    def __init__(self, bundle, work, output, device, python, deadline, say):
        self.bundle = bundle
        self.work = Path(work)
        self.output = Path(output)
        self.device = device
        self.python = python
        self.say = say
        self.facts = {}
        self.golden = {}
        self._log = []
        self._log_lock = threading.Lock()
        self._built, self._build_locks = {}, {}
        self._lock = threading.Lock()
        self.running = Running(self.work, deadline, self._log_outcome)

    @property
    def has_gpu(self):
        return self.device == "cuda"

    def environment(self, **extra):
        """Of the programs: what changes XSP comes from options alone, but for the libcupti that a user may name."""
        kept = lambda name: name == "XSP_CUPTI" or not (name.startswith("XSP_") or name == "LD_PRELOAD")
        environment = {name: value for name, value in os.environ.items() if kept(name)}
        environment.update({
            "PYTHONPATH": os.pathsep.join(filter(None, [str(self.bundle / "python"), os.environ.get("PYTHONPATH")])),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",
            "TORCHINDUCTOR_CACHE_DIR": str(self.work / "inductor"),
            "TRITON_CACHE_DIR": str(self.work / "triton"),
            "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
            "XSP_GPU_TURN": str(self.work / "gpu-turn"),
        })
        if not self.has_gpu:
            environment.update({"JAX_PLATFORMS": "cpu", "OMP_NUM_THREADS": "1"})
        environment.update({k: str(v) for k, v in extra.items()})
        return environment

    def program(self, name, *arguments):
        """Command line of a Python program of ours."""
        return [self.python, PROGRAMS / name, *arguments]

    def run(self, name, command, timeout=60, env=None, **options):
        return self.running.run(name, command, self.environment(**(env or {})), timeout, **options)

    def profile(self, name, command, *xsp_options, timeout=75, env=None, **options):
        """Runs it under xsp-run: (outcome, its trace or None)."""
        trace = self.work / f"{name}.pb"
        outcome = self.run(name, self.xsp_command(trace, command, *xsp_options), timeout, env, **options)
        for path in (trace, Path(f"{trace}.partial")):
            if path.exists():
                return outcome, path
        return outcome, None

    def xsp_command(self, trace, command, *xsp_options):
        return [self.bundle / "bin/xsp-run", "-f", "--summary", "none", "-o", trace, *xsp_options, "--", *command]

    def tables(self, trace, analyses, *options):
        """Analysis id -> Table. Raises ReportError."""
        name = f"report-{Path(trace).name}-{'-'.join(map(str, options))}".replace("/", "_")
        command = [self.bundle / "bin/xsp-report", "--analysis", ",".join(analyses), "--format", "json", *options, trace]
        outcome = self.run(name, command, timeout=60)
        if not outcome.good:
            raise ReportError(outcome.why())
        return parse(outcome.stdout)

    def nvcc(self):
        found = shutil.which("nvcc")
        for folder in [os.environ.get("CUDA_HOME", "") + "/bin", *NVCC_FOLDERS]:
            if found is None and os.access(f"{folder}/nvcc", os.X_OK):
                found = f"{folder}/nvcc"
        return found

    def build(self, name, source, *flags, timeout=120):
        """A CUDA program of ours, built once. Raises Unbuildable with what is missing."""
        with self._lock:
            lock = self._build_locks.setdefault(name, threading.Lock())
        with lock:
            if name not in self._built:
                self._built[name] = self._build(name, source, flags, timeout)
        if isinstance(self._built[name], Exception):
            raise self._built[name]
        return self._built[name]

    def _build(self, name, source, flags, timeout):
        nvcc = self.nvcc()
        if nvcc is None:
            return Unbuildable("no nvcc on this machine")
        program = self.work / name
        toolkit = Path(nvcc).resolve().parent.parent
        paths = [f"-Xlinker=-rpath,{toolkit / lib}" for lib in ("lib64", "targets/x86_64-linux/lib")]
        built = self.run(f"nvcc-{name}", [nvcc, "-O1", "-std=c++17", "-o", program, PROGRAMS / source, *flags, *paths], timeout)
        return program if built.good and program.exists() else Unbuildable(built.why())

    def site_packages(self):
        """Folders in which wheels of CUDA's libraries may lie."""
        probe = "import sys; print('\\n'.join(p for p in sys.path if p.endswith('-packages')))"
        outcome = self.run("site-packages", [self.python, "-c", probe], timeout=20)
        return [Path(line) for line in outcome.stdout.splitlines() if line]

    def find_library(self, file, header, wheel_folders):
        """(library, include folder) of a CUDA library, from the toolkit or from wheels; None where either is missing."""
        roots = [Path(folder).parent for folder in NVCC_FOLDERS]
        nvcc = self.nvcc()
        if nvcc:
            roots.insert(0, Path(nvcc).resolve().parent.parent)
        places = [(root / lib, root / "include") for root in roots for lib in ("lib64", "extras/CUPTI/lib64")]
        places += [(root / "extras/CUPTI/lib64", root / "extras/CUPTI/include") for root in roots]
        places += [(Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/include"))]
        for packages in self.site_packages():
            places += [(packages / folder / "lib", packages / folder / "include") for folder in wheel_folders]
        for libraries, include in places:
            found = sorted(libraries.glob(f"{file}.so.[0-9]*")) or sorted(libraries.glob(f"{file}.so"))
            if found and (include / header).exists():
                return found[0], include
        return None

    def keep_golden(self, name, trace, answers):
        """Remembers a trace that may become a golden file, with what another one counted in it."""
        size = Path(trace).stat().st_size
        entry = {"bytes": size, "answers": answers}
        if size <= LARGEST_GOLDEN_BYTES and not str(trace).endswith(".partial"):
            entry["file"] = f"{name}.pb"
            shutil.copyfile(trace, self.output / entry["file"])
        with self._lock:
            self.golden[name] = entry

    def _log_outcome(self, outcome):
        text = [f"=== {outcome.name}: {'timed out' if outcome.timed_out else outcome.returncode}, {outcome.seconds:.1f} s",
                "$ " + " ".join(outcome.command)]
        if not outcome.name.startswith("report-") or outcome.returncode:
            text += [tail(outcome.stdout), tail(outcome.stderr)]
        with self._log_lock:
            self._log.append("\n".join(line for line in text if line))

    def write_results(self, verdict_text, verdict_json):
        self.output.mkdir(parents=True, exist_ok=True)
        (self.output / "verdict.md").write_text(verdict_text, encoding="utf-8")
        (self.output / "verdict.json").write_text(verdict_json, encoding="utf-8")
        (self.output / "golden.json").write_text(json.dumps(self.golden, indent=1), encoding="utf-8")
        self._write_evidence(self.output / "evidence.tar.gz")

    def _write_evidence(self, path):
        """What the programs printed, and their traces, the small ones first, as long as there is room."""
        with self._log_lock:
            (self.work / "log.txt").write_text("\n".join(self._log), encoding="utf-8", errors="replace")
        files = [file for pattern in ("*.pb", "*.partial", "*.json") for file in self.work.glob(pattern) if file.is_file()]
        files.sort(key=lambda file: (file.suffix == ".json", file.stat().st_size))
        with open(path, "wb") as out, tarfile.open(fileobj=out, mode="w:gz", compresslevel=6) as archive:
            for file in [self.work / "log.txt", *files]:
                # Text shrinks to less than a fifth, traces of ours little.
                size = file.stat().st_size / (5 if file.suffix in (".json", ".txt") else 1)
                if out.tell() + size <= LARGEST_EVIDENCE_BYTES:
                    archive.add(file, arcname=f"evidence/{file.name}")


def tail(text, limit=3000):
    text = text.rstrip()
    return text if len(text) <= limit else "…" + text[-limit:]


def default_python():
    """The Python that runs this: on a GPU machine the one with PyTorch."""
    return os.environ.get("XSP_GPU_PYTHON") or sys.executable

"""Stage 1: what CUPTI does on this machine, without XSP. A library that writes down all that CUPTI says (programs/
cupti_recorder.cc) is loaded into programs, in variants of what it asks of CUPTI; recording.py reads the answers out of what it
wrote. Whatever fails here is one row, and nothing else suffers.
"""
import json
import os
import shutil
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from toolkit import PROGRAMS, Unbuildable, compiler_error

READER = Path(__file__).resolve().parent / "recording.py"
SOURCE = "cupti_recorder.cc"
WORKERS = 8
NATIVE_S, PYTHON_S, BUILD_S, READ_S = 25, 45, 60, 30
RECORDED_MB = 48  # of one process
LARGEST_FILES = 3  # of a recording, which has one for each process
NOTHING = "not in this recording"  # recording.py's
BURST, LONG = (1000, 100), (1000, 1500)


@dataclass(frozen=True)
class Recording:
    program: str
    variant: str = ""  # words of CUPTI_RECORDER
    arguments: tuple = ()

    @property
    def name(self):
        return f"{self.program} {self.variant}".strip()

    @property
    def file(self):
        return "".join(c if c.isalnum() else "-" for c in self.name)


NATIVE = {"known_kernels_shared": ("known_kernels.cu", "shared"), "known_kernels_static": ("known_kernels.cu", "static"),
          "graph_burst": ("graph_burst.cu", "shared")}
STEPS = ("--warmup", 1, "--steps", 1, "--batch", 1)
PYTHON = {"torch_eager": ("torch_steps.py", *STEPS), "torch_graph": ("torch_steps.py", "--mode", "graph", *STEPS),
          "triton": ("triton_steps.py", "--steps", 3, "--result", "recorded-triton.json"),
          "jax": ("jax_steps.py", "--steps", 2, "--result", "recorded-jax.json")}
# The ones that say most first: what has no time is left out.
RECORDINGS = [
    Recording("torch_eager"), Recording("torch_graph"), Recording("known_kernels_shared"), Recording("triton"),
    Recording("jax"), Recording("known_kernels_static"), Recording("graph_burst", "", BURST),
    Recording("known_kernels_shared", "runtime_kinds"), Recording("known_kernels_shared", "no_callbacks,runtime_kinds"),
    Recording("known_kernels_shared", "timestamp_callback"), Recording("known_kernels_shared", "range_profiler"),
    Recording("known_kernels_shared", "per_thread=1"), Recording("known_kernels_shared", "per_thread=0"),
    Recording("graph_burst", "sessions=3", (10, 300)), Recording("graph_burst", "flush=0", BURST),
    Recording("graph_burst", "per_thread=1", BURST), Recording("graph_burst", "buffer_bytes=1048576", BURST),
    Recording("graph_burst", "pool_limit=8,flush=100", LONG), Recording("graph_burst", "pool_limit=8,flush=0", LONG),
]  # fmt: skip


class Recorder:
    """The library, and for each program the libcupti it is to use."""

    def __init__(self, acceptance, toolkit_cupti, wheel_cupti):
        self.acceptance, self.toolkit_cupti, self.wheel_cupti = acceptance, toolkit_cupti, wheel_cupti
        self.library = acceptance.work / "cupti_recorder.so"
        self.folder = acceptance.work / "recordings"
        self.folder.mkdir(exist_ok=True)
        self.crashes, self.left_out, self._lock = [], [], threading.Lock()

    def build(self):
        """Raises Unbuildable."""
        compiler = shutil.which("g++") or shutil.which("c++")
        if compiler is None:
            raise Unbuildable("no g++")
        if not (PROGRAMS / SOURCE).exists():
            raise Unbuildable(f"no {SOURCE}")
        includes = [(self.toolkit_cupti or self.wheel_cupti)[1]]
        cuda = [self.acceptance.toolkit.roots()[0] / "include", *(include.parent.parent / "cuda_runtime/include"
                                                                 for include in includes)]
        includes += [folder for folder in cuda if (folder / "cuda.h").exists()][:1]
        built = self.acceptance.run("recorder-build", [
            compiler, "-std=c++17", "-O1", "-shared", "-fPIC", *(f"-I{folder}" for folder in includes), "-o", self.library,
            PROGRAMS / SOURCE, "-ldl", "-pthread"], BUILD_S)  # fmt: skip
        if not built.good:
            raise Unbuildable(compiler_error(built))

    def record(self, recording):
        """Runs it and reads what was written: the answers are added to the acceptance's."""
        try:
            is_native = recording.program in NATIVE
            command = self.command(recording)
            variant = ",".join(filter(None, [recording.variant, f"limit={RECORDED_MB}"]))
            cupti = (self.toolkit_cupti or self.wheel_cupti) if is_native else (self.wheel_cupti or self.toolkit_cupti)
            environment = {"CUDA_INJECTION64_PATH": self.library, "CUPTI_RECORDER": variant, "XSP_GPU_TURN": "",
                           "CUPTI_RECORDER_OUTPUT": self.folder / f"{recording.file}.%p.txt",
                           "CUPTI_RECORDER_LIBRARY": os.environ.get("XSP_CUPTI") or cupti[0]}
            outcome = self.acceptance.run(f"recorded-{recording.file}", command, NATIVE_S if is_native else PYTHON_S, environment)
            if "ModuleNotFoundError" in outcome.stderr:
                self.left_out.append(f"{recording.name} ({outcome.stderr.strip().splitlines()[-1]})")
            elif not outcome.good:
                self.tell(f"{recording.name}: {outcome.why()}")
        finally:
            self.read(recording)

    def command(self, recording):
        if recording.program in NATIVE:
            source, cudart = NATIVE[recording.program]
            return [self.acceptance.toolkit.build(recording.program, source, "-lpthread", cudart=cudart), *recording.arguments]
        program, *arguments = PYTHON[recording.program]
        return self.acceptance.program(program, *arguments)

    def read(self, recording):
        """The largest files are those of processes that used the device."""
        written = sorted(self.folder.glob(f"{recording.file}.*.txt"), key=lambda path: -path.stat().st_size)
        for path in written[:LARGEST_FILES]:
            if READER.exists():
                outcome = self.acceptance.run(f"read-{path.stem}", [sys.executable, READER, path], READ_S, look=False)
                answers = parsed(outcome.stdout) if outcome.good else None
                if answers is None:
                    self.tell(f"{recording.name}: not readable: {outcome.why()}")
                self.add(recording, answers or [])
        for path in written:
            self.acceptance.evidence.keep_recording(path)
        if not written and not any(name.startswith(recording.name + " (") for name in self.left_out):
            self.tell(f"{recording.name}: nothing was written")

    def add(self, recording, answers):
        told = [{"recording": recording.name, **answer} for answer in answers if answer.get("answer") != NOTHING]
        with self._lock:
            self.acceptance.answers += told

    def tell(self, what):
        with self._lock:
            self.crashes.append(what)


def parsed(text):
    """The list of answers, or None."""
    try:
        answers = json.loads(text)
        return answers if isinstance(answers, list) and all(isinstance(answer, dict) for answer in answers) else None
    except ValueError:
        return None


def run(acceptance, verdicts):
    if not acceptance.has_gpu:
        verdicts.not_seen("recordings of CUPTI", "answers", "there is no GPU")
        return
    toolkit = acceptance.toolkit
    found = toolkit.find_library("libcupti", "cupti.h", ["nvidia/cu13", "nvidia/cu12", "nvidia/cuda_cupti"])
    wheels = [packages / folder for packages in toolkit.site_packages() for folder in ("nvidia/cu13", "nvidia/cuda_cupti")]
    of_wheel = next(((file, folder / "include") for folder in wheels for file in sorted((folder / "lib").glob("libcupti.so.*"))),
                    None)
    if found is None and of_wheel is None:
        verdicts.skip("recordings of CUPTI", "no libcupti with cupti.h, neither in the toolkit nor in wheels")
        return
    recorder = Recorder(acceptance, found, of_wheel)
    try:
        recorder.build()
    except Unbuildable as why:
        verdicts.fail("the recorder is built", "a library", why)
        return
    tasks = [lambda recording=recording: attempt(recorder, recording) for recording in RECORDINGS]
    out_of_time = [name for name in acceptance.running.side_by_side(tasks, min(WORKERS, os.cpu_count() or 2)) if name]
    recorded = {answer["recording"] for answer in acceptance.answers}
    verdicts.judge("recordings of CUPTI", f"answers of {len(RECORDINGS)}", f"answers of {len(recorded)}", not recorder.crashes,
                   "; ".join(recorder.crashes))
    if out_of_time:
        verdicts.fact("recordings without time", ", ".join(out_of_time))
    if recorder.left_out:
        verdicts.fact("recordings of what is not here", ", ".join(recorder.left_out))


def attempt(recorder, recording):
    """Its name where the time was over; other reasons are told by the recorder."""
    if recorder.acceptance.running.left() < 3:
        return recording.name
    try:
        recorder.record(recording)
    except Unbuildable as why:
        recorder.tell(f"{recording.name}: {why}")
    except Exception as error:
        recorder.tell(f"{recording.name}: {type(error).__name__}: {error}")
    return None

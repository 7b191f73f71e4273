"""Stage 0: what machine this is, without XSP, for the head of the table. What takes long is asked side by side, and each
question has its own limit.
"""
import ctypes.util
import datetime
import json
import os
import platform
import re
import subprocess
from pathlib import Path

from running import OutOfTime

LIMIT_S = 8
SMI_FIELDS = "name,driver_version,vbios_version,memory.total,mig.mode.current,compute_mode,persistence_mode,clocks.max.sm"
CUPTI_IN = ("usr/local/cuda*/extras/CUPTI/lib64", "usr/local/cuda*/lib64", "usr/local/cuda*/targets/x86_64-linux/lib",
            "opt/nvidia/*/*/target-linux-x64", "usr/lib/x86_64-linux-gnu")
PACKAGES = ("torch", "triton", "jax", "jaxlib", "onnxruntime", "onnxruntime-gpu", "numpy", "nvidia-cuda-cupti",
            "nvidia-cuda-cupti-cu12", "nvidia-cuda-runtime", "nvidia-cudnn-cu13")
VERSIONS = """
import importlib.metadata, json, platform, sys
found = {"Python": platform.python_version() + " " + sys.executable}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except Exception:
        pass
print(json.dumps(found))
"""
CUPTI_VERSION = """
import ctypes, sys
version = ctypes.c_uint32()
status = ctypes.CDLL(sys.argv[1]).cuptiGetVersion(ctypes.byref(version))
print(f"API {version.value}" if status == 0 else f"cuptiGetVersion returns {status}")
"""
IMPORTS = "import importlib\nfor name in ('torch', 'triton', 'jax'):\n    try:\n        importlib.import_module(name)\n" \
          "    except Exception:\n        pass\n"


def run(acceptance, verdicts):
    """The facts; what is printed in full is in the evidence's log."""
    warm(acceptance)
    said = {}
    questions = {
        "nvidia-smi": lambda: gpus(acceptance),
        "cuda": lambda: compilers(acceptance),
        "modules": lambda: modules(acceptance),
        "cupti": lambda: cupti_files(acceptance),
        "host": host,
    }
    answers = acceptance.running.side_by_side([guarded(question) for question in questions.values()], len(questions))
    for answer in answers:
        said.update(answer)
    acceptance.facts.update(said)
    verdicts.fact("facts of the machine", len(said))


def guarded(question):
    """No answer is worth more than the others."""
    def ask():
        try:
            return question()
        except Exception as error:
            return {f"{getattr(question, '__name__', 'a question')} has no answer": f"{type(error).__name__}: {error}"}
    return ask


def warm(acceptance):
    """Has the big modules read from a cold disk while other things are found out. Nobody waits for it."""
    try:
        acceptance.running.start("imports", [acceptance.python, "-c", IMPORTS], acceptance.environment(),
                                 keep=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except OSError:
        pass


def asked(acceptance, name, command):
    """The Outcome, or None where there is no such program."""
    try:
        return acceptance.run(f"fact-{name}", command, LIMIT_S, look=False)
    except OSError:
        return None


def gpus(acceptance):
    facts = {}
    query = asked(acceptance, "gpus", ["nvidia-smi", f"--query-gpu={SMI_FIELDS}", "--format=csv,noheader"])
    if query is None:
        facts["nvidia-smi"] = "is not here"
    elif not query.good:
        facts["nvidia-smi"] = query.why()
    else:
        facts["nvidia-smi"] = f"{'; '.join(query.stdout.strip().splitlines())} ({SMI_FIELDS})"
        asked(acceptance, "nvidia-smi", ["nvidia-smi"])
    facts["/proc/driver/nvidia/version"] = first_line("/proc/driver/nvidia/version")
    restricts = re.search(r"RmProfilingAdminOnly: *(\d+)", text_of("/proc/driver/nvidia/params"))
    facts["counters for root only"] = restricts[1] if restricts else first_line("/proc/driver/nvidia/params")
    facts["devices"] = ", ".join(sorted(path.name for path in Path("/dev").glob("nvidia*"))) or "no /dev/nvidia*"
    return facts


def compilers(acceptance):
    facts = {}
    nvcc = acceptance.toolkit.nvcc()
    facts["nvcc"] = f"{nvcc} {version_of(acceptance, 'nvcc', nvcc, 'release')}" if nvcc else "none"
    for name in ("gcc", "g++", "gdb", "cuda-gdb"):
        version = version_of(acceptance, name, name, "")
        facts[name] = version or "none"
    return facts


def version_of(acceptance, name, program, word):
    outcome = asked(acceptance, name, [program, "--version"])
    lines = outcome.stdout.strip().splitlines() if outcome and outcome.good else []
    return next((line.strip() for line in lines if word in line), "")


def modules(acceptance):
    outcome = asked(acceptance, "modules", [acceptance.python, "-c", VERSIONS, *PACKAGES])
    found = json.loads(outcome.stdout) if outcome and outcome.good else {"Python": outcome.why() if outcome else "does not run"}
    version = found.pop("Python")
    return {"Python": version, "modules": ", ".join(f"{name} {value}" for name, value in found.items()) or "none"}


def cupti_files(acceptance):
    """Each libcupti of the machine with its version. That is asked in a process of its own: without a driver it may crash."""
    known = [folder for pattern in CUPTI_IN for folder in Path("/").glob(pattern)]
    known += [root / "lib" for root in acceptance.toolkit.roots()]
    known += [packages / inside / "lib" for packages in acceptance.toolkit.site_packages()
              for inside in ("nvidia/cu13", "nvidia/cu12", "nvidia/cuda_cupti")]
    files = {file for folder in known for file in folder.glob("libcupti.so*")}
    # Partial where the time ends before the disk.
    search = acceptance.run("fact-find-libcupti", ["find", "/", "-xdev", "-name", "libcupti.so*"], LIMIT_S, look=False)
    files |= {Path(line) for line in search.stdout.splitlines() if line.startswith("/")}
    real = sorted({file.resolve() for file in files if file.is_file() and re.fullmatch(r"libcupti\.so[.0-9]*", file.name)})
    tasks = [lambda i=i, file=file: cupti_version(acceptance, i, file) for i, file in enumerate(real)]
    versions = acceptance.running.side_by_side(tasks, 4) if tasks else []
    of_version = {}
    for file, version in zip(real, versions):
        of_version.setdefault(version, []).append(str(file))
    facts = {f"libcupti {version}": several(names) for version, names in sorted(of_version.items())} or {"libcupti": "none found"}
    linked = ctypes.util.find_library("cupti")
    if linked:
        facts["the loader's libcupti"] = linked
    if search.timed_out:
        facts["search for libcupti"] = f"not ended in {LIMIT_S} s: there may be more"
    return facts


def several(names, most=4):
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def cupti_version(acceptance, number, file):
    try:
        outcome = asked(acceptance, f"cupti-{number}", [acceptance.python, "-c", CUPTI_VERSION, file])
    except OutOfTime:
        return "that there was no time to ask"
    if outcome.timed_out:
        return "without an answer"
    return outcome.stdout.strip() if outcome.good else f"that crashes or cannot be loaded ({outcome.returncode})"


def host():
    cpus = len(os.sched_getaffinity(0))
    model = re.search(r"model name\s*:\s*(.*)", text_of("/proc/cpuinfo", 8192))
    memory = re.search(r"MemTotal:\s*(\d+)", text_of("/proc/meminfo"))
    capabilities = re.search(r"CapEff:\s*(\w+)", text_of("/proc/self/status"))
    can_administer = bool(int(capabilities[1], 16) >> 21 & 1) if capabilities else "?"
    shm = os.statvfs("/dev/shm") if Path("/dev/shm").exists() else None
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "kernel": f"{platform.system()} {platform.release()}, glibc {platform.libc_ver()[1]}",
        "clock source": first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "CPUs": f"{cpus} ({model[1] if model else platform.machine()})",
        "memory": f"{int(memory[1]) / 1e6:.0f} GB, /dev/shm {shm.f_frsize * shm.f_blocks / 1e9:.0f} GB" if memory and shm else "?",
        "user": f"{os.getuid()}, CAP_SYS_ADMIN {can_administer}, ptrace_scope "
                f"{first_line('/proc/sys/kernel/yama/ptrace_scope')}",
        "core_pattern": first_line("/proc/sys/kernel/core_pattern"),
    }


def text_of(path, limit=1 << 16):
    try:
        with open(path, "rb") as file:
            return file.read(limit).decode(errors="replace")
    except OSError:
        return ""


def first_line(path):
    lines = text_of(path).strip().splitlines()
    return lines[0] if lines else "cannot be read"

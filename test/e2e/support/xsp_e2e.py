"""For the end-to-end tests: runs programs with and without xsp-run and reads what came out.

A test is a script that runs checks and ends with exit status 0; 77 means skipped, with the reason on stdout. meson gives
it XSP_SOURCE_DIR, XSP_BUILD_DIR and, where a test is about a framework, XSP_TEST_FRAMEWORK (its title) and XSP_TEST_FOLDER
(its Python in build/python; empty: the distribution's). Without them a test runs on what scripts/setup has by default.
"""
import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .trace_reader import read_trace

SOURCE = Path(os.environ.get("XSP_SOURCE_DIR", Path(__file__).resolve().parents[3]))
BUILD = Path(os.environ.get("XSP_BUILD_DIR", SOURCE / "build"))
XSP_RUN = BUILD / "inject/launch/xsp-run"
XSP_REPORT = BUILD / "analysis/xsp-report"
XSP_COLLECTOR = BUILD / "collector/xsp-collector"
PROGRAMS = SOURCE / "test/programs"
SYSTEM_PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable

SKIPPED = 77
TIMEOUT_S = 120


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def check(condition, what):
    """Fails the test, naming the broken behaviour."""
    if not condition:
        print(f"FAILED: {what}")
        sys.exit(1)


def check_equal(got, expected, what):
    check(got == expected, f"{what}\n  expected: {str(expected)[:2000]}\n  got:      {str(got)[:2000]}")


def has_module(python, module):
    if not os.path.exists(python):
        return False
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", probe], capture_output=True).returncode == 0


def framework_python(module, title, folder):
    """The Python whose `module` this test is about: meson's choice, else that of `folder` in build/python."""
    title = os.environ.get("XSP_TEST_FRAMEWORK", title)
    folder = os.environ.get("XSP_TEST_FOLDER", folder)
    if not folder:
        if not has_module(SYSTEM_PYTHON, module):
            skip(f"{title} ({SYSTEM_PYTHON} has no {module})")
        return SYSTEM_PYTHON
    python = str(BUILD / "python" / folder / "bin/python")
    if not os.path.exists(python):
        skip(f"{title} (build/python/{folder} is not there: scripts/setup --frameworks all)")
    if not has_module(python, module):
        skip(f"{title} (build/python/{folder} has no {module}: scripts/setup --frameworks all)")
    return python


def torch_python():
    return framework_python("torch", "PyTorch of the distribution", "")


def ort_python():
    return framework_python("onnxruntime", "newest ONNX Runtime", "ort")


def tensorflow_python():
    return framework_python("tensorflow", "newest TensorFlow", "tensorflow")


def mxnet_python():
    return framework_python("mxnet", "MXNet 1.9", "mxnet")


def keras_python():
    return framework_python("keras", "newest TensorFlow", "tensorflow")


def numpy_python():
    return framework_python("numpy", "NumPy of the distribution", "")


def work_folder():
    """An empty folder for this test, removed at its end; becomes the current folder."""
    folder = Path(tempfile.mkdtemp(prefix="xsp-e2e-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
    return folder


def clean_environment(**extra):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("XSP_") and k != "LD_PRELOAD"}
    # Two framework threads on two shared cores wait more than they work; bit-equal results need a fixed number.
    environment.update({"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"})
    environment.update({k: str(v) for k, v in extra.items()})
    return environment


def run(*command, env=None, **options):
    options.setdefault("timeout", TIMEOUT_S)
    return subprocess.run([str(c) for c in command], capture_output=True, env=env or clean_environment(), **options)


class Profiled:
    """Outcome of xsp-run: the finished process, and the trace it left."""

    def __init__(self, process, path):
        self.process = process
        self.returncode = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr.decode(errors="replace")
        self.path = Path(path)

    @property
    def trace(self):
        path = self.path if self.path.exists() else Path(f"{self.path}.partial")
        check(path.exists(), f"xsp-run left no trace; it said:\n{self.stderr}")
        return read_trace(path)

    def check_success(self):
        check(self.returncode == 0, f"exit status {self.returncode}; stderr:\n{self.stderr}")
        return self


def xsp_run(*command, options=(), output="trace.pb", env=None, **popen):
    """Runs the command under xsp-run with `-f -o output`."""
    done = run(XSP_RUN, "-f", "-o", output, *options, "--", *command, env=env, **popen)
    return Profiled(done, Path(popen.get("cwd", ".")) / output)


def start_xsp_run(*command, options=(), output="trace.pb", env=None):
    return subprocess.Popen([str(c) for c in (XSP_RUN, "-f", "-o", output, *options, "--", *command)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env or clean_environment())


def report(trace, *options):
    """Tables of xsp-report in JSON, as it prints them."""
    done = run(XSP_REPORT, *options, "--format", "json", trace)
    check(done.returncode == 0, f"xsp-report: exit status {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def children_named(pid, name):
    """Process ids of the children of `pid` whose program is `name`."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            status = (entry / "stat").read_text()
        except OSError:
            continue
        command, rest = status[status.index("(") + 1 :].rsplit(")", 1)
        if int(rest.split()[1]) == pid and command == name[:15]:
            found.append(int(entry.name))
    return found


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    check(False, f"{what}: not within {seconds} s")
    return None


def listens(socket):
    """Whether somebody accepts connections there. A socket's file exists a little earlier, before its mode is set."""
    accepts = 0x10000  # SO_ACCEPTCON
    for line in Path("/proc/net/unix").read_text(errors="replace").splitlines()[1:]:
        fields = line.split(maxsplit=7)
        if len(fields) == 8 and fields[7] == str(socket):
            return int(fields[3], 16) & accepts != 0
    return False


def wait_for_listener(socket):
    """Waits until a collector accepts connections at this path."""
    wait_until(lambda: listens(socket), "the collector listens")


def cached_model(maker, name, python, *arguments):
    """A generated ONNX file, made once per build folder: with `python` if it has the package onnx, else with the Python for
    which scripts/setup installs it. The files are old enough for every ONNX Runtime that tests run on."""
    path = BUILD / "test-models" / name
    if not path.exists():
        pythons = [p for p in (str(python), str(BUILD / "python/ort/bin/python")) if has_module(p, "onnx")]
        if not pythons:
            skip("the package onnx, which makes the models (build/python/ort: scripts/setup)")
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        made = run(pythons[0], maker, temporary, *arguments)
        check(made.returncode == 0, f"{maker}: {made.stderr.decode()}")
        os.replace(temporary, path)
    return path


def resnet50_onnx(python):
    return cached_model(SOURCE / "scripts/make_resnet50_onnx.py", "resnet50.onnx", python)


def branching_onnx(python):
    return cached_model(SOURCE / "test/models/make_branching_onnx.py", "branching.onnx", python)

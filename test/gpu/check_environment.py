"""Check: the bundle runs here, and what frameworks say of themselves; what device there is."""
import json

PROBE = """
import json, importlib, sys
found = {}
try:
    module = importlib.import_module(sys.argv[1])
    found["version"] = getattr(module, "__version__", "?")
    if sys.argv[1] == "torch":
        found["cuda"] = module.version.cuda
        found["cudnn"] = module.backends.cudnn.version()
        found["available"] = module.cuda.is_available()
    if sys.argv[1] == "onnxruntime":
        found["providers"] = module.get_available_providers()
except Exception as error:
    found["missing"] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""

DEVICE = """
import ctypes, json
found = {"count": 0}
try:
    cuda = ctypes.CDLL("libcuda.so.1")
    status = cuda.cuInit(0)
    count, version, name = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(128)
    if status:
        found["why"] = f"cuInit returns {status}"
    elif cuda.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        found["why"] = "the driver has no device"
    else:
        cuda.cuDriverGetVersion(ctypes.byref(version))
        cuda.cuDeviceGetName(name, 128, 0)
        found.update(count=count.value, name=name.value.decode(), cuda=version.value)
except OSError as error:
    found["why"] = f"no CUDA driver ({error})"
try:
    found["driver"] = open("/proc/driver/nvidia/version").read().splitlines()[0]
except (OSError, IndexError):
    pass
print(json.dumps(found))
"""


def last_json(text):
    for line in reversed(text.strip().splitlines()):
        try:
            return json.loads(line)
        except ValueError:
            continue
    return {}


def find_device(acceptance):
    """What the driver says: count (0: none, with why), name, cuda."""
    outcome = acceptance.run("device", [acceptance.python, "-c", DEVICE], timeout=60)
    found = last_json(outcome.stdout)
    return found or {"count": 0, "why": outcome.why()}


def find_module(acceptance, name):
    """version and more of a Python module; missing: why it is not there."""
    outcome = acceptance.run(f"module-{name}", [acceptance.python, "-c", PROBE, name], timeout=120)
    return last_json(outcome.stdout) or {"missing": outcome.why()}


def run(acceptance, verdicts):
    names = ("torch", "triton", "jax", "onnxruntime")
    modules = acceptance.running.side_by_side([lambda name=name: find_module(acceptance, name) for name in names], len(names))
    for name, found in zip(names, modules):
        acceptance.facts[name] = found.get("missing") or ", ".join(f"{k} {v}" if k != "version" else str(v)
                                                                   for k, v in found.items())
    version = acceptance.run("xsp-version", [acceptance.bundle / "bin/xsp-run", "--version"], timeout=20)
    verdicts.judge("the bundle runs", "its version", version.stdout.strip(), version.good, version.why())
    check = acceptance.run("xsp-check", [acceptance.bundle / "bin/xsp-run", "--check", "--", acceptance.python], timeout=60)
    verdicts.judge("xsp-run --check", "exit status 0", check.returncode, check.good, check.why())

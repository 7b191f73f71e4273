#include <fmt/format.h>

#include <utility>

#include "base/program_lookup.h"
#include "inject/launch/check/check_frameworks.h"
#include "inject/launch/check/check_rows.h"
#include "inject/launch/check/python_facts.h"
#include "inject/launch/run/captured_output.h"

namespace xsp::launch {
namespace {

using State = CheckRow::State;

/// Imports no framework: what it tells comes from installed metadata and from files.
constexpr const char* kProbe = R"probe(
import ctypes, glob, importlib.util, json, os, re, sys
try:
    from importlib.metadata import version as version_of
except ImportError:  # before 3.8
    def version_of(name):
        import pkg_resources
        return pkg_resources.get_distribution(name).version

def folder_of(module):
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None, False
    if spec is None:
        return None, False
    folders = list(spec.submodule_search_locations or [])
    return (folders[0] if folders else os.path.dirname(spec.origin or "")), bool(spec.origin)

def metadata_version(names):
    for name in names:
        try:
            version = version_of(name)
            if version:
                return version
        except Exception:
            pass

def text_of(*path):
    try:
        with open(os.path.join(*path), errors="replace") as file:
            return file.read()
    except OSError:
        return ""

def framework(module, distributions, files=()):
    folder, is_package = folder_of(module)
    version = metadata_version(distributions)
    if folder is None and version is None:
        return None
    if not is_package and version is None:
        return None  # a folder of that name
    if folder is None or not is_package:
        return {"version": version, "broken": "there is metadata but no package: removed or installed by halves"}
    missing = [name for name in files if not os.path.exists(os.path.join(folder, name))]
    if version is None:
        written = re.search(r"^(?:__version__|version) *(?::[^=]*)?= *['\"]([^'\"]+)", text_of(folder, "version.py"), re.M)
        version = written.group(1) if written else "of unknown version"
    found = {"version": version, "folder": folder}
    if missing:
        found["broken"] = missing[0] + " is missing in " + folder + ": removed or installed by halves"
    return found

torch = framework("torch", ["torch"], ["__init__.py", "lib/libtorch_cpu.so", "lib/libc10.so"])
if torch and "folder" in torch:
    for library in ("libtorch_cpu", "libc10"):
        torch[library] = torch["folder"] + "/lib/" + library + ".so"
    torch["cuda"] = os.path.exists(torch["folder"] + "/lib/libtorch_cuda.so")
ort = framework("onnxruntime", ["onnxruntime", "onnxruntime-gpu", "onnxruntime-training"],
                ["__init__.py", "capi/onnxruntime_inference_collection.py"])
if ort and "folder" in ort:
    sessions = text_of(ort["folder"], "capi/onnxruntime_inference_collection.py")
    ort["makes_sessions"] = "def _create_inference_session" in sessions
def libraries_of(framework, *patterns):
    if framework and "folder" in framework:
        framework["libraries"] = [path for pattern in patterns for path in sorted(glob.glob(framework["folder"] + pattern))]
    return framework

tensorflow = framework("tensorflow", ["tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tf-nightly"])
mxnet = framework("mxnet", ["mxnet", "mxnet-mkl", "mxnet-native", "mxnet-cu102", "mxnet-cu112"])
found = {
    "torch": torch,
    "onnxruntime": ort,
    # The package of 1.15 lies in a folder beside it.
    "tensorflow": libraries_of(tensorflow, "/libtensorflow*.so.*", "/../tensorflow_core/libtensorflow_framework.so.*",
                               "/../tensorflow_core/python/_pywrap_tensorflow_internal.so"),
    "jax": framework("jax", ["jax"]),
    "mxnet": libraries_of(mxnet, "/libmxnet.so"),
    "keras": framework("keras", ["keras", "keras-nightly"]),
    "tensorrt": framework("tensorrt", ["tensorrt", "tensorrt-cu12", "tensorrt-cu13"]),
    "triton": framework("triton", ["triton"]),
    "numpy": framework("numpy", ["numpy"]),
}

def folders_of_cupti():
    found = []
    for package in ("nvidia", "torch"):
        folder = folder_of(package)[0]
        if folder:
            found += glob.glob(folder + "/cu*/lib") + glob.glob(folder + "/cuda_cupti/lib") + [folder + "/lib"]
    return found

with open("/proc/self/maps") as maps:
    shared = "libpython3" in maps.read()
print("\nxsp-check-facts " + json.dumps({
    "implementation": sys.implementation.name,
    "version": ".".join(map(str, sys.version_info[:3])),
    "executable": sys.executable,
    "shared": shared,
    "before_3_8": sys.version_info < (3, 8),
    "audit_hook": hasattr(ctypes.pythonapi, "PySys_AddAuditHook"),
    "cupti_folders": folders_of_cupti(),
    "frameworks": {name: of for name, of in found.items() if of},
}), flush=True)
)probe";

std::optional<PythonFacts> probed(const std::string& program) {
  const auto text = captured_output({program, "-c", kProbe}, true);
  return text ? parse_python_facts(*text) : std::nullopt;
}

CheckRow interpreter_row(const PythonFacts& found) {
  const std::string title = fmt::format("{} {} at {}", found.implementation, found.version, found.executable);
  if (found.is_before_3_8) {
    return {"Python", State::kDegraded,
            title + ": older than 3.8, so no modules of PyTorch or Keras; what is called in C is recorded"};
  }
  if (!found.has_audit_hook) {
    return {"Python", State::kMissing, title + ": PySys_AddAuditHook is not exported",
            "CPython 3.8 or newer that is not stripped of its dynamic symbols"};
  }
  return {"Python", State::kOk,
          fmt::format("{}, {}", title, found.is_shared ? "shared libpython" : "libpython inside")};
}

CheckRow analyses_row(bool any_framework) {
  if (any_framework) {
    return {"analyses", State::kOk,
            "A1 (model), A2 to A7 (layers), kernels where the CUDA rows allow, Q1 (quality); hardware counters with "
            "--metrics where their row allows"};
  }
  return {"analyses", State::kDegraded,
          "no framework here: only what the program marks itself (xsp.h, import xsp), and Q1",
          "xsp-run --check -- /path/to/the/python/of/your/program"};
}

}  // namespace

std::vector<CheckRow> check_python(const std::string& interpreter, std::vector<std::string>* cupti_folders) {
  const std::string program = find_program(interpreter);
  if (program.empty()) {
    return {{"Python", State::kDegraded, interpreter + " not found", "xsp-run --check -- /path/to/python"}};
  }
  const std::optional<PythonFacts> found = probed(program);
  if (!found) {
    return {{"Python", State::kDegraded, interpreter + " does not answer as a Python 3",
             "xsp-run --check -- /path/to/python"}};
  }
  cupti_folders->insert(cupti_folders->end(), found->cupti_folders.begin(), found->cupti_folders.end());
  std::vector<CheckRow> rows = {interpreter_row(*found)};
  bool any_framework = false;
  for (CheckRow& row : framework_rows(found->frameworks, &any_framework)) rows.push_back(std::move(row));
  rows.push_back(analyses_row(any_framework && rows.front().state != State::kMissing));
  return rows;
}

}  // namespace xsp::launch

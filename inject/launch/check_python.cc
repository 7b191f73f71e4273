#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "captured_output.h"
#include "check_rows.h"
#include "command_lookup.h"

namespace xsp::launch {
namespace {

using Json = nlohmann::json;
using State = CheckRow::State;

/// Imports no framework: their versions come from the installed metadata.
constexpr const char* kProbe = R"(
import ctypes, glob, importlib.metadata, importlib.util, json, sys

def version_of(module):
    if importlib.util.find_spec(module) is None:
        return None
    for distribution in (module, module + "-gpu"):
        try:
            return importlib.metadata.version(distribution)
        except importlib.metadata.PackageNotFoundError:
            pass
    return "of unknown version"

def folders_of_cupti():
    found = []
    for package in ("nvidia", "torch"):
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            found += glob.glob(folder + "/cu*/lib") + glob.glob(folder + "/cuda_cupti/lib") + [folder + "/lib"]
    return found

with open("/proc/self/maps") as maps:
    shared = "libpython3" in maps.read()
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": ".".join(map(str, sys.version_info[:3])),
    "executable": sys.executable,
    "shared": shared,
    "audit_hook": hasattr(ctypes.pythonapi, "PySys_AddAuditHook"),
    "cupti_folders": folders_of_cupti(),
    "torch": version_of("torch"),
    "onnxruntime": version_of("onnxruntime"),
}))
)";

struct Framework {
  const char* module;
  const char* title;
  const char* tested;
};

constexpr Framework kFrameworks[] = {
    {"torch", "PyTorch", "tested: 1.13 to 2.15"},
    {"onnxruntime", "ONNX Runtime", "tested: 1.31"},
};

CheckRow interpreter_row(const Json& found) {
  const std::string title = fmt::format("{} {} at {}", found.value("implementation", ""), found.value("version", ""),
                                        found.value("executable", ""));
  if (!found.value("audit_hook", false)) {
    return {"Python", State::kMissing, title + ": PySys_AddAuditHook is not exported",
            "CPython 3.8 or newer that is not stripped of its dynamic symbols"};
  }
  return {"Python", State::kOk,
          fmt::format("{}, {}", title, found.value("shared", false) ? "shared libpython" : "libpython inside")};
}

CheckRow framework_row(const Framework& framework, const Json& found) {
  const Json version = found.value(framework.module, Json());
  if (!version.is_string()) return {framework.title, State::kUnused, "not installed in this Python"};
  return {framework.title, State::kOk, fmt::format("{} ({})", version.get<std::string>(), framework.tested)};
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
  const auto text = captured_output({program, "-c", kProbe}, true);
  const Json found = text ? Json::parse(*text, nullptr, false) : Json();
  if (!found.is_object()) {
    return {{"Python", State::kDegraded, interpreter + " does not answer as a Python 3.8 or newer",
             "xsp-run --check -- /path/to/python"}};
  }
  for (const Json& folder : found.value("cupti_folders", Json::array())) {
    if (folder.is_string()) cupti_folders->push_back(folder.get<std::string>());
  }
  std::vector<CheckRow> rows = {interpreter_row(found)};
  bool any_framework = false;
  for (const Framework& framework : kFrameworks) {
    rows.push_back(framework_row(framework, found));
    any_framework = any_framework || rows.back().state == State::kOk;
  }
  rows.push_back(analyses_row(any_framework && rows.front().state == State::kOk));
  return rows;
}

}  // namespace xsp::launch

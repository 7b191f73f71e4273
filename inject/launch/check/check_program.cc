#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "base/program_lookup.h"
#include "inject/launch/check/check_frameworks.h"
#include "inject/launch/check/check_rows.h"
#include "inject/launch/run/captured_output.h"
#include "inject/launch/run/library_file.h"
#include "inject/launch/run/script_interpreter.h"
#include "inject/launch/run/unrecordable_program.h"

namespace xsp::launch {
namespace {

using State = CheckRow::State;
namespace fs = std::filesystem;

constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";

bool is_python_name(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.starts_with("python") || name.starts_with("pypy");
}

/// What the dynamic loader would load, by soname, with its path: also what comes by RUNPATH and LD_LIBRARY_PATH. The
/// loader is asked, which runs nothing of the program.
std::map<std::string, std::string> loaded_with(const std::string& program) {
  std::map<std::string, std::string> found;
  const auto text = captured_output({"env", "LD_TRACE_LOADED_OBJECTS=1", kLoader, program}, true);
  std::istringstream lines(text.value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const size_t arrow = line.find(" => ");
    if (arrow == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t");
    const std::string path = line.substr(arrow + 4, line.find(" (", arrow) - arrow - 4);
    found[line.substr(begin, arrow - begin)] = path == "not found" ? "" : path;
  }
  return found;
}

/// Path of the library whose soname begins so, null if there is none.
const std::string* library(const std::map<std::string, std::string>& libraries, const std::string& beginning) {
  const auto at = libraries.lower_bound(beginning);
  return at != libraries.end() && at->first.starts_with(beginning) ? &at->second : nullptr;
}

/// Those that XSP has wrappers for.
std::string wrapped_libraries(const std::map<std::string, std::string>& libraries) {
  constexpr const char* kWrapped[] = {"libblas", "libcblas", "libcublas", "libcublasLt", "libcudnn",
                                      "libdnnl", "libmkl",   "libnccl",   "libopenblas"};
  std::string names;
  for (const auto& [soname, path] : libraries) {
    const bool is_wrapped = std::any_of(std::begin(kWrapped), std::end(kWrapped),
                                        [&library = soname](const char* name) { return library.starts_with(name); });
    if (is_wrapped) names += (names.empty() ? "" : ", ") + soname;
  }
  return names;
}

std::vector<CheckRow> linked_rows(const std::map<std::string, std::string>& libraries) {
  std::vector<CheckRow> rows;
  bool has_framework = false;
  if (const std::string* torch = library(libraries, "libtorch_cpu.so")) {
    has_framework = true;
    const std::string* c10 = library(libraries, "libc10.so");
    rows.push_back({"PyTorch", State::kOk, *torch});
    rows.push_back({"  models", State::kOk, "calls of scripted modules; their operators are the layers"});
    for (CheckRow& row : torch_library_rows(*torch, c10 == nullptr ? "" : *c10)) rows.push_back(std::move(row));
  }
  if (const std::string* ort = library(libraries, "libonnxruntime.so")) {
    has_framework = true;
    rows.push_back({"ONNX Runtime", State::kOk, *ort});
    if (LibraryFile(*ort).defines("OrtGetApiBase")) {
      rows.push_back({"  models, layers", State::kOk, "runs and their nodes, by the table of its C API"});
    } else {
      rows.push_back({"  models, layers", State::kDegraded, "none: it does not export OrtGetApiBase"});
    }
  }
  const std::string wrapped = wrapped_libraries(libraries);
  if (!wrapped.empty()) rows.push_back({"library calls", State::kOk, wrapped});
  if (!has_framework) {
    rows.push_back({"frameworks", State::kUnused, "linked to none; what it opens later is recorded, too"});
  }
  return rows;
}

}  // namespace

std::string python_of(const std::string& command) {
  const std::string program = find_program(command);
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  if (program.empty() || is_python_name(program) || is_python_name(real)) return command;
  const std::string interpreter = script_interpreter(program);
  return is_python_name(interpreter) ? interpreter : "";
}

std::vector<CheckRow> check_program_file(const std::string& command) {
  const std::string program = find_program(command);
  const std::string interpreter = script_interpreter(program);
  if (!interpreter.empty()) {
    return {{"program", State::kOk,
             fmt::format("{} is a script of {}: what it starts is recorded", program, interpreter),
             "name what it starts: xsp-run --check -- /path/to/python"}};
  }
  if (const auto found = unrecordable_program(program)) {
    return {{"program", State::kMissing, fmt::format("{} {}", program, found->why), found->remedy}};
  }
  if (!LibraryFile(program).is_readable()) {
    return {{"program", State::kMissing, program + " is no program of x86-64 Linux that can be read",
             "name the program itself: xsp-run --check -- /path/to/program"}};
  }
  const std::map<std::string, std::string> libraries = loaded_with(program);
  std::string absent;
  for (const auto& [soname, path] : libraries) {
    if (path.empty()) absent += (absent.empty() ? "" : ", ") + soname;
  }
  std::vector<CheckRow> rows;
  if (libraries.empty()) {
    rows.push_back({"program", State::kDegraded, program + ": the loader does not tell what it is linked to"});
  } else if (absent.empty()) {
    rows.push_back({"program", State::kOk, program});
  } else {
    rows.push_back({"program", State::kMissing, fmt::format("{}: not found: {}", program, absent),
                    "LD_LIBRARY_PATH=/path/to/its/libraries"});
  }
  for (CheckRow& row : linked_rows(libraries)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace xsp::launch

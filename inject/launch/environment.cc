#include "environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace xsp::launch {
namespace {

void unset(std::vector<std::string>* environment, const std::string& name) {
  const std::string prefix = name + "=";
  std::erase_if(*environment, [&](const std::string& entry) { return entry.starts_with(prefix); });
}

void set(std::vector<std::string>* environment, const std::string& name, const std::string& value) {
  unset(environment, name);
  environment->push_back(name + "=" + value);
}

void set_unless_there(std::vector<std::string>* environment, const std::string& name, const std::string& value) {
  if (std::getenv(name.c_str()) == nullptr) set(environment, name, value);
}

/// NVTX and ITT look for their tool by these. One that the user names gets the ranges, and we do not.
void set_range_injection(std::vector<std::string>* environment, const std::string& library) {
  set_unless_there(environment, "NVTX_INJECTION64_PATH", library);
  if (std::getenv("INTEL_LIBITTNOTIFY64") != nullptr) return;
  set(environment, "INTEL_LIBITTNOTIFY64", library);
  // oneDNN's default also sends a task for each of its worker threads: the same call once per thread.
  if (std::getenv("DNNL_ITT_TASK_LEVEL") == nullptr) set_unless_there(environment, "ONEDNN_ITT_TASK_LEVEL", "1");
}

/// `library` before what the user has in the variable (LD_PRELOAD, LD_AUDIT), once.
std::string list_with(const std::string& library, const char* variable) {
  const char* value = std::getenv(variable);
  const std::string_view present = value != nullptr ? value : "";
  if (present.empty() || present == library) return library;
  if (present.starts_with(library + ":")) return std::string(present);
  return library + ":" + std::string(present);
}

}  // namespace

std::vector<std::string> command_environment(const Options& options, const std::string& library,
                                             const std::string& socket, const std::string& scratch, pid_t pid,
                                             const std::string& auditor) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  set(&environment, "LD_PRELOAD", list_with(library, "LD_PRELOAD"));
  if (!auditor.empty()) set(&environment, "LD_AUDIT", list_with(auditor, "LD_AUDIT"));
  set_range_injection(&environment, library);
  set(&environment, "XSP_SOCKET", socket);
  set(&environment, "XSP_SCRATCH", scratch);
  if (!options.level.empty()) set(&environment, "XSP_LEVEL", options.level);
  if (!options.library_calls.empty()) set(&environment, "XSP_LIBRARY_CALLS", options.library_calls);
  // That of an xsp-run around this one would shut the command out.
  unset(&environment, "XSP_ONLY_PID");
  if (options.no_children) set(&environment, "XSP_ONLY_PID", std::to_string(pid));
  if (!options.on_full.empty()) set(&environment, "XSP_ON_FULL", options.on_full);
  return environment;
}

}  // namespace xsp::launch

#include "inject/launch/run/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "inject/launch/run/concurrency_words.h"
#include "inject/launch/run/cupti_search.h"
#include "inject/launch/run/preload_name.h"
#include "proto/environment.h"

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

std::string environment_text(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// NVTX and ITT look for their tool by these. One that the user names gets the ranges, and we do not.
void set_range_injection(std::vector<std::string>* environment, const std::string& library, bool library_level) {
  set_unless_there(environment, "NVTX_INJECTION64_PATH", library);
  if (std::getenv("INTEL_LIBITTNOTIFY64") != nullptr) return;
  set(environment, "INTEL_LIBITTNOTIFY64", library);
  // oneDNN's default also sends a task for each of its worker threads: the same call once per thread. Above the library
  // level its tasks are not recorded.
  const char* tasks = library_level ? "1" : "0";
  if (std::getenv("DNNL_ITT_TASK_LEVEL") == nullptr) set_unless_there(environment, "ONEDNN_ITT_TASK_LEVEL", tasks);
}

/// `library` before what the user has in the variable (LD_PRELOAD, LD_AUDIT), once.
std::string list_with(const std::string& library, const char* variable) {
  const char* value = std::getenv(variable);
  const std::string_view present = value != nullptr ? value : "";
  if (present.empty() || present == library) return library;
  if (present.starts_with(library + ":")) return std::string(present);
  return library + ":" + std::string(present);
}

bool is_guest(const std::string& path, const std::string& library) {
  return path == library || path.ends_with("/libxsp_inject.so");
}

/// CUDA loads one tool when it starts. Where kernels are not recorded that is the user's, as without us.
void set_cuda_injection(std::vector<std::string>* environment, const std::string& library, bool kernels) {
  constexpr const char* kVariable = "CUDA_INJECTION64_PATH";
  constexpr const char* kUsers = variable::kCudaInjection;
  std::string users = environment_text(kVariable);
  // An xsp-run around this one has put the guest there, and kept what the user had named in kUsers.
  if (is_guest(users, library)) users = environment_text(kUsers);
  unset(environment, kUsers);
  if (kernels) {
    set(environment, kVariable, library);
    if (!users.empty()) set(environment, kUsers, users);
  } else if (users.empty()) {
    unset(environment, kVariable);
  } else {
    set(environment, kVariable, users);
  }
}

/// Where the guest looks for libcupti last.
void set_cupti_folders(std::vector<std::string>* environment, bool kernels) {
  constexpr size_t kMostBytes = 4000;
  unset(environment, variable::kCuptiFolders);
  if (!kernels) return;
  std::string list;
  for (const std::string& folder : wheel_cupti_folders()) {
    if (list.size() + folder.size() >= kMostBytes || folder.find(':') != std::string::npos) continue;
    list += (list.empty() ? "" : ":") + folder;
  }
  if (!list.empty()) set(environment, variable::kCuptiFolders, list);
}

/// The part of the run that is recorded.
void set_window(std::vector<std::string>* environment, const Options& options, uint64_t start_ns) {
  for (const char* name : {variable::kRange, variable::kBeginNs, variable::kDurationNs}) unset(environment, name);
  if (!options.range.empty()) set(environment, variable::kRange, options.range);
  if (options.delay_ns > 0 || options.duration_ns > 0) {
    set(environment, variable::kBeginNs, std::to_string(start_ns + options.delay_ns));
  }
  if (options.duration_ns > 0) set(environment, variable::kDurationNs, std::to_string(options.duration_ns));
}

}  // namespace

std::vector<std::string> command_environment(const Options& options, const CommandContext& context) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  set(&environment, "LD_PRELOAD", list_with(preload_name(context.library), "LD_PRELOAD"));
  if (!context.auditor.empty()) set(&environment, "LD_AUDIT", list_with(preload_name(context.auditor), "LD_AUDIT"));
  // A range may be one of oneDNN's tasks.
  const bool has_library_level = options.level.empty() || options.level == "library" || options.level == "kernel";
  set_range_injection(&environment, context.library, has_library_level || !options.range.empty());
  const bool has_kernel_level = options.level.empty() || options.level == "kernel";
  set_cuda_injection(&environment, context.library, has_kernel_level);
  set_cupti_folders(&environment, has_kernel_level);
  set(&environment, variable::kSocket, context.socket);
  set(&environment, variable::kScratch, context.scratch);
  if (!options.level.empty()) set(&environment, variable::kLevel, options.level);
  if (!options.library_calls.empty()) set(&environment, variable::kLibraryCalls, options.library_calls);
  if (!options.cuda_api.empty()) set(&environment, variable::kCudaApi, options.cuda_api);
  if (!options.activities.empty()) set(&environment, variable::kActivities, options.activities);
  set_window(&environment, options, context.start_ns);
  if (!options.sample.empty()) set(&environment, variable::kSample, options.sample);
  if (!options.max_overhead.empty()) set(&environment, variable::kMaxOverhead, options.max_overhead);
  if (options.serialize) {
    set(&environment, "CUDA_LAUNCH_BLOCKING", "1");
    set(&environment, "OMP_NUM_THREADS", "1");
  }
  unset(&environment, variable::kMetrics);
  unset(&environment, variable::kMetricsLeaveOut);
  if (context.counted) {
    set(&environment, variable::kMetrics, options.metrics);
    if (!options.metrics_leave_out.empty()) set(&environment, variable::kMetricsLeaveOut, options.metrics_leave_out);
  }
  unset(&environment, variable::kConcurrency);
  if (const std::string words = concurrency_words(options, context.policy); !words.empty()) {
    set(&environment, variable::kConcurrency, words);
  }
  // One that was set by an xsp-run around this one names another process, and would shut the command out.
  unset(&environment, variable::kOnlyPid);
  if (options.no_children) set(&environment, variable::kOnlyPid, std::to_string(context.pid));
  if (!options.on_full.empty()) set(&environment, variable::kOnFull, options.on_full);
  for (const auto& [name, value] : options.variables) set(&environment, name, value);
  return environment;
}

}  // namespace xsp::launch

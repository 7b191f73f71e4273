#include "inject/launch/counters/counter_probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/owned_fd.h"
#include "inject/counters/counter_host.h"
#include "inject/counters/counter_remedies.h"
#include "inject/counters/range_functions.h"

namespace xsp::launch {
namespace {

using Json = nlohmann::json;
using guest::cupti::RangeFunctions;

/// Whatever takes longer is taken for a hang inside the driver or CUPTI.
constexpr std::chrono::seconds kLongest{20};

bool find_functions(void* library, RangeFunctions* functions) {
  return guest::each_range_function(functions, [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  });
}

Json described(const RangeFunctions& functions, int index, const std::string& metrics) {
  auto support = guest::cupti::sized<guest::cupti::ProfilerDeviceSupported>();
  support.device = index;
  support.api = guest::cupti::kRangeProfiling;
  Json device = {{"chip", ""}, {"metrics", 0}, {"passes", 0}, {"problem", ""}, {"left_out", ""}};
  auto chip = guest::cupti::sized<guest::cupti::DeviceGetChipName>();
  chip.device = static_cast<size_t>(index);
  if (functions.get_chip_name(&chip) == guest::cupti::kSuccess && chip.chip != nullptr) device["chip"] = chip.chip;
  if (functions.device_supported(&support) == guest::cupti::kSuccess) {
    device["problem"] = std::string(guest::counter_obstacle(support));
  }
  if (!device["problem"].get<std::string>().empty() || chip.chip == nullptr) return device;
  guest::CounterHost host{};
  guest::FixedText<512> left_out;
  guest::FixedText<512> what;
  const auto result = guest::open_counter_host(functions, chip.chip, metrics, nullptr, &host, &left_out, &what);
  if (result != guest::cupti::kSuccess) {
    device["problem"] = fmt::format("{} ({})", what.view(), result);
    return device;
  }
  device["metrics"] = host.metrics->count();
  device["passes"] = host.passes;
  device["left_out"] = std::string(left_out.view());
  return device;
}

/// Asks the driver: its devices, 0 without one.
int count_devices() {
  // It may name another tool, or the guest of an xsp-run around this one: neither is to profile this process.
  unsetenv("CUDA_INJECTION64_PATH");
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  auto* initialize = driver == nullptr ? nullptr : reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto* get_count = driver == nullptr ? nullptr : reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  int count = 0;
  if (initialize == nullptr || get_count == nullptr || initialize(0) != 0 || get_count(&count) != 0) return 0;
  return count;
}

Json described_devices(const std::string& cupti, const std::string& metrics) {
  const int count = count_devices();
  // Some libraries of CUPTI crash where there is no driver, whatever is called.
  if (count == 0) return {{"problem", "no NVIDIA driver or device here"}, {"has_device", false}};
  void* library = dlopen(cupti.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {{"problem", cupti.empty() ? "no libcupti was found" : cupti + " cannot be loaded"}};
  RangeFunctions functions = {};
  if (!find_functions(library, &functions)) {
    return {{"problem", cupti + " has no Range Profiler, which came with CUDA 12.6"}};
  }
  auto profiler = guest::cupti::sized<guest::cupti::ProfilerInitialize>();
  if (const int result = functions.profiler_initialize(&profiler); result != guest::cupti::kSuccess) {
    return {{"problem", fmt::format("cuptiProfilerInitialize returned {}", result)}};
  }
  Json devices = Json::array();
  for (int i = 0; i < count; ++i) devices.push_back(described(functions, i, metrics));
  return {{"devices", devices}};
}

std::string answer_of(int pipe, pid_t child) {
  std::string text;
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    char bytes[4096];
    const ssize_t size = read(pipe, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(bytes, static_cast<size_t>(size));
  }
  // After an answer it is ending by itself, without one it hangs.
  kill(child, SIGKILL);
  wait_for_child(child);
  return text;
}

/// Runs `ask` in a child process, and returns what it answers; null if it does not. A fork without exec: `ask` is no
/// program, and xsp-run has a single thread.
Json asked(const std::function<Json()>& ask, std::string* problem) {
  OwnedFd read_end;
  OwnedFd write_end;
  *problem = "no pipe to be had";
  if (!open_pipe(&read_end, &write_end)) return {};
  *problem = "no process to be had";
  const pid_t child = fork_child([&] {
    const int null = open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, stream);
    const std::string text = ask().dump(-1, ' ', false, Json::error_handler_t::replace);
    [[maybe_unused]] const ssize_t told = write(write_end.get(), text.data(), text.size());
  });
  if (child < 0) return {};
  write_end.reset();
  *problem = "CUPTI gave no answer here";
  return Json::parse(answer_of(read_end.get(), child), nullptr, false);
}

}  // namespace

std::string passes_text(const CountableDevice& device) {
  return fmt::format("{} metrics in {} pass{} a kernel on {}", device.metrics, device.passes,
                     device.passes == 1 ? "" : "es", device.chip);
}

bool has_cuda_device() {
  std::string problem;
  const Json answer = asked([] { return Json{{"devices", count_devices()}}; }, &problem);
  return answer.is_object() && answer.value("devices", 0) > 0;
}

CounterProbe probe_counters(const std::string& cupti, const std::string& metrics) {
  std::string problem;
  const Json answer = asked([&] { return described_devices(cupti, metrics); }, &problem);
  if (!answer.is_object()) return {.devices = {}, .problem = problem};
  CounterProbe probe;
  probe.problem = answer.value("problem", "");
  probe.has_device = answer.value("has_device", true);
  for (const Json& device : answer.value("devices", Json::array())) {
    probe.devices.push_back({device.value("chip", ""), device.value("metrics", 0U), device.value("passes", 0U),
                             device.value("problem", ""), device.value("left_out", "")});
  }
  return probe;
}

std::string counter_restriction() {
  constexpr uint64_t kSysAdmin = uint64_t{1} << 21;
  std::ifstream parameters("/proc/driver/nvidia/params");
  bool restricted = false;
  for (std::string line; std::getline(parameters, line);) restricted |= line.starts_with("RmProfilingAdminOnly: 1");
  if (!restricted) return {};
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("CapEff:")) continue;
    if ((std::strtoull(line.c_str() + 7, nullptr, 16) & kSysAdmin) != 0) return {};
  }
  return std::string(guest::counter_remedy(guest::cupti::kInsufficientPrivileges));
}

}  // namespace xsp::launch

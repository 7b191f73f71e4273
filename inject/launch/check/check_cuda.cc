#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "inject/launch/check/check_rows.h"
#include "inject/launch/counters/counter_probe.h"
#include "inject/launch/run/cupti_search.h"

namespace xsp::launch {
namespace {

using State = CheckRow::State;
namespace fs = std::filesystem;

CheckRow cupti_row(const CuptiFile& cupti) {
  switch (cupti.source) {
    case CuptiFile::Source::kNamed:
      if (access(cupti.path.c_str(), R_OK) == 0) return {"CUPTI", State::kOk, cupti.path + " (XSP_CUPTI)"};
      return {"CUPTI", State::kDegraded, fmt::format("XSP_CUPTI names {} ({})", cupti.path, std::strerror(errno)),
              "unset XSP_CUPTI"};
    case CuptiFile::Source::kPython:
      return {"CUPTI", State::kOk, cupti.path + " (this Python's CUDA)"};
    case CuptiFile::Source::kToolkit:
      return {"CUPTI", State::kOk, cupti.path + " (the toolkit's or the loader's)"};
    case CuptiFile::Source::kWheel:
      return {"CUPTI", State::kOk, cupti.path + " (of an installed wheel)"};
    case CuptiFile::Source::kNone:
      break;
  }
  return {"CUPTI", State::kDegraded, "no libcupti found: no kernels in the trace",
          "pip install nvidia-cuda-cupti, or XSP_CUPTI=/path/to/libcupti.so"};
}

CheckRow check_driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string version;
  std::getline(file, version);
  if (version.empty()) return {"NVIDIA driver", State::kUnused, "not loaded: no kernels on this machine"};
  return {"NVIDIA driver", State::kOk, version};
}

/// CUDA loads one tool; ours goes first and loads the user's.
CheckRow check_cuda_tool(const InstallLayout& layout) {
  const char* tool = std::getenv("CUDA_INJECTION64_PATH");
  std::error_code error;
  if (tool == nullptr || tool[0] == '\0' || fs::equivalent(tool, layout.library, error)) {
    return {"CUDA tools", State::kOk, "no other one is set (CUDA_INJECTION64_PATH)"};
  }
  return {"CUDA tools", State::kDegraded,
          fmt::format("CUDA_INJECTION64_PATH is set: {} is loaded behind XSP; where both want CUPTI, one waits", tool),
          "unset CUDA_INJECTION64_PATH"};
}

/// `cupti`: the file that would be used, empty: none.
CheckRow check_counters(const std::string& cupti, const std::string& metrics) {
  const CounterProbe probe = probe_counters(cupti, metrics.empty() ? "roofline" : metrics);
  if (!probe.problem.empty()) return {"counters", State::kUnused, probe.problem};
  for (const CountableDevice& device : probe.devices) {
    if (!device.problem.empty()) return {"counters", State::kDegraded, device.chip + ": " + device.problem};
  }
  const std::string text = passes_text(probe.devices.front());
  const std::string restriction = counter_restriction();
  if (!restriction.empty()) {
    return {"counters", State::kDegraded, text + ", which the driver will refuse", restriction};
  }
  return {"counters", State::kOk, text + " (--metrics)"};
}

}  // namespace

std::vector<CheckRow> check_cuda(const Options& options, const InstallLayout& layout,
                                 const std::vector<std::string>& python_folders) {
  const CuptiFile cupti = find_cupti(python_folders);
  return {check_driver(), cupti_row(cupti), check_cuda_tool(layout), check_counters(cupti.path, options.metrics)};
}

}  // namespace xsp::launch

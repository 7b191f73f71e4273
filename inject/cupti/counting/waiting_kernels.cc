#include "inject/cupti/counting/waiting_kernels.h"

#include "proto/communication_kernels.h"

namespace xsp::guest {
namespace {

/// Parts of names of kernels that wait for a flag and move no data themselves: PyTorch's symmetric memory, and the
/// spinning kernels of its tests and of benchmarks.
constexpr std::string_view kFlagWaiting[] = {"wait_signal_kernel", "put_signal_kernel", "barrier_kernel",
                                             "spin_kernel"};

bool has(std::string_view name, std::string_view part) { return name.find(part) != std::string_view::npos; }

}  // namespace

bool may_wait_for_others(std::string_view name, std::string_view left_out) {
  if (wire::is_communication_kernel(name)) return true;
  for (const std::string_view part : kFlagWaiting) {
    if (has(name, part)) return true;
  }
  while (!left_out.empty()) {
    const size_t comma = left_out.find(',');
    const std::string_view part = left_out.substr(0, comma);
    if (!part.empty() && has(name, part)) return true;
    left_out.remove_prefix(comma == std::string_view::npos ? left_out.size() : comma + 1);
  }
  return false;
}

}  // namespace xsp::guest

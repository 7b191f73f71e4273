#include "import/onnxruntime/kernel_events.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "collector/formats/event_time.h"

namespace xsp {
namespace {

/// GetMemcpyKindString of its CUDA profiler, in CUPTI's terms.
constexpr std::array kCopies = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"MemcpyHostToDevice", "HtoD"},
    {"MemcpyDeviceToHost", "DtoH"},
    {"MemcpyHostToDeviceArray", "HtoA"},
    {"MemcpyDeviceArrayToHost", "AtoH"},
    {"MemcpyDeviceArrayToDeviceArray", "AtoA"},
    {"MemcpyDeviceArrayToDevice", "AtoD"},
    {"MemcpyDeviceToDeviceArray", "DtoA"},
    {"MemcpyDeviceToDevice", "DtoD"},
    {"MemcpyHostToHost", "HtoH"},
    {"MemcpyPeerToPeer", "PtoP"},
});

/// "[80,1,1]"; empty unless all three are present and none is a copy's -1.
std::string extent(const std::array<std::optional<int64_t>, 3>& sizes) {
  std::string text = "[";
  for (const auto& size : sizes) {
    if (!size || *size < 0) return {};
    if (text.size() > 1) text += ',';
    text += std::to_string(*size);
  }
  return text + ']';
}

}  // namespace

void KernelEvents::add_kernel(const OrtEvent& event, ImportedProcess& process) {
  Kernel kernel;
  kernel.execution.begin_ns = *event.begin_ns;
  kernel.execution.end_ns = event.end_ns();
  kernel.execution.queue.stream = event.stream && *event.stream >= 0 ? static_cast<uint32_t>(*event.stream) : 0;
  std::string_view name = event.name;
  const auto copy = std::find_if(kCopies.begin(), kCopies.end(), [&](const auto& kind) { return kind.first == name; });
  if (copy != kCopies.end()) {
    kernel.execution.kind = wire::Kind::kMemcpy;
    name = copy->second;
  } else if (name.starts_with("Memcpy") && event.grid[0] == -1) {
    kernel.execution.kind = wire::Kind::kMemcpy;
  } else if (name.starts_with("Memset") && event.grid[0] == -1) {
    kernel.execution.kind = wire::Kind::kMemset;
  }
  kernel.execution.name = process.text(name);
  const std::string grid = extent(event.grid);
  const std::string block = extent(event.block);
  if (!grid.empty() && !block.empty()) {
    kernel.execution.configuration = process.text("grid=" + grid + " block=" + block);
  }

  const auto begin_us = event.event_begin_us;
  if (!event.parent_name.empty()) {
    if (event.parent_name == last_name_) kernel.host = last_host_;
  } else if (begin_us && *begin_us >= 0 && *begin_us < kMaxEventNs / 1000 && !event.event_name.empty()) {
    named_.push_back({kernels_.size(), *begin_us, names_.intern(event.event_name)});
  } else if (!event.op_name.empty()) {
    if (event.op_name != before_op_name_) before_host_.clear();
    before_op_name_ = event.op_name;
    before_host_.push_back(kernels_.size());
  }
  kernels_.push_back(kernel);
}

void KernelEvents::add_host_event(const OrtEvent& event, size_t host) {
  if (!before_host_.empty() && event.op_name == before_op_name_) {
    for (const size_t kernel : before_host_) kernels_[kernel].host = host;
  }
  before_host_.clear();
  before_op_name_.clear();
  last_name_ = event.name;
  last_host_ = host;
  hosts_.push_back({host, *event.begin_ns / 1000, names_.intern(event.name)});
}

const KernelEvents::Host* KernelEvents::find_host(const Named& named, int64_t start_us) const {
  const Host sought{.begin_us = named.begin_us - start_us, .name = named.name};
  const auto found = std::lower_bound(hosts_.begin(), hosts_.end(), sought);
  return found != hosts_.end() && !(sought < *found) ? &*found : nullptr;
}

void KernelEvents::finish() {
  if (named_.empty()) return;
  std::sort(hosts_.begin(), hosts_.end());
  // The start of the profile is the one time that puts every kernel at an event of its name. A single event could fit
  // several starts: then none is chosen.
  const Named& first = named_.front();
  size_t fitting = 0;
  for (auto host = std::lower_bound(hosts_.begin(), hosts_.end(), Host{.begin_us = INT64_MIN, .name = first.name});
       host != hosts_.end() && host->name == first.name; ++host) {
    const int64_t start_us = first.begin_us - host->begin_us;
    constexpr size_t kEnough = 64;
    const auto end = named_.begin() + static_cast<ptrdiff_t>(std::min(named_.size(), kEnough));
    if (start_us == start_us_ && fitting != 0) continue;
    if (!std::all_of(named_.begin(), end, [&](const Named& named) { return find_host(named, start_us); })) continue;
    ++fitting;
    start_us_ = start_us;
  }
  if (fitting != 1) {
    start_us_ = 0;
    return;
  }
  for (const Named& named : named_) {
    const Host* const host = find_host(named, start_us_);
    if (host != nullptr) kernels_[named.kernel].host = host->number;
  }
}

}  // namespace xsp

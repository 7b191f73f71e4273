#include "import/tensorflow/xplane_devices.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/number_text.h"
#include "import/tensorflow/step_labels.h"

namespace xsp {
namespace {

using wire::Kind;

constexpr std::string_view kGpuPlane = "/device:GPU:";
constexpr std::string_view kStream = "Stream #";
/// kThreadIdDerivedMin (xla/tsl/profiler/utils/trace_utils.h): lines from here on are derived ones, or counters.
constexpr int64_t kFirstDerivedLine = 0xDEADBEEF;

bool is_stream(const XLine& line) {
  if (line.name.starts_with(kStream)) return true;
  return line.name.empty() && line.id >= 0 && line.id < kFirstDerivedLine;
}

/// The number after "size:" or "num_bytes:".
uint64_t bytes_of(std::string_view details) {
  for (const std::string_view key : {"num_bytes:", "size:"}) {
    const size_t at = details.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view digits = details.substr(at + key.size());
    uint64_t bytes = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), bytes).ec == std::errc()) return bytes;
  }
  return 0;
}

/// The number in "$$3", as contexts are written.
uint32_t context_of(const XEvent& event) {
  std::string_view text = event.text("context_id");
  while (text.starts_with('$')) text.remove_prefix(1);
  uint32_t context = 0;
  std::from_chars(text.data(), text.data() + text.size(), context);
  return context;
}

template <typename Number>
Number positive(std::optional<int64_t> value) {
  return value && *value > 0 ? static_cast<Number>(*value) : Number{};
}

}  // namespace

int gpu_of_plane(std::string_view name) {
  if (!name.starts_with(kGpuPlane)) return -1;
  return number_in<int>(name.substr(kGpuPlane.size())).value_or(-1);
}

void XplaneDevices::add_device(const XPlane& plane, uint32_t index, ImportedProcess& process) {
  ImportedDevice device;
  device.index = index;
  device.name = plane.text("gpu_device_name");
  device.clock_khz = positive<uint32_t>(plane.integer("clock_rate"));
  device.multiprocessors = positive<uint32_t>(plane.integer("core_count"));
  device.memory_bandwidth = positive<uint64_t>(plane.integer("memory_bandwidth"));
  device.memory_bytes = positive<uint64_t>(plane.integer("memory_size"));
  device.compute_capability_major = positive<uint32_t>(plane.integer("compute_cap_major"));
  device.compute_capability_minor = positive<uint32_t>(plane.integer("compute_cap_minor"));
  process.add_device(std::move(device));
}

void XplaneDevices::add_plane(const XPlane& plane, uint32_t process, uint64_t* damaged, uint64_t* aggregated) {
  const auto index = static_cast<uint32_t>(gpu_of_plane(plane.name()));
  ImportedProcess& to = timeline_->process(process);
  add_device(plane, index, to);
  for (const XLine& line : plane.lines()) {
    if (!is_stream(line)) {
      ++derived_lines_;
      continue;
    }
    const auto stream = static_cast<uint32_t>(line.id);
    plane.read_events(
        line, [&](const XEvent& event) { add_event(event, index, stream, to); }, damaged, aggregated);
  }
}

void XplaneDevices::add_event(const XEvent& event, uint32_t device, uint32_t stream, ImportedProcess& process) {
  ImportedExecution execution;
  execution.begin_ns = event.begin_ns;
  execution.end_ns = event.end_ns;
  execution.queue = {.device = device, .context = context_of(event), .stream = stream};
  execution.correlation = positive<uint32_t>(event.integer("correlation_id"));
  execution.graph = positive<uint32_t>(event.integer("cuda_graph_id"));
  execution.graph_node = positive<uint64_t>(event.integer("cuda_graph_node_id"));
  std::string_view name = event.name;
  const std::string_view copy = event.text("memcpy_details");
  const std::string_view set = event.text("Memset_details");
  if (!copy.empty()) {
    execution.kind = Kind::kMemcpy;
    execution.bytes = bytes_of(copy);
    if (const std::string_view kind = copy_kind(name); !kind.empty()) name = kind;
  } else if (!set.empty()) {
    execution.kind = Kind::kMemset;
    execution.bytes = bytes_of(set);
  } else if (const std::string_view details = event.text("kernel_details"); !details.empty()) {
    execution.configuration = process.text(configuration_of(details));
  } else {
    timeline_->note("event of a GPU that is no kernel, copy or memset");
    return;
  }
  if (event.find("flops") != nullptr || event.find("bytes_accessed") != nullptr) ++estimates_;
  first_ns_ = std::min(first_ns_, event.begin_ns);
  execution.name = process.text(name);
  process.add_execution(execution);
  ++executions_;
}

void XplaneDevices::finish() {
  if (derived_lines_ != 0) {
    timeline_->note(std::to_string(derived_lines_) + " lines that XLA derived from its streams were left out", 0);
  }
  if (estimates_ != 0) {
    timeline_->note(
        "flops and bytes of " + std::to_string(estimates_) + " kernels are the compiler's estimates: not taken", 0);
  }
}

}  // namespace xsp

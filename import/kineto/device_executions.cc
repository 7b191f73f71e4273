#include "import/kineto/device_executions.h"

#include <algorithm>

#include "import/kineto/decimal_time.h"
#include "import/kineto/external_ids.h"

namespace xsp::kineto {
namespace {

uint32_t to_uint32(const Number& number) {
  return number.is_known && number.value >= 0 && number.value < UINT32_MAX ? static_cast<uint32_t>(number.value) : 0;
}

/// The stream of a "tid" such as "stream 7".
uint32_t stream_of(const Place& tid) {
  if (tid.number.is_known) return to_uint32(tid.number);
  const size_t blank = tid.text.rfind(' ');
  Number number;
  number.is_known = to_integer(tid.text.substr(blank == std::string_view::npos ? 0 : blank + 1), &number.value);
  return to_uint32(number);
}

/// "HtoD (Pinned -> Device)" from "Memcpy HtoD (Pinned -> Device)"; AMD's tools say "CopyHostToDevice" or
/// "hipMemcpyHtoD". If both kinds of memory are the device's, only the direction is kept.
std::string_view copy_name(std::string_view name) {
  constexpr std::string_view kPrefix = "Memcpy ";
  constexpr std::string_view kInsideDevice = " (Device -> Device)";
  if (name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
    if (name.ends_with(kInsideDevice)) name.remove_suffix(kInsideDevice.size());
    return name;
  }
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"HostToDevice", "HtoD"}, {"DeviceToHost", "DtoH"}, {"DeviceToDevice", "DtoD"}, {"HostToHost", "HtoH"},
      {"HtoD", "HtoD"},         {"DtoH", "DtoH"},         {"DtoD", "DtoD"},           {"PtoP", "PtoP"}};
  for (const auto& [part, direction] : kNames) {
    if (name.find(part) != std::string_view::npos) return direction;
  }
  return name;
}

/// The names that recorded traces give to what CUPTI calls a synchronization.
std::string_view synchronization_name(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"Stream Sync", "stream"},
                                                                      {"Context Sync", "context"},
                                                                      {"Device Sync", "device"},
                                                                      {"Event Sync", "event"},
                                                                      {"Stream Wait Event", "stream wait event"}};
  for (const auto& [theirs, ours] : kNames) {
    if (name == theirs) return ours;
  }
  return name;
}

void append_dimensions(std::string_view json, std::string* to) {
  for (const char byte : json) {
    if (static_cast<unsigned char>(byte) > ' ') *to += byte;
  }
}

bool are_dimensions(std::string_view json) {
  return json.starts_with('[') && json.find_first_not_of("[0123456789, \n\t]") == std::string_view::npos;
}

}  // namespace

uint32_t DeviceExecutions::name_of(const ProfilerEvent& event, wire::Kind kind) {
  switch (kind) {
    case wire::Kind::kMemcpy:
      return text(copy_name(event.name));
    case wire::Kind::kMemset:
      return text("memset");
    case wire::Kind::kSynchronization:
      return text(synchronization_name(event.name));
    case wire::Kind::kOverhead:
      buffer_ = event.name;
      for (char& byte : buffer_) byte = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : byte;
      return text(buffer_);
    default:
      return text(event.name);
  }
}

uint32_t DeviceExecutions::configuration_of(const ProfilerEvent& event) {
  buffer_.clear();
  const auto begin_field = [&](std::string_view name) {
    if (!buffer_.empty()) buffer_ += ' ';
    buffer_ += name;
  };
  if (are_dimensions(event.grid)) begin_field("grid="), append_dimensions(event.grid, &buffer_);
  if (are_dimensions(event.block)) begin_field("block="), append_dimensions(event.block, &buffer_);
  if (event.registers.is_known) begin_field("registers="), buffer_ += std::to_string(event.registers.value);
  // Static and dynamic together: the profiler does not distinguish them.
  if (event.shared_memory.is_known) begin_field("shared="), buffer_ += std::to_string(event.shared_memory.value);
  return text(buffer_);
}

void DeviceExecutions::add(const ProfilerEvent& event, wire::Kind kind) {
  ImportedExecution execution;
  execution.kind = kind;
  execution.begin_ns = event.time_ns;
  execution.end_ns = event.time_ns + event.duration_ns;
  execution.name = name_of(event, kind);
  if (kind == wire::Kind::kKernel) execution.configuration = configuration_of(event);
  execution.bytes = static_cast<uint64_t>(std::max<int64_t>(event.bytes.or_else(0), 0));
  execution.correlation = event.correlation.is_known ? static_cast<uint32_t>(event.correlation.value)
                                                     : ExternalIds::of_execution(event, kind);
  execution.graph = to_uint32(event.graph);
  execution.graph_node = static_cast<uint64_t>(std::max<int64_t>(event.graph_node.or_else(0), 0));
  if (kind != wire::Kind::kOverhead) {
    execution.queue.device = event.device.is_known ? to_uint32(event.device) : to_uint32(event.pid.number);
    execution.queue.context = to_uint32(event.context);
    execution.queue.stream = event.stream.is_known ? to_uint32(event.stream) : stream_of(event.tid);
  }
  const bool is_last = count_ > 0 && execution.begin_ns == last_.begin_ns && execution.end_ns == last_.end_ns &&
                       execution.name == last_.name && execution.kind == last_.kind && execution.queue == last_.queue &&
                       execution.correlation == last_.correlation && execution.graph_node == last_.graph_node &&
                       execution.correlation != 0;
  if (is_last) {
    ++duplicates_;
    return;
  }
  last_ = execution;
  ++count_;
  if (home_ != nullptr) {
    home_->add_execution(execution);
  } else {
    waiting_.push_back(execution);
  }
}

void DeviceExecutions::set_home(ImportedProcess* home) {
  home_ = home;
  for (ImportedExecution& execution : waiting_) {
    execution.name = home->text(waiting_texts_.text(execution.name));
    execution.configuration = home->text(waiting_texts_.text(execution.configuration));
    home->add_execution(execution);
  }
  if (count_ > 0) last_.name = home->text(waiting_texts_.text(last_.name));
  waiting_ = {};
  waiting_texts_ = {};
}

}  // namespace xsp::kineto

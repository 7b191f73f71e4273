#include "import/tensorflow/step_stats_json.h"

#include <optional>
#include <string>

#include "import/frame/trace_events.h"

namespace xsp {
namespace {

using nlohmann::json;

const json* member(const json& object, const char* camel, const char* snake) {
  if (!object.is_object()) return nullptr;
  auto found = object.find(camel);
  if (found == object.end()) found = object.find(snake);
  return found == object.end() ? nullptr : &*found;
}

int64_t number(const json& object, const char* camel, const char* snake) {
  const json* const value = member(object, camel, snake);
  return value == nullptr ? 0 : integer_of(*value).value_or(0);
}

std::string text(const json& object, const char* camel, const char* snake) {
  const json* const value = member(object, camel, snake);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<StepTensor> read_tensor(const json& description) {
  StepTensor read;
  const json* const type = member(description, "dtype", "dtype");
  if (type != nullptr && type->is_string()) {
    read.element = element_of_data_type(std::string_view(type->get_ref<const std::string&>()));
  } else {
    read.element = element_of_data_type(type == nullptr ? 0 : integer_of(*type).value_or(0));
  }
  const json* const shape = member(description, "shape", "shape");
  if (shape == nullptr || !shape->is_object()) return read;
  const json* const unknown = member(*shape, "unknownRank", "unknown_rank");
  if (unknown != nullptr && *unknown == true) return read;
  read.dimensions.assign(1, '[');
  const json* const dimensions = member(*shape, "dim", "dim");
  if (dimensions != nullptr && dimensions->is_array()) {
    for (const json& one : *dimensions) read.add_dimension(number(one, "size", "size"));
  }
  read.dimensions += ']';
  return read;
}

}  // namespace

StepNode read_step_node(const json& node) {
  StepNode read;
  read.name = text(node, "nodeName", "node_name");
  read.label = text(node, "timelineLabel", "timeline_label");
  StepTimes times;
  times.begin_us = number(node, "allStartMicros", "all_start_micros");
  times.duration_us = number(node, "allEndRelMicros", "all_end_rel_micros");
  times.scheduled_us = number(node, "scheduledMicros", "scheduled_micros");
  times.begin_ns = number(node, "allStartNanos", "all_start_nanos");
  times.duration_ns = number(node, "allEndRelNanos", "all_end_rel_nanos");
  times.scheduled_ns = number(node, "scheduledNanos", "scheduled_nanos");
  times.give(&read);
  read.thread = static_cast<uint32_t>(number(node, "threadId", "thread_id"));
  if (const json* const list = member(node, "memory", "memory"); list != nullptr && list->is_array()) {
    read.bytes = 0;
    for (const json& used : *list) {
      const int64_t bytes = number(used, "totalBytes", "total_bytes");
      if (bytes > 0) *read.bytes += static_cast<uint64_t>(bytes);
    }
  }
  if (const json* const list = member(node, "output", "output"); list != nullptr && list->is_array()) {
    for (const json& one : *list) {
      const json* const description = member(one, "tensorDescription", "tensor_description");
      read.set_output(number(one, "slot", "slot"), description == nullptr ? std::nullopt : read_tensor(*description));
    }
  }
  return read;
}

}  // namespace xsp

#include "import/kineto/profiler_event.h"

#include <array>
#include <cstddef>

#include "base/json_pieces.h"
#include "base/text_encoding.h"
#include "import/kineto/decimal_time.h"

namespace xsp::kineto {
namespace {

struct Name {
  std::string_view text;
  Category category;
};

constexpr Name kNames[] = {
    {"cpu_op", Category::kOperator},
    {"operator", Category::kOperator},
    {"python_function", Category::kPythonFunction},
    {"ac2g", Category::kIgnored},
    {"async", Category::kIgnored},
    {"async_cpu_to_gpu", Category::kIgnored},
    {"cuda_runtime", Category::kRuntimeCall},
    {"runtime", Category::kRuntimeCall},
    {"kernel", Category::kKernel},
    {"concurrent_kernel", Category::kKernel},
    {"cuda_driver", Category::kDriverCall},
    {"driver", Category::kDriverCall},
    {"user_annotation", Category::kAnnotation},
    {"gpu_memcpy", Category::kMemcpy},
    {"memcpy", Category::kMemcpy},
    {"gpu_memset", Category::kMemset},
    {"memset", Category::kMemset},
    {"cpu_instant_event", Category::kInstant},
    {"gpu_user_annotation", Category::kDeviceAnnotation},
    {"cuda_sync", Category::kSynchronization},
    {"overhead", Category::kOverhead},
    {"fwdbwd", Category::kForwardFlow},
    {"forward_backward", Category::kForwardFlow},
    {"cpu_to_cuda", Category::kLaunchFlow},
    {"hip_runtime", Category::kRuntimeCall},
    {"xpu_runtime", Category::kRuntimeCall},
    {"mtia_runtime", Category::kRuntimeCall},
    {"privateuse1_runtime", Category::kRuntimeCall},
    {"xpu_driver", Category::kDriverCall},
    {"privateuse1_driver", Category::kDriverCall},
    {"cuda_profiler_range", Category::kProfilerRange},
    {"cuda_event", Category::kIgnored},
    {"trace", Category::kIgnored},
};

constexpr size_t kLongest = 24;

using simdjson::error_code;
using simdjson::ondemand::value;

static_assert(JsonPieces::kPadding >= simdjson::SIMDJSON_PADDING);

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

/// A key as written.
std::string_view key_of(simdjson::ondemand::raw_json_string key) {
  const char* const begin = key.raw();
  const char* end = begin;
  while (*end != '"') ++end;
  return {begin, static_cast<size_t>(end - begin)};
}

/// The text of a string, or of whatever stands in its place.
std::string_view text_of(value& from) {
  std::string_view text;
  if (from.get_string().get(text) == simdjson::SUCCESS) return text;
  text = trimmed(from.raw_json_token());
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);  // with a bad escape sequence
  return text;
}

Number number_of(value& from) {
  Number number;
  number.is_known = to_integer(from.raw_json_token(), &number.value);
  return number;
}

Place place_of(value& from) {
  const std::string_view token = trimmed(from.raw_json_token());
  Place place;
  place.number.is_known = to_integer(token, &place.number.value);
  if (!place.number.is_known && token.size() >= 2 && token.front() == '"') {
    place.text = token.substr(1, token.size() - 2);
  }
  return place;
}

TimeState time_of(value& from, int64_t* ns) {
  return microseconds_to_ns(from.raw_json_token(), ns) ? TimeState::kKnown : TimeState::kInvalid;
}

error_code json_of(value& from, std::string_view* json) {
  simdjson::ondemand::array array;
  if (const error_code error = from.get_array().get(array); error != simdjson::SUCCESS) {
    *json = trimmed(from.raw_json_token());
    return error == simdjson::INCORRECT_TYPE ? simdjson::SUCCESS : error;
  }
  return array.raw_json().get(*json);
}

/// CUPTI's metrics are named unit__counter.rollup; the profiler's own members contain blanks.
bool is_metric(std::string_view key) {
  const size_t mark = key.find('_');
  return mark != std::string_view::npos && mark > 0 && mark + 1 < key.size() && key[mark + 1] == '_' &&
         key.find('.') != std::string_view::npos;
}

error_code read_argument(std::string_view key, value& from, ProfilerEvent* event) {
  if (is_metric(key)) {
    double number = 0;
    const error_code error = from.get_double().get(number);
    if (error == simdjson::SUCCESS) event->metrics.emplace_back(key, number);
    return simdjson::SUCCESS;
  }
  // Keys are distinguished by their length first.
  switch (key.size()) {
    case 4:
      if (key == "grid") return json_of(from, &event->grid);
      if (key == "name") event->label = text_of(from);
      break;
    case 5:
      if (key == "block") return json_of(from, &event->block);
      if (key == "bytes" || key == "Bytes") event->bytes = number_of(from);
      if (key == "dtype") event->collective_type = trimmed(from.raw_json_token());
      break;
    case 6:
      if (key == "Ev Idx") event->index = number_of(from);
      if (key == "device") event->device = number_of(from);
      if (key == "stream") event->stream = number_of(from);
      break;
    case 7:
      if (key == "context") event->context = number_of(from);
      break;
    case 8:
      if (key == "graph id") event->graph = number_of(from);
      break;
    case 9:
      if (key == "Python id") event->python = number_of(from);
      break;
    case 10:
      if (key == "Input Dims" || key == "Input dims") return json_of(from, &event->input_dims);
      if (key == "Input type") return json_of(from, &event->input_types);
      if (key == "Group size") event->group_size = trimmed(from.raw_json_token());
      break;
    case 11:
      if (key == "correlation") event->correlation = number_of(from);
      if (key == "Device Type") event->device_type = number_of(from);
      if (key == "External id" || key == "external id") event->external = number_of(from);
      break;
    case 13:
      if (key == "shared memory") event->shared_memory = number_of(from);
      if (key == "Fwd thread id") event->forward_thread = number_of(from);
      if (key == "graph node id") event->graph_node = number_of(from);
      if (key == "In msg nelems") event->input_elements = trimmed(from.raw_json_token());
      break;
    case 14:
      if (key == "Out msg nelems") event->output_elements = trimmed(from.raw_json_token());
      break;
    case 15:
      if (key == "Concrete Inputs") return json_of(from, &event->concrete_inputs);
      if (key == "Sequence number") event->sequence = number_of(from);
      if (key == "Collective name") event->collective = trimmed(from.raw_json_token());
      break;
    case 16:
      if (key == "Python parent id") event->python_parent = number_of(from);
      break;
    case 20:
      if (key == "registers per thread") event->registers = number_of(from);
      break;
    default:
      break;
  }
  return simdjson::SUCCESS;
}

error_code read_arguments(value& from, ProfilerEvent* event) {
  simdjson::ondemand::object object;
  if (from.get_object().get(object) != simdjson::SUCCESS) return simdjson::SUCCESS;
  for (auto field : object) {
    simdjson::ondemand::raw_json_string key;
    value member;
    if (const error_code error = field.key().get(key); error != simdjson::SUCCESS) return error;
    if (const error_code error = field.value().get(member); error != simdjson::SUCCESS) return error;
    if (const error_code error = read_argument(key_of(key), member, event); error != simdjson::SUCCESS) return error;
  }
  return simdjson::SUCCESS;
}

error_code read_member(std::string_view key, value& from, ProfilerEvent* event) {
  if (key == "ph") {
    const std::string_view phase = text_of(from);
    event->phase = phase.size() == 1 ? phase[0] : '\0';
  } else if (key == "cat") {
    event->category = category_of(text_of(from));
  } else if (key == "name") {
    event->name = text_of(from);
  } else if (key == "pid") {
    event->pid = place_of(from);
  } else if (key == "tid") {
    event->tid = place_of(from);
  } else if (key == "ts") {
    event->time = time_of(from, &event->time_ns);
  } else if (key == "dur") {
    event->duration = time_of(from, &event->duration_ns);
  } else if (key == "args") {
    return read_arguments(from, event);
  } else if (key == "id") {
    event->id = number_of(from);
  }
  return simdjson::SUCCESS;
}

/// The same text with '?' in place of invalid UTF-8 and a blank in place of control characters.
void repair(std::string_view text, std::string* repaired) {
  *repaired = trace_text(text);
  for (char& byte : *repaired) {
    if (static_cast<unsigned char>(byte) < ' ') byte = ' ';
  }
  repaired->reserve(repaired->size() + JsonPieces::kPadding);
}

}  // namespace

Category category_of(std::string_view text) {
  if (text.empty()) return Category::kNone;
  if (text.size() > kLongest) return Category::kUnknown;
  std::array<char, kLongest> lower;
  for (size_t i = 0; i < text.size(); ++i) {
    lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
  }
  const std::string_view wanted(lower.data(), text.size());
  for (const Name& name : kNames) {
    if (name.text == wanted) return name.category;
  }
  return Category::kUnknown;
}

error_code EventParser::read(std::string_view text, ProfilerEvent* event) {
  *event = {};
  simdjson::ondemand::document document;
  const simdjson::padded_string_view padded(text.data(), text.size(), text.size() + JsonPieces::kPadding);
  if (const error_code error = parser_.iterate(padded).get(document); error != simdjson::SUCCESS) return error;
  simdjson::ondemand::object object;
  if (const error_code error = document.get_object().get(object); error != simdjson::SUCCESS) return error;
  for (auto field : object) {
    simdjson::ondemand::raw_json_string key;
    value member;
    if (const error_code error = field.key().get(key); error != simdjson::SUCCESS) return error;
    if (const error_code error = field.value().get(member); error != simdjson::SUCCESS) return error;
    if (const error_code error = read_member(key_of(key), member, event); error != simdjson::SUCCESS) return error;
  }
  return simdjson::SUCCESS;
}

EventParser::Outcome EventParser::parse(std::string_view text, ProfilerEvent* event) {
  error_code error = read(text, event);
  if (error == simdjson::SUCCESS) return Outcome::kWhole;
  if (error != simdjson::UTF8_ERROR && error != simdjson::UNESCAPED_CHARS) return Outcome::kBroken;
  repair(text, &repaired_);
  error = read(repaired_, event);
  return error == simdjson::SUCCESS ? Outcome::kRepaired : Outcome::kBroken;
}

}  // namespace xsp::kineto

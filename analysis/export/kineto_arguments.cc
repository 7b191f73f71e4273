#include "analysis/export/kineto_arguments.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <utility>

#include "analysis/export/json_text.h"
#include "analysis/export/kineto_event.h"
#include "analysis/export/kineto_inputs.h"
#include "analysis/export/span_attributes.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// Static and dynamic together, as PyTorch's profiler has them.
std::string shared_memory(const LaunchConfiguration& configuration) {
  if (configuration.static_shared.empty() && configuration.dynamic_shared.empty()) return {};
  uint64_t sum = 0;
  for (const std::string_view part : {configuration.static_shared, configuration.dynamic_shared}) {
    uint64_t value = 0;
    std::from_chars(part.data(), part.data() + part.size(), value);
    sum += value;
  }
  return std::to_string(sum);
}

}  // namespace

KinetoArguments::KinetoArguments(ExportedSpans* spans, bool one_device_process)
    : spans_(*spans), one_device_process_(one_device_process) {
  const Parents& parents = spans_.analysed().parents;
  for (const Row forward : parents.forward) {
    if (forward < spans_.size()) has_backward_.resize(spans_.size());
  }
  for (Row row = 0; row < has_backward_.size(); ++row) {
    const Row forward = parents.forward_of(row);
    if (forward < spans_.size()) has_backward_[forward] = true;
  }
}

void KinetoArguments::append(const ExportedSpan& span, const SpanPlace& place, std::string* line) {
  line_ = line;
  if (span.execution != kNoExecution) {
    append_execution(span, place);
  } else {
    append_call(span, place);
  }
}

uint64_t KinetoArguments::correlation_of(const ExportedSpan& span, Row launch) const {
  if (one_device_process_ && span.correlation != 0) return span.correlation;
  return launch == kNoRow ? 0 : uint64_t{launch} + 1;
}

void KinetoArguments::append_key(std::string_view key) {
  if (line_->back() != '{') *line_ += ',';
  *line_ += '"';
  *line_ += key;
  *line_ += "\":";
}
void KinetoArguments::append_count(std::string_view key, uint64_t value) {
  append_key(key);
  append_unsigned(value, line_);
}
void KinetoArguments::append_text(std::string_view key, std::string_view text) {
  if (text.empty()) return;
  append_key(key);
  append_json_string(text, line_);
}
/// A field of a launch configuration, which is JSON where it was recorded by us.
void KinetoArguments::append_json(std::string_view key, std::string_view json) {
  if (json.empty() || !nlohmann::json::accept(json)) return;
  append_key(key);
  *line_ += json;
}
void KinetoArguments::append_metric(std::string_view key, double value) {
  if (!std::isfinite(value)) return;
  append_key(key);
  append_number(value, line_);
}

void KinetoArguments::append_call(const ExportedSpan& span, const SpanPlace& place) {
  if (span.level == Level::kRuntime) {
    if (place.operator_row != kNoRow) append_count("External id", uint64_t{place.operator_row} + 1);
    const bool launches = spans_.first_launched(span.row) != kNoExecution;
    const uint64_t correlation = correlation_of(span, launches ? span.row : kNoRow);
    if (correlation != 0) append_count("correlation", correlation);
  } else {
    append_count("External id", uint64_t{span.row} + 1);
  }
  if (kineto_event(span.level, span.kind).category == "python_function") {
    append_count("Python id", uint64_t{span.row} + 1);
    append_key("Python parent id");
    const bool has_parent =
        span.parent != kNoRow &&
        kineto_event(spans_.trace().spans.level[span.parent], spans_.trace().spans.kind[span.parent]).category ==
            "python_function";
    *line_ += has_parent ? std::to_string(span.parent + 1) : "null";
  }
  append_links(span);
  if (place.layer == span.row && place.layer_index != SpanPlace::kNoLayer) {
    append_count("layer index", place.layer_index);
  }
  if (spans_.type(span.row) != spans_.name(span.row)) append_text("type", spans_.type(span.row));
  append_text("output shape", spans_.shape(span.row));
  append_attributes(span, place);
  const std::string_view inputs = append_arguments(span.row);
  if (inputs.empty()) append_text("input", spans_.input(span.row));
}

/// By which backward operators are found again.
void KinetoArguments::append_links(const ExportedSpan& span) {
  const Row forward = spans_.analysed().parents.forward_of(span.row);
  if (forward < spans_.size()) {
    append_count("Sequence number", forward);
    append_count("Fwd thread id", uint64_t{spans_.trace().spans.track[forward]} + 1);
  } else if (has_backward(span.row)) {
    append_count("Sequence number", span.row);
    append_count("Fwd thread id", 0);
  }
}

/// Returns the operator's inputs.
std::string_view KinetoArguments::append_arguments(Row row) {
  std::string_view inputs;
  spans_.for_each_argument(row, [&](const SpanArgument& argument) {
    if (argument.name == "inputs") {
      const auto [known, added] = inputs_.try_emplace(std::string(argument.text));
      if (added) known->second = kineto_inputs(argument.text);
      if (known->second.empty()) return append_text("inputs", argument.text);
      if (line_->back() != '{') *line_ += ',';
      *line_ += known->second;
      inputs = known->second;
    } else if (argument.name == "values" && argument.text.starts_with('[') && nlohmann::json::accept(argument.text)) {
      append_key("Concrete Inputs");
      for (const char byte : argument.text) *line_ += byte == '\n' || byte == '\r' ? ' ' : byte;
    } else {
      append_argument(argument);
    }
  });
  return inputs;
}

void KinetoArguments::append_argument(const SpanArgument& argument) {
  *line_ += line_->back() == '{' ? "" : ",";
  append_json_string("arg " + valid_utf8(argument.name), line_);
  *line_ += ':';
  switch (argument.kind) {
    case SpanArgument::Kind::kInteger:
      return append_integer(argument.integer, line_);
    case SpanArgument::Kind::kNumber:
      return append_number(argument.number, line_);
    case SpanArgument::Kind::kText:
      return append_json_string(argument.text, line_);
  }
}

void KinetoArguments::append_execution(const ExportedSpan& span, const SpanPlace& place) {
  const Queue& queue = spans_.trace().queues[spans_.trace().executions.queue[span.execution]];
  if (place.operator_row != kNoRow) append_count("External id", uint64_t{place.operator_row} + 1);
  append_count("device", queue.device);
  append_count("context", queue.context);
  append_count("stream", queue.stream);
  if (const uint64_t correlation = correlation_of(span, place.launch)) append_count("correlation", correlation);
  if (span.kind == Kind::kKernel) append_configuration(spans_.trace().spans.shape[span.row]);
  append_attributes(span, place);
  if (place.layer != kNoRow) {
    if (place.layer_index != SpanPlace::kNoLayer) append_count("layer index", place.layer_index);
    append_text("layer", spans_.name(place.layer));
  }
}

void KinetoArguments::append_attributes(const ExportedSpan& span, const SpanPlace& place) {
  const bool executed = span.execution != kNoExecution;
  const AttributedSpan source{spans_.trace(), span, place, executed ? spans_.metrics(span.execution) : nullptr};
  const AttributeForm::Where where = source.where();
  for (const SpanAttribute& attribute : span_attributes()) {
    const AttributeForm& form = attribute.chrome;
    if (attribute.value == nullptr || !form.is_on(where)) continue;
    const AttributeValue value = attribute.value(source);
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      append_text(form.key, *text);
    } else if (const auto* integer = std::get_if<int64_t>(&value)) {
      append_count(form.key, static_cast<uint64_t>(*integer));
    } else if (const auto* real = std::get_if<double>(&value)) {
      append_metric(form.key, *real);
    } else if (const auto* flag = std::get_if<bool>(&value); flag != nullptr && *flag) {
      append_text(form.key, form.true_text);
    }
  }
}

void KinetoArguments::append_configuration(uint32_t id) {
  const auto [known, added] = configurations_.try_emplace(id);
  if (added) {
    std::string text = "{";
    std::string* const line = std::exchange(line_, &text);
    const LaunchConfiguration configuration = launch_configuration(spans_.text(id));
    for (const SpanAttribute& attribute : span_attributes()) {
      if (attribute.configured == nullptr || attribute.chrome.key.empty()) continue;
      append_json(attribute.chrome.key, attribute.configured(configuration));
    }
    append_json("shared memory", configuration.shared.empty() ? shared_memory(configuration) : configuration.shared);
    line_ = line;
    known->second = text.substr(1);
  }
  if (known->second.empty()) return;
  *line_ += ',';
  *line_ += known->second;
}

}  // namespace xsp::analysis

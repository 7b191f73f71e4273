#include "analysis/export/perfetto_annotations.h"

#include <cmath>

#include "analysis/export/perfetto_packets.h"
#include "analysis/export/span_attributes.h"

namespace xsp::analysis {
namespace {

using protozero::pbf_writer;
namespace pb = perfetto;

/// One for each execution: a flow cannot fork.
uint64_t flow_of(uint32_t execution) { return uint64_t{execution} + 1; }

}  // namespace

/// Their iids are these plus one. Those of span_attributes() come after them, then arguments of calls.
enum PerfettoAnnotations::Key : uint8_t {
  kArguments,
  kBatchSize,
  kEvaluation,
  kInput,
  kLayer,
  kLayerIndex,
  kLibraryCall,
  kShape,
  kType,
  kKeys
};

std::vector<std::string_view> PerfettoAnnotations::keys() {
  constexpr std::array<std::string_view, kKeys> kNames = {"arguments",   "batch_size",   "evaluation", "input", "layer",
                                                          "layer_index", "library_call", "shape",      "type"};
  std::vector<std::string_view> all(kNames.begin(), kNames.end());
  for (const SpanAttribute& attribute : span_attributes()) {
    if (!attribute.perfetto.key.empty()) all.push_back(attribute.perfetto.key);
  }
  return all;
}

void PerfettoAnnotations::add(const ExportedSpan& span, pbf_writer* event) {
  if (span.execution != kNoExecution) {
    add_execution(span, event);
  } else {
    add_call(span, event);
  }
}

void PerfettoAnnotations::add_attributes(const ExportedSpan& span, const SpanPlace& place, pbf_writer* event) {
  const bool executed = span.execution != kNoExecution;
  const AttributedSpan source{spans_.trace(), span, place, executed ? spans_.metrics(span.execution) : nullptr};
  const AttributeForm::Where where = source.where();
  if (where == AttributeForm::kKernels) add_configuration(spans_.trace().spans.shape[span.row], event);
  uint64_t name = kKeys;
  for (const SpanAttribute& attribute : span_attributes()) {
    if (attribute.perfetto.key.empty()) continue;
    ++name;
    if (attribute.value == nullptr || !attribute.perfetto.is_on(where)) continue;
    const AttributeValue value = attribute.value(source);
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      add_text(name, *text, event);
    } else if (const auto* integer = std::get_if<int64_t>(&value)) {
      add_unsigned(name, static_cast<uint64_t>(*integer), event);
    } else if (const auto* real = std::get_if<double>(&value)) {
      add_double(name, *real, event);
    } else if (const auto* flag = std::get_if<bool>(&value); flag != nullptr && *flag) {
      if (attribute.perfetto.true_text.empty()) {
        add_bool(name, event);
      } else {
        add_text(name, attribute.perfetto.true_text, event);
      }
    }
  }
}

void PerfettoAnnotations::add_call(const ExportedSpan& span, pbf_writer* event) {
  const Trace& trace = spans_.trace();
  for (uint32_t i = spans_.first_launched(span.row); i != kNoExecution; i = spans_.next_launched(i)) {
    event->add_fixed64(pb::event::kFlow, flow_of(i));
  }
  const SpanPlace place = spans_.place(span);
  add_attributes(span, place, event);
  if (span.level == Level::kModel || span.level == Level::kLayer) {
    add_layer(span, place, event);
  } else if (span.level == Level::kApplication || span.level == Level::kLibrary) {
    add_string(kType, trace.spans.type[span.row], event);
  }
  if (trace.spans.arguments_of(span.row) == SpanTable::kNoArguments) return;
  pbf_writer arguments(*event, pb::event::kAnnotation);
  arguments.add_uint64(pb::annotation::kName, kArguments + 1);
  spans_.for_each_argument(span.row, [&](const SpanArgument& argument) { add_argument(argument, &arguments); });
}

void PerfettoAnnotations::add_layer(const ExportedSpan& span, const SpanPlace& place, pbf_writer* event) {
  const Trace& trace = spans_.trace();
  const Evaluations& evaluations = spans_.analysed().evaluations;
  if (place.evaluation != kNoEvaluation) add_unsigned(kEvaluation + 1, place.evaluation, event);
  if (place.layer == span.row && place.layer_index != SpanPlace::kNoLayer) {
    add_unsigned(kLayerIndex + 1, place.layer_index, event);
  }
  add_string(kType, trace.spans.type[span.row], event);
  add_string(kShape, trace.spans.shape[span.row], event);
  if (trace.spans.kind[span.row] != Kind::kOrtNode) add_string(kInput, trace.spans.input[span.row], event);
  const bool is_root = place.evaluation != kNoEvaluation && evaluations.root[place.evaluation] == span.row;
  if (is_root) {
    const auto batch_size = leading_dimension(trace.text(trace.spans.input[span.row]));
    if (batch_size) add_unsigned(kBatchSize + 1, static_cast<uint64_t>(*batch_size), event);
  }
}

void PerfettoAnnotations::add_execution(const ExportedSpan& span, pbf_writer* event) {
  const Trace& trace = spans_.trace();
  const SpanPlace place = spans_.place(span);
  if (place.launch != kNoRow) event->add_fixed64(pb::event::kFlowEnd, flow_of(span.execution));
  add_attributes(span, place, event);
  if (place.layer != kNoRow) {
    if (place.layer_index != SpanPlace::kNoLayer) add_unsigned(kLayerIndex + 1, place.layer_index, event);
    add_string(kLayer, trace.layer_name(place.layer), event);
    add_string(kType, trace.spans.type[place.layer], event);
  }
  if (place.evaluation != kNoEvaluation) add_unsigned(kEvaluation + 1, place.evaluation, event);
  if (place.library_call != kNoRow) add_string(kLibraryCall, trace.spans.name[place.library_call], event);
}

void PerfettoAnnotations::add_configuration(uint32_t id, pbf_writer* event) {
  if (id == 0) return;
  const auto [found, added] = configurations_.try_emplace(id);
  if (added) {
    const LaunchConfiguration configuration = launch_configuration(spans_.text(id));
    uint64_t name = kKeys;
    for (const SpanAttribute& attribute : span_attributes()) {
      if (attribute.perfetto.key.empty()) continue;
      ++name;
      if (attribute.configured == nullptr) continue;
      const std::string_view text = attribute.configured(configuration);
      if (!text.empty()) found->second.emplace_back(name, texts_.text(text));
    }
  }
  for (const auto& [name, text] : found->second) add_iid(name, text, event);
}

/// An entry of a dictionary: names of arguments are the functions' own.
void PerfettoAnnotations::add_argument(const SpanArgument& argument, pbf_writer* arguments) {
  const uint64_t name = texts_.argument(argument.name);
  const bool is_text = argument.kind == SpanArgument::Kind::kText;
  const uint64_t text = is_text ? texts_.text(argument.text) : 0;
  pbf_writer entry(*arguments, pb::annotation::kEntries);
  entry.add_uint64(pb::annotation::kName, name);
  if (is_text) {
    entry.add_uint64(pb::annotation::kTextIid, text);
  } else if (argument.kind == SpanArgument::Kind::kInteger) {
    entry.add_int64(pb::annotation::kInteger, argument.integer);
  } else {
    entry.add_double(pb::annotation::kDouble, argument.number);
  }
}

void PerfettoAnnotations::add_unsigned(uint64_t name, uint64_t value, pbf_writer* event) {
  pbf_writer annotation(*event, pb::event::kAnnotation);
  annotation.add_uint64(pb::annotation::kName, name);
  annotation.add_uint64(pb::annotation::kUnsigned, value);
}

void PerfettoAnnotations::add_bool(uint64_t name, pbf_writer* event) {
  pbf_writer annotation(*event, pb::event::kAnnotation);
  annotation.add_uint64(pb::annotation::kName, name);
  annotation.add_bool(pb::annotation::kBool, true);
}

void PerfettoAnnotations::add_double(uint64_t name, double value, pbf_writer* event) {
  if (!std::isfinite(value)) return;
  pbf_writer annotation(*event, pb::event::kAnnotation);
  annotation.add_uint64(pb::annotation::kName, name);
  annotation.add_double(pb::annotation::kDouble, value);
}

void PerfettoAnnotations::add_iid(uint64_t name, uint64_t text, pbf_writer* event) {
  pbf_writer annotation(*event, pb::event::kAnnotation);
  annotation.add_uint64(pb::annotation::kName, name);
  annotation.add_uint64(pb::annotation::kTextIid, text);
}

void PerfettoAnnotations::add_string(Key key, uint32_t id, pbf_writer* event) {
  if (id != 0) add_iid(key + 1, texts_.text(id), event);
}

void PerfettoAnnotations::add_text(uint64_t name, std::string_view text, pbf_writer* event) {
  if (!text.empty()) add_iid(name, texts_.text(text), event);
}

}  // namespace xsp::analysis

#include "analysis/export/perfetto_annotations.h"

#include <cmath>

#include "analysis/export/perfetto_packets.h"
#include "analysis/tables/kernel_work.h"

namespace xsp::analysis {
namespace {

using protozero::pbf_writer;
namespace pb = perfetto;

/// One for each execution: a flow cannot fork.
uint64_t flow_of(uint32_t execution) { return uint64_t{execution} + 1; }

}  // namespace

/// Their iids are these plus one. Arguments of calls come behind them.
enum PerfettoAnnotations::Key : uint8_t {
  kArguments,
  kBatchSize,
  kBlock,
  kBytes,
  kCorrelation,
  kDataType,
  kDramRead,
  kDramWrite,
  kEvaluation,
  kFailed,
  kFlops,
  kGraphNode,
  kGrid,
  kInput,
  kLayer,
  kLayerIndex,
  kLibraryCall,
  kMetricSource,
  kOccupancy,
  kPhase,
  kRegisters,
  kShallow,
  kShape,
  kSharedMemory,
  kType,
  kKeys
};

std::vector<std::string_view> PerfettoAnnotations::keys() {
  constexpr std::array<std::string_view, kKeys> kNames = {
      "arguments",    "batch_size",    "block",           "bytes",
      "correlation",  "data_type",     "dram_read_bytes", "dram_write_bytes",
      "evaluation",   "failed",        "flops",           "graph_node",
      "grid",         "input",         "layer",           "layer_index",
      "library_call", "metric_source", "occupancy_pct",   "phase",
      "registers",    "shallow",       "shape",           "shared_memory",
      "type"};
  return {kNames.begin(), kNames.end()};
}

void PerfettoAnnotations::add(const ExportedSpan& span, pbf_writer* event) {
  if (span.execution != kNoExecution) {
    add_execution(span, event);
  } else {
    add_call(span, event);
  }
}

void PerfettoAnnotations::add_call(const ExportedSpan& span, pbf_writer* event) {
  const Trace& trace = spans_.trace();
  for (uint32_t i = spans_.first_launched(span.row); i != kNoExecution; i = spans_.next_launched(i)) {
    event->add_fixed64(pb::event::kFlow, flow_of(i));
  }
  if (span.correlation != 0) add_unsigned(kCorrelation, span.correlation, event);
  if (trace.spans.has_failed(span.row)) add_bool(kFailed, event);
  if (trace.spans.is_shallow(span.row)) add_bool(kShallow, event);
  if (span.level == Level::kModel || span.level == Level::kLayer) {
    add_layer(span, event);
  } else if (span.level == Level::kApplication || span.level == Level::kLibrary) {
    add_text(kType, trace.spans.type[span.row], event);
  }
  if (trace.spans.arguments_of(span.row) == SpanTable::kNoArguments) return;
  pbf_writer arguments(*event, pb::event::kAnnotation);
  arguments.add_uint64(pb::annotation::kName, kArguments + 1);
  spans_.for_each_argument(span.row, [&](const SpanArgument& argument) { add_argument(argument, &arguments); });
}

void PerfettoAnnotations::add_layer(const ExportedSpan& span, pbf_writer* event) {
  const Trace& trace = spans_.trace();
  const SpanPlace place = spans_.place(span);
  const Evaluations& evaluations = spans_.analysed().evaluations;
  if (place.evaluation != kNoEvaluation) add_unsigned(kEvaluation, place.evaluation, event);
  if (place.layer == span.row && place.layer_index != SpanPlace::kNoLayer) {
    add_unsigned(kLayerIndex, place.layer_index, event);
  }
  add_text(kType, trace.spans.type[span.row], event);
  add_text(kShape, trace.spans.shape[span.row], event);
  if (trace.spans.kind[span.row] != Kind::kOrtNode) add_text(kInput, trace.spans.input[span.row], event);
  const bool is_root = place.evaluation != kNoEvaluation && evaluations.root[place.evaluation] == span.row;
  if (is_root) {
    const auto batch_size = leading_dimension(trace.text(trace.spans.input[span.row]));
    if (batch_size) add_unsigned(kBatchSize, static_cast<uint64_t>(*batch_size), event);
  }
  const uint64_t bytes = trace.spans.bytes[span.row];
  if (bytes != SpanTable::kUnknownBytes) add_unsigned(kBytes, bytes, event);
}

void PerfettoAnnotations::add_execution(const ExportedSpan& span, pbf_writer* event) {
  const Trace& trace = spans_.trace();
  const SpanPlace place = spans_.place(span);
  if (place.launch != kNoRow) event->add_fixed64(pb::event::kFlowEnd, flow_of(span.execution));
  if (span.correlation != 0) add_unsigned(kCorrelation, span.correlation, event);
  if (place.layer != kNoRow) {
    if (place.layer_index != SpanPlace::kNoLayer) add_unsigned(kLayerIndex, place.layer_index, event);
    add_text(kLayer, trace.layer_name(place.layer), event);
    add_text(kType, trace.spans.type[place.layer], event);
  }
  if (place.evaluation != kNoEvaluation) add_unsigned(kEvaluation, place.evaluation, event);
  if (place.library_call != kNoRow) add_text(kLibraryCall, trace.spans.name[place.library_call], event);
  if (place.backward) add_text(kPhase, "backward", event);
  if (span.kind == Kind::kKernel) {
    add_configuration(trace.spans.shape[span.row], event);
  } else if (trace.spans.bytes[span.row] != SpanTable::kUnknownBytes) {
    add_unsigned(kBytes, trace.spans.bytes[span.row], event);
  }
  if (const uint64_t node = trace.executions.graph_node[span.execution]) add_unsigned(kGraphNode, node, event);
  if (const KernelMetrics* metrics = spans_.metrics(span.execution)) add_metrics(*metrics, event);
}

void PerfettoAnnotations::add_metrics(const KernelMetrics& metrics, pbf_writer* event) {
  add_double(kFlops, metrics.flops, event);
  add_double(kDramRead, metrics.dram_read_bytes, event);
  add_double(kDramWrite, metrics.dram_write_bytes, event);
  add_double(kOccupancy, metrics.occupancy_pct, event);
  add_text(kDataType, name_of(metrics.type), event);
  add_text(kMetricSource, name_of(metrics.source), event);
}

void PerfettoAnnotations::add_configuration(uint32_t id, pbf_writer* event) {
  if (id == 0) return;
  const auto [found, added] = configurations_.try_emplace(id);
  if (added) {
    const LaunchConfiguration configuration = launch_configuration(spans_.text(id));
    const auto add = [this, &annotations = found->second](Key key, std::string_view text) {
      if (!text.empty()) annotations.field[annotations.count++] = {key, texts_.text(text)};
    };
    add(kGrid, configuration.grid);
    add(kBlock, configuration.block);
    add(kRegisters, configuration.registers);
    add(kSharedMemory, configuration.shared.empty() ? configuration.dynamic_shared : configuration.shared);
  }
  for (size_t i = 0; i < found->second.count; ++i) {
    add_iid(found->second.field[i].first + 1, found->second.field[i].second, event);
  }
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

void PerfettoAnnotations::add_unsigned(Key key, uint64_t value, pbf_writer* event) {
  pbf_writer annotation(*event, pb::event::kAnnotation);
  annotation.add_uint64(pb::annotation::kName, key + 1);
  annotation.add_uint64(pb::annotation::kUnsigned, value);
}

void PerfettoAnnotations::add_bool(Key key, pbf_writer* event) {
  pbf_writer annotation(*event, pb::event::kAnnotation);
  annotation.add_uint64(pb::annotation::kName, key + 1);
  annotation.add_bool(pb::annotation::kBool, true);
}

void PerfettoAnnotations::add_double(Key key, double value, pbf_writer* event) {
  if (!std::isfinite(value)) return;
  pbf_writer annotation(*event, pb::event::kAnnotation);
  annotation.add_uint64(pb::annotation::kName, key + 1);
  annotation.add_double(pb::annotation::kDouble, value);
}

void PerfettoAnnotations::add_iid(uint64_t name, uint64_t text, pbf_writer* event) {
  pbf_writer annotation(*event, pb::event::kAnnotation);
  annotation.add_uint64(pb::annotation::kName, name);
  annotation.add_uint64(pb::annotation::kTextIid, text);
}

void PerfettoAnnotations::add_text(Key key, uint32_t id, pbf_writer* event) {
  if (id != 0) add_iid(key + 1, texts_.text(id), event);
}

void PerfettoAnnotations::add_text(Key key, std::string_view text, pbf_writer* event) {
  if (!text.empty()) add_iid(key + 1, texts_.text(text), event);
}

}  // namespace xsp::analysis

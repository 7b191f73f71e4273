#include "analysis/tables/layer_information.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/tables/call_tables.h"
#include "analysis/tables/confidence.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/intervals.h"
#include "analysis/timeline/layer_shapes.h"
#include "analysis/trace/recorded_levels.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// The library calls of one layer of the tables, without those of its backward work: they are no part of its latency.
struct LayerCalls {
  double count = 0;       // mean over the joined evaluations; of all spans with --per trace
  double library_ns = 0;  // union of the host intervals of the outermost calls
  uint32_t function = 0;  // string id: the outermost function with most time; 0: none
  bool known = false;     // a run with this layer recorded library calls
  bool backward = false;  // its backward work has further ones
};

/// A layer span of the tables: which layer it is, and of which evaluation.
struct Place {
  size_t layer = 0;
  size_t column = 0;
  UnionLength busy;  // of its calls so far
};

/// The evaluations whose library calls are those of the layers.
const std::vector<uint32_t>& evaluations_of(const Study& study) {
  return study.levels.leveled ? study.levels.library_layers.joined : study.joined.joined;
}

std::unordered_map<Row, Place> places_of_layers(const Study& study) {
  std::unordered_map<Row, Place> places;
  if (study.options.per_trace) {
    for (const auto& [row, layer] : study.joined.members) places[row] = {layer, 0, {}};
    return places;
  }
  const auto& evaluations = evaluations_of(study);
  for (size_t column = 0; column < evaluations.size(); ++column) {
    for (uint32_t i = 0; i < study.evaluations.layer_count(evaluations[column]); ++i) {
      const Row row = study.evaluations.layer(evaluations[column], i);
      const uint32_t layer = study.layer_index(row);
      if (layer < study.joined.layers.size()) places[row] = {layer, column, {}};
    }
  }
  return places;
}

/// By layer of Study::joined; empty where the trace has no library calls.
std::vector<LayerCalls> layer_calls(const Study& study) {
  const auto& calls = study.library_calls.calls;
  const SpanTable& spans = study.trace.spans;
  if (calls.empty()) return {};
  const size_t columns = study.options.per_trace ? 1 : evaluations_of(study).size();
  std::vector<LayerCalls> layers(study.joined.layers.size());
  std::vector<double> busy(layers.size() * columns);
  std::vector<uint8_t> has(busy.size());  // whether the evaluation has the layer
  std::map<std::pair<size_t, uint32_t>, int64_t> functions;
  auto places = places_of_layers(study);
  for (const auto& [row, place] : places) {
    has[place.layer * columns + place.column] = 1;
    layers[place.layer].known |= records(study.trace, study.trace.process_of(row), Level::kLibrary);
  }
  for (const LibraryCall& call : calls) {
    const auto found = places.find(call.layer);
    if (found == places.end()) continue;
    Place& place = found->second;
    if (call.backward) {
      layers[place.layer].backward = true;
      continue;
    }
    layers[place.layer].count += 1;
    // A call inside another one of the layer is counted, and its time is part of the outer one's.
    if (call.enclosing != kNoCall && calls[call.enclosing].layer == call.layer) continue;
    // Calls come in order of begin.
    busy[place.layer * columns + place.column] +=
        static_cast<double>(place.busy.add(spans.begin[call.row], spans.end[call.row]));
    functions[{place.layer, spans.name[call.row]}] += spans.duration(call.row);
  }
  std::vector<double> values;
  std::vector<int64_t> most(layers.size(), -1);
  for (size_t i = 0; i < layers.size(); ++i) {
    if (study.options.per_trace) {
      layers[i].library_ns = busy[i];
      continue;
    }
    values.clear();
    for (size_t k = i * columns; k < (i + 1) * columns; ++k) {
      if (has[k] != 0) values.push_back(busy[k]);
    }
    if (values.empty()) continue;
    layers[i].count /= static_cast<double>(values.size());
    layers[i].library_ns = evaluate(study.options.statistic, values);
  }
  // Of functions with equal times, the one named first in the trace is taken, which is the order of the map.
  for (const auto& [key, ns] : functions) {
    if (ns <= most[key.first]) continue;
    most[key.first] = ns;
    layers[key.first].function = key.second;
  }
  return layers;
}

/// Layers that could tell the shape of their output and do not. An optimizer step has none. If operators of PyTorch
/// tell theirs, one without a shape returns no tensor.
size_t layers_without_shape(const Study& study) {
  const Trace& trace = study.trace;
  const auto& layers = study.joined.layers;
  const auto is_operator = [&](const JoinedLayer& layer) {
    return trace.text(layer.type).find("::") != std::string_view::npos;
  };
  const auto has_shape = [](const JoinedLayer& layer) { return layer.shape_varies || layer.shape != 0; };
  const bool operators_tell = std::any_of(
      layers.begin(), layers.end(), [&](const JoinedLayer& layer) { return is_operator(layer) && has_shape(layer); });
  return static_cast<size_t>(std::count_if(layers.begin(), layers.end(), [&](const JoinedLayer& layer) {
    return !has_shape(layer) && trace.text(layer.type) != "Optimizer" && !(operators_tell && is_operator(layer));
  }));
}

/// Of profiles that tell no outputs.
bool shapes_are_inputs(const Study& study) {
  const auto& segments = study.trace.segments;
  const auto& layers = study.joined.layers;
  return std::any_of(segments.begin(), segments.end(),
                     [](const Segment& segment) { return tells_inputs_only(segment.source); }) &&
         std::any_of(layers.begin(), layers.end(), [](const JoinedLayer& layer) { return layer.shape != 0; });
}

}  // namespace

Table layer_information(const Study& study) {
  Table table = make_table(kA2, study);
  const bool has_backward = table.has(kA2.backward_ms);
  const std::vector<LayerCalls> calls = layer_calls(study);
  const Trace& trace = study.trace;
  bool shape_varies = false;
  for (const JoinedLayer& layer : study.joined.layers) {
    const auto text = [&](uint32_t id) { return id == 0 ? Cell() : Cell(std::string(trace.text(id))); };
    shape_varies |= layer.shape_varies;
    const size_t i = table.rows.size();
    TableRow row = table.add_row();
    row.set(kA2.index, count_cell(i));
    row.set(kA2.name, text(layer.name));
    row.set(kA2.type, text(layer.type));
    if (!layer.shape_varies) row.set(kA2.shape, text(layer.shape));
    row.set(kA2.latency_ms, cell(layer.latency_ns / kNsPerMs));
    if (layer.bytes) row.set(kA2.alloc_mb, cell(*layer.bytes / kBytesPerMb));
    row.set(kA2.n, count_cell(layer.calls));
    row.set(kA2.spread, cell(layer.spread_ns / kNsPerMs));
    if (!calls.empty() && calls[i].known) {
      row.set(kA2.library_calls, mean_count(calls[i].count));
      row.set(kA2.library_ms, cell(calls[i].library_ns / kNsPerMs));
      row.set(kA2.library, text(calls[i].function));
    }
    row.set(kA2.host_ms, cell(layer.host_ns / kNsPerMs));
    if (study.latencies.has_kernels) row.set(kA2.gpu_ms, cell(layer.gpu_ns / kNsPerMs));
    row.set(kA2.backward_ms, cell(layer.backward_ns / kNsPerMs));
    row.set(kA2.wait_ms, cell(layer.wait_ns / kNsPerMs));
  }
  finish_layer_table(study, true, &table);
  add_intervals(study, layer_intervals(study), kA2.ci_low_ms, kA2.ci_high_ms, &table);
  if (const std::string note = coverage_note(study); !note.empty()) table.notes.push_back(note);
  if (has_backward) {
    table.notes.push_back(fmt::format("backward_ms is {} of the layer's backward work; latency_ms {} it",
                                      study.latencies.has_kernels ? "the kernels' time" : "the host's time",
                                      study.latencies.has_kernels ? "has, too" : "does not have"));
  }
  if (std::string note = device_latency_note(study); !note.empty() && layers_outlast_calls(study)) {
    table.notes.push_back(note);
  }
  if (!calls.empty()) {
    for (std::string& note : divergence_notes(study, {Level::kLibrary})) table.notes.push_back(std::move(note));
  }
  if (calls.empty() && !table.rows.empty()) table.notes.push_back(no_library_calls_note(study));
  if (std::any_of(calls.begin(), calls.end(), [](const LayerCalls& layer) { return layer.backward; })) {
    table.notes.emplace_back(
        "library_calls, library_ms and library cover the forward pass only; C1 and C2 list calls of backward work");
  }
  const auto without_calls =
      std::count_if(calls.begin(), calls.end(), [](const LayerCalls& layer) { return !layer.known; });
  if (without_calls != 0) {
    table.notes.push_back(
        fmt::format("library calls are not known for {} of {} layers: no run recorded both (xsp-run "
                    "--level library -- COMMAND)",
                    without_calls, calls.size()));
  }
  if (study.levels.leveled && layers_outlast_calls(study)) {
    table.notes.push_back(fmt::format("gpu_ms comes from {}", study.levels.kernel.label));
  }
  if (shape_varies) table.notes.emplace_back("a shape that differs between calls is left out");
  if (shapes_are_inputs(study)) {
    table.notes.emplace_back(
        "shape is that of the inputs of an operator, or of a module's first operator: PyTorch's profiler does not "
        "record outputs");
  } else if (const size_t without_shape = layers_without_shape(study); without_shape != 0) {
    table.notes.push_back(fmt::format(
        "the output shape is not known for {} of {} layers: {}", without_shape, table.rows.size(),
        has_imports(trace)
            ? "the profile does not contain it (torch.profiler records input shapes with record_shapes=True)"
            : "it is recorded for modules of PyTorch, layers of Keras, nodes of ONNX Runtime, kernels of TensorFlow "
              "and operators of MXNet (xsp-run -- COMMAND)"));
  }
  return table;
}

}  // namespace xsp::analysis

#include "analysis/tables/layer_information.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/study/study.h"
#include "analysis/tables/call_tables.h"
#include "analysis/tables/confidence.h"
#include "analysis/tables/layer_calls.h"
#include "analysis/tables/layer_tables.h"
#include "analysis/tables/study_notes.h"
#include "analysis/tables/table.h"
#include "analysis/timeline/layer_shapes.h"
#include "base/units.h"

namespace xsp::analysis {

namespace {

/// Those that could tell the shape of their output and do not. A step of an optimizer has none. Where operators of
/// PyTorch tell theirs, one without a shape returns no tensor.
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
    table.notes.push_back(fmt::format("backward_ms is {} of the backward work of the layer, which latency_ms {}",
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
        "library_calls, library_ms and library are of the forward pass; the calls of backward work are in C1 and C2");
  }
  const auto without_calls =
      std::count_if(calls.begin(), calls.end(), [](const LayerCalls& layer) { return !layer.known; });
  if (without_calls != 0) {
    table.notes.push_back(
        fmt::format("library calls are not known for {} of {} layers, which are in no run that recorded them (xsp-run "
                    "--level library -- COMMAND)",
                    without_calls, calls.size()));
  }
  if (study.levels.leveled && layers_outlast_calls(study)) {
    table.notes.push_back(fmt::format("gpu_ms is of {}", study.levels.kernel.label));
  }
  if (shape_varies) table.notes.emplace_back("a shape that is not the same in all evaluations is left out");
  if (shapes_are_inputs(study)) {
    table.notes.emplace_back(
        "shape is that of the tensors that an operator, or the first operator of a module, reads: PyTorch's profiler "
        "tells no outputs");
  } else if (const size_t without_shape = layers_without_shape(study); without_shape != 0) {
    table.notes.push_back(
        fmt::format("shape, that of the output, is not known for {} of {} layers: {}", without_shape, table.rows.size(),
                    has_imports(trace)
                        ? "the profile does not tell it (torch.profiler tells shapes of inputs with record_shapes=True)"
                        : "modules of PyTorch and nodes of ONNX Runtime tell it (xsp-run -- COMMAND)"));
  }
  return table;
}

}  // namespace xsp::analysis

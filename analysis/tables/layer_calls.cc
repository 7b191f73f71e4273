#include "analysis/tables/layer_calls.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/timeline/intervals.h"
#include "analysis/trace/recorded_levels.h"

namespace xsp::analysis {
namespace {

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

}  // namespace

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
  for (const auto& [key, ns] : functions) {
    if (ns <= most[key.first]) continue;
    most[key.first] = ns;
    layers[key.first].function = key.second;
  }
  return layers;
}

}  // namespace xsp::analysis

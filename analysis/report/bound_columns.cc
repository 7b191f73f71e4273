#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analysis/report/bound_bars.h"
#include "analysis/report/given_bounds.h"
#include "analysis/study/study.h"
#include "analysis/tables/latency_by_layer_type.h"
#include "analysis/tables/layer_information.h"
#include "analysis/tables/layer_latency.h"
#include "analysis/tables/model_information.h"
#include "base/text_encoding.h"

namespace xsp::analysis {
namespace {

/// Of what is known by bounds; the report has findings of its own.
constexpr size_t kMostBoundFindings = 3;

constexpr const char* kMeaning =
    "bound_ms: the least time by benchmarks of the same work, fused where that is faster (xsp-bound)";

Column bound_column() { return {.name = "bound_ms", .unit = "ms"}; }

std::vector<std::optional<double>> bounds_by_layer(const Study& study, const GivenBounds& bounds) {
  std::vector<std::optional<double>> by_layer(study.joined.layers.size());
  for (const LayerBound& layer : bounds.layers) {
    if (layer.index < by_layer.size()) by_layer[layer.index] = layer.bound_ms;
  }
  return by_layer;
}

void add_column_by_layer(const std::vector<std::optional<double>>& by_layer, Table* table) {
  if (table->rows.size() != by_layer.size()) return;
  const size_t place = append_column(bound_column(), table);
  for (size_t row = 0; row < by_layer.size(); ++row) table->rows[row][place] = cell(by_layer[row]);
  table->notes.emplace_back(kMeaning);
}

/// A sum is only told where each layer of the type has a bound.
void add_column_by_type(const Study& study, const std::vector<std::optional<double>>& by_layer, Table* table) {
  const auto& layers = study.joined.layers;
  std::unordered_map<std::string_view, std::optional<double>> sums;
  for (size_t i = 0; i < layers.size(); ++i) {
    const auto [sum, is_first] = sums.try_emplace(study.trace.text(layers[i].type), 0.0);
    if (!by_layer[i]) sum->second.reset();
    if (sum->second) *sum->second += *by_layer[i];
  }
  const size_t place = append_column(bound_column(), table);
  for (size_t row = 0; row < table->rows.size(); ++row) {
    const auto* type = std::get_if<std::string>(&table->at(row, kA6.type));
    const auto sum = type == nullptr ? sums.end() : sums.find(*type);
    if (sum != sums.end()) table->rows[row][place] = cell(sum->second);
  }
  table->notes.push_back(std::string(kMeaning) + "; null where a layer of the type has none");
}

void add_column_of_model(const Study& study, const GivenBounds& bounds, Table* table) {
  const auto subject = study.subject ? std::ranges::find(study.groups, *study.subject) : study.groups.end();
  const auto row = static_cast<size_t>(subject - study.groups.begin());
  if (subject == study.groups.end() || row >= table->rows.size() || !bounds.model_bound_ms) return;
  const size_t place = append_column(bound_column(), table);
  table->rows[row][place] = cell(bounds.model_bound_ms);
  table->notes.emplace_back(kMeaning);
}

}  // namespace

Status check_given_bounds(const Study& study, const GivenBounds& bounds) {
  const auto& layers = study.joined.layers;
  for (const LayerBound& layer : bounds.layers) {
    if (layer.index < layers.size() && study.trace.text(layers[layer.index].name) == layer.name) continue;
    return {fmt::format("{} is of another trace: it has a layer {} called {}", bounds.path, layer.index,
                        printable(layer.name)),
            "make it of this one, of the same model: xsp-bound MODEL.onnx --trace TRACE --format json"};
  }
  return {};
}

void add_given_bounds(const Study& study, const GivenBounds& bounds, Report* report) {
  const std::vector<std::optional<double>> by_layer = bounds_by_layer(study, bounds);
  for (Table& table : report->tables) {
    if (table.definition == &kA1) add_column_of_model(study, bounds, &table);
    if (table.definition == &kA2 || table.definition == &kA3) add_column_by_layer(by_layer, &table);
    if (table.definition == &kA6) add_column_by_type(study, by_layer, &table);
  }
  for (const Table& table : bounds.tables) report->tables.push_back(table);
  if (auto bars = bound_bars(bounds)) report->drawings.push_back(std::move(*bars));
  report->header.facts.push_back({"bounds", fmt::format("{}, of the model {}", bounds.path, bounds.model)});
  const size_t count = std::min(bounds.findings.size(), kMostBoundFindings);
  // What puts the reading in doubt stays first, then what is largest of both.
  const auto notes = std::ranges::find_if(report->findings, &Finding::is_note);
  report->findings.insert(notes, bounds.findings.begin(), bounds.findings.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace xsp::analysis

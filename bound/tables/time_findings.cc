#include "bound/tables/time_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/quantity_text.h"
#include "bound/model/model_source.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/problem_groups.h"
#include "bound/tables/shown_mode.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

// Shares of the bound from which on something is said.
constexpr double kDearType = 0.3;
constexpr double kDearProblem = 0.1;
constexpr double kFusibleShare = 0.05;
constexpr double kParallelGain = 0.03;
constexpr double kMemoryCost = 0.1;
constexpr double kExactCost = 0.02;
constexpr std::string_view kFusibleKinds[] = {"eltwise ", "binary ", "batchnorm "};

/// Layers of one type, or of one kind.
struct LayerSum {
  double ms = 0;
  size_t layers = 0;
  std::set<size_t> problems;

  void add(const Layer& layer, const LayerTime& time) {
    ms += *time.bound_ms;
    ++layers;
    problems.insert(layer.unique);
  }
};

Finding share_finding(const char* id, double ms, const Bounds& bounds) {
  Finding finding;
  finding.id = id;
  finding.weight = ms / bounds.layers().sequential.bound_ms;
  finding.value = 100 * finding.weight;
  finding.unit = "%";
  finding.share_pct = finding.value;
  finding.share_of = "bound";
  return finding;
}

/// The same of the bound that is shown, not of that layer by layer.
Finding shown_share_finding(const char* id, double ms, const Bounds& bounds) {
  Finding finding = share_finding(id, ms, bounds);
  finding.weight = ms / shown_mode(bounds).sequential.bound_ms;
  finding.value = 100 * finding.weight;
  finding.share_pct = finding.value;
  return finding;
}

/// "the bound"; where another one is shown "the bound layer by layer".
std::string_view layers_bound(const Bounds& bounds) {
  return shown_mode(bounds).name == "layers" ? "the bound" : "the bound layer by layer";
}

void find_dear_type(const Bounds& bounds, std::vector<Finding>* found) {
  std::map<std::string, LayerSum> types;
  for (size_t index = 0; index < bounds.times.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    const Layer& layer = bounds.model->layers[index];
    if (time.counts && time.bound_ms) types[layer.type].add(layer, time);
  }
  const auto dearest = std::max_element(types.begin(), types.end(),
                                        [](const auto& a, const auto& b) { return a.second.ms < b.second.ms; });
  if (dearest == types.end() || types.size() < 2 || dearest->second.problems.size() < 2) return;
  Finding finding = share_finding("bound-layer-type", dearest->second.ms, bounds);
  if (finding.weight < kDearType) return;
  finding.text = fmt::format("{} layers are {} of {}: {} in {}, {} of them different", dearest->first,
                             percent(finding.weight), layers_bound(bounds), duration(dearest->second.ms),
                             plural(dearest->second.layers, "layer"), dearest->second.problems.size());
  finding.table = "B2";
  finding.column = "type";
  finding.key = dearest->first;
  found->push_back(std::move(finding));
}

void find_dear_problem(const Bounds& bounds, std::vector<Finding>* found) {
  const std::vector<ProblemGroup> groups = problem_groups(bounds);
  if (groups.size() < 3) return;
  const ProblemGroup& dearest = groups.front();
  Finding finding = share_finding("bound-dearest-problem", dearest.bound_ms, bounds);
  if (finding.weight < kDearProblem) return;
  const Layer& layer = bounds.model->layers[dearest.first];
  const LayerTime& time = bounds.times[dearest.first];
  const std::string by = time.implementation.empty() ? "" : ", fastest with " + time.library;
  finding.text =
      dearest.layers == 1
          ? fmt::format("The layer {} ({}) alone is {} of {}: {}{}", layer.name, layer.type, percent(finding.weight),
                        layers_bound(bounds), duration(dearest.bound_ms), by)
          : fmt::format("{} and {} {} {} like it are together {} of {}: {} each{}", layer.name, dearest.layers - 1,
                        layer.type, dearest.layers == 2 ? "layer" : "layers", percent(finding.weight),
                        layers_bound(bounds), duration(dearest.bound_ms / static_cast<double>(dearest.layers)), by);
  finding.table = "B1";
  finding.column = "name";
  finding.key = layer.name;
  found->push_back(std::move(finding));
}

void find_other_rounding(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = shown_mode(bounds).sequential;
  const double more = bound.exact_ms - bound.bound_ms;
  if (source.is_given || bound.inexact == 0) return;
  Finding finding = shown_share_finding("other-rounding", more, bounds);
  finding.text = fmt::format(
      "{}{} {} fastest by Winograd or FFT, which round differently and not every runtime uses: "
      "without them the bound is {}, {} more",
      plural(bound.inexact, "layer"), shown_mode(bounds).name == "layers" ? "" : ", what is fused into them counted,",
      bound.inexact == 1 ? "is" : "are", duration(bound.exact_ms), percent(finding.weight));
  finding.advice = "--exact leaves them out";
  finding.table = "B1";
  finding.is_note = finding.weight < kExactCost;
  found->push_back(std::move(finding));
}

/// "Relu, Add and Clip" of those that take most.
std::string list_of(const std::map<std::string, LayerSum>& types) {
  constexpr size_t kNamed = 3;
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [type, sum] : types) order.emplace_back(-sum.ms, type);
  std::sort(order.begin(), order.end());
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kNamed); ++i) text += (i == 0 ? "" : ", ") + order[i].second;
  return order.size() > kNamed ? text + ", …" : text;
}

/// The bound of each layer by itself is above what runtimes reach that fuse them.
void find_fusible(const Bounds& bounds, std::vector<Finding>* found) {
  if (bounds.has_measured_groups()) return;
  std::map<std::string, LayerSum> types;
  LayerSum all;
  for (size_t index = 0; index < bounds.times.size(); ++index) {
    const LayerTime& time = bounds.times[index];
    const Layer& layer = bounds.model->layers[index];
    const bool is_fusible = std::any_of(std::begin(kFusibleKinds), std::end(kFusibleKinds),
                                        [&](std::string_view kind) { return layer.problem.starts_with(kind); });
    if (!time.counts || !time.bound_ms || !is_fusible) continue;
    types[layer.type].add(layer, time);
    all.add(layer, time);
  }
  Finding finding = share_finding("fusible-layers", all.ms, bounds);
  if (finding.weight < kFusibleShare || all.layers == bounds.layers().sequential.layers) return;
  finding.text = fmt::format(
      "Elementwise layers ({}) are {} of the bound: {} in {}. Runtimes fuse most of them into other "
      "layers, and can then be faster than this bound",
      list_of(types), percent(finding.weight), duration(all.ms), plural(all.layers, "layer"));
  finding.advice = "a runtime that does not fuse them pays for them in full, and for their way to memory and back";
  finding.table = "B2";
  found->push_back(std::move(finding));
}

void find_parallel_gain(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  const BoundMode& mode = shown_mode(bounds);
  const double gain = mode.sequential.bound_ms - mode.parallel.bound_ms;
  Finding finding = shown_share_finding("parallel-branches", gain, bounds);
  finding.table = "B4";
  finding.column = "mode";
  finding.key = mode.name;
  if (finding.weight >= kParallelGain) {
    const std::string each =
        source.is_given || source.threads == 1 ? "a core" : fmt::format("{} cores", source.threads);
    finding.text = fmt::format(
        "Branches that do not wait for one another could save at most {} ({} of the bound), if each "
        "had {} of its own",
        duration(gain), percent(finding.weight), each);
    finding.gain_ms = gain;
  } else if (!(gain > 0) && mode.sequential.missing > 0) {
    return;  // those without a time may be independent
  } else {
    finding.text = gain > 0 ? fmt::format("Branches at the same time could save at most {}", duration(gain))
                            : "No two layers with work are independent: there are no branches to run at the same time";
    finding.is_note = true;
  }
  found->push_back(std::move(finding));
}

/// "102.2 MB".
std::string size_text(double bytes) { return fmt::format("{} MB", four_digits(bytes / 1e6)); }

/// Of all initializers that layers with work read, each once.
double weight_bytes(const LayeredModel& model) {
  if (model.source == nullptr) return 0;
  const Graph& graph = model.source->model.graph;
  std::set<std::string_view> read;
  for (size_t layer = 0; layer < std::min(graph.nodes.size(), model.layers.size()); ++layer) {
    if (!has_work(model.layers[layer].layer_class)) continue;
    for (const std::string& input : graph.nodes[layer].inputs) read.insert(input);
  }
  double bytes = 0;
  for (const ConstantTensor& weight : graph.initializers) {
    if (!read.contains(weight.name)) continue;
    bytes += std::accumulate(weight.dimensions.begin(), weight.dimensions.end(), bytes_of(weight.element),
                             [](double product, int64_t size) { return product * static_cast<double>(size); });
  }
  return bytes;
}

void find_memory_cost(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  const SequentialBound& bound = shown_mode(bounds).sequential;
  if (!bound.expected_ms) return;
  const double more = *bound.expected_ms - bound.bound_ms;
  if (more < kMemoryCost * bound.bound_ms) return;
  Finding finding = shown_share_finding("operands-from-memory", more, bounds);
  finding.weight = more / *bound.expected_ms;
  finding.share_pct = 100 * finding.weight;
  finding.share_of = "expected time";
  finding.text = fmt::format(
      "With weights and activations from memory instead of the cache the same implementations take {}, not {}: {} "
      "more",
      duration(*bound.expected_ms), duration(bound.bound_ms), percent(more / bound.bound_ms));
  if (bound.without_cold != 0) {
    finding.text += fmt::format(" ({}, {}, counted with the time from the cache)", plural(bound.without_cold, "layer"),
                                duration(bound.without_cold_ms));
  }
  const double weights = weight_bytes(*bounds.model);
  if (weights > 0 && source.cache_bytes > 0) {
    finding.advice = fmt::format("its weights are {}, the last cache has {}: ", size_text(weights),
                                 size_text(static_cast<double>(source.cache_bytes)));
    finding.advice += weights > static_cast<double>(source.cache_bytes)
                          ? "they cannot all stay there from call to call"
                          : "they can stay there from call to call, if activations and other programs leave them room";
  }
  finding.table = "B3";
  finding.column = "mode";
  finding.key = shown_mode(bounds).name;
  found->push_back(std::move(finding));
}

}  // namespace

void find_times(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  std::vector<Finding> times;
  find_dear_type(bounds, &times);
  find_dear_problem(bounds, &times);
  find_other_rounding(source, bounds, &times);
  find_fusible(bounds, &times);
  find_memory_cost(source, bounds, &times);
  find_parallel_gain(source, bounds, &times);
  std::stable_sort(times.begin(), times.end(), [](const Finding& a, const Finding& b) {
    return a.is_note != b.is_note ? b.is_note : a.weight > b.weight;
  });
  found->insert(found->end(), times.begin(), times.end());
}

}  // namespace xsp::bound

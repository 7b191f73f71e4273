#include "bound/tables/measured_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/tables/finding_texts.h"
#include "bound/tables/measured_layers_table.h"
#include "bound/tables/shown_mode.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

using analysis::Finding;

// Shares of the call from which on something is said.
constexpr double kExcessOfType = 0.05;
constexpr double kExcessOfLayer = 0.05;
constexpr double kOtherLayers = 0.02;
constexpr double kSplitGroups = 0.02;
constexpr double kBetweenLayers = 0.05;
constexpr double kFasterShare = 0.02;
constexpr double kNotFoundShare = 0.01;  // of the bound
constexpr size_t kLayerNameColumns = 60;

/// Layers of the trace with a bound, or without one.
struct MeasuredSum {
  double measured_ms = 0;
  double bound_ms = 0;
  size_t layers = 0;

  double excess_ms() const { return measured_ms - bound_ms; }
  void add(const TraceLayer& layer, double of_bound_ms) {
    measured_ms += layer.measured_ms;
    bound_ms += of_bound_ms;
    ++layers;
  }
};

/// "1.7 times its bound of 12 ms"; "2.0 ms, its bound is 0" where that makes no factor.
std::string against(double measured_ms, double bound_ms, std::string_view whose) {
  if (!(bound_ms > 0)) return fmt::format("{}, {} bound is nothing", duration(measured_ms), whose);
  return fmt::format("{}, {} times {} bound of {}", duration(measured_ms), times_text(measured_ms / bound_ms), whose,
                     duration(bound_ms));
}

Finding call_finding(const char* id, double ms, const JoinedTrace& trace) {
  Finding finding;
  finding.id = id;
  finding.weight = std::min(1.0, ms / trace.measured_ms);
  finding.value = 100 * ms / trace.measured_ms;
  finding.unit = "%";
  finding.share_pct = finding.value;
  finding.share_of = "call";
  finding.table = kB3Layers.id;
  return finding;
}

std::string shown_layer(const TraceLayer& layer) {
  const std::string name = shorten(printable(layer.name), kLayerNameColumns);
  return layer.type.empty() || layer.type == layer.name ? name : fmt::format("{} ({})", name, printable(layer.type));
}

void find_excess_type(const Bounds& bounds, std::vector<Finding>* found) {
  std::map<std::string, MeasuredSum> types;
  MeasuredSum all;
  for (const TraceLayer& layer : bounds.trace->layers) {
    const std::optional<double> bound_ms = bound_of(bounds, shown_mode(bounds), layer);
    if (!bound_ms) continue;
    types[layer.type].add(layer, *bound_ms);
    all.add(layer, *bound_ms);
  }
  const auto most = std::ranges::max_element(
      types, [](const auto& a, const auto& b) { return a.second.excess_ms() < b.second.excess_ms(); });
  if (most == types.end() || types.size() < 2) return;
  const MeasuredSum& sum = most->second;
  Finding finding = call_finding("excess-layer-type", sum.excess_ms(), *bounds.trace);
  if (finding.weight < kExcessOfType || sum.layers < 2) return;
  finding.text = fmt::format("{} {} layers took {}", sum.layers, printable(most->first),
                             against(sum.measured_ms, sum.bound_ms, "their"));
  if (all.excess_ms() > 0) {
    finding.text += fmt::format(": {} above it", duration(sum.excess_ms()));
    if (sum.excess_ms() < all.excess_ms()) {
      finding.text += fmt::format(", of {} in all layers that have a bound", duration(all.excess_ms()));
    }
  }
  finding.column = kB3Layers.type.name;
  finding.key = most->first;
  finding.gain_ms = sum.excess_ms();
  found->push_back(std::move(finding));
}

void find_excess_layer(const Bounds& bounds, std::vector<Finding>* found) {
  const TraceLayer* most = nullptr;
  double most_bound_ms = 0;
  for (const TraceLayer& layer : bounds.trace->layers) {
    const std::optional<double> bound_ms = bound_of(bounds, shown_mode(bounds), layer);
    if (!bound_ms) continue;
    if (most != nullptr && layer.measured_ms - *bound_ms <= most->measured_ms - most_bound_ms) continue;
    most = &layer;
    most_bound_ms = *bound_ms;
  }
  if (most == nullptr) return;
  Finding finding = call_finding("excess-layer", most->measured_ms - most_bound_ms, *bounds.trace);
  if (finding.weight < kExcessOfLayer) return;
  finding.text =
      fmt::format("The layer {} took {}", shown_layer(*most), against(most->measured_ms, most_bound_ms, "its"));
  finding.column = kB3Layers.name.name;
  finding.key = most->name;
  finding.gain_ms = most->measured_ms - most_bound_ms;
  found->push_back(std::move(finding));
}

/// What a runtime puts between the layers of the model.
void find_other_layers(const Bounds& bounds, std::vector<Finding>* found) {
  std::map<std::string, MeasuredSum> types;
  MeasuredSum all;
  for (const TraceLayer& layer : bounds.trace->layers) {
    if (!layer.layers.empty()) continue;
    types[layer.type].add(layer, 0);
    all.add(layer, 0);
  }
  if (all.layers == 0) return;
  const auto most = std::ranges::max_element(
      types, [](const auto& a, const auto& b) { return a.second.measured_ms < b.second.measured_ms; });
  Finding finding = call_finding("layers-not-in-model", all.measured_ms, *bounds.trace);
  if (finding.weight < kOtherLayers) return;
  finding.text = fmt::format("{} of the trace {} no counterpart in the model and took {} ({} of the call)",
                             plural(all.layers, "layer"), all.layers == 1 ? "has" : "have", duration(all.measured_ms),
                             percent(all.measured_ms / bounds.trace->measured_ms));
  if (types.size() > 1) {
    finding.text += fmt::format(", most of it in {} ({})", printable(most->first), duration(most->second.measured_ms));
  } else if (!most->first.empty()) {
    finding.text += ": " + printable(most->first);
  }
  finding.advice = "B3.layers lists them; where the model does without them, their time could be saved";
  finding.column = kB3Layers.type.name;
  finding.key = most->first;
  finding.gain_ms = all.measured_ms;
  found->push_back(std::move(finding));
}

/// Groups whose layers ran in several layers of the trace.
void find_split_groups(const Bounds& bounds, std::vector<Finding>* found) {
  const std::vector<size_t>& trace_layer_of = bounds.trace->trace_layer_of;
  double gain_ms = 0;
  size_t count = 0;
  for (const size_t group : shown_mode(bounds).groups) {
    std::set<size_t> ran_in;
    for (const size_t layer : bounds.groups[group].layers) {
      if (!bounds.times[layer].counts || layer >= trace_layer_of.size()) continue;
      if (trace_layer_of[layer] != kNoLayer) ran_in.insert(trace_layer_of[layer]);
    }
    if (ran_in.size() < 2) continue;
    ++count;
    gain_ms += bounds.decisions[group].parts_ms - *bounds.group_times[group].bound_ms;
  }
  if (count == 0) return;
  Finding finding = call_finding("groups-not-fused", gain_ms, *bounds.trace);
  if (finding.weight < kSplitGroups) return;
  finding.text =
      fmt::format("{} of layers that one call can compute ran in several layers: by {} benchmarks that costs {}",
                  plural(count, "group"), count == 1 ? "its" : "their", duration(gain_ms));
  finding.table = "B3.groups";
  finding.gain_ms = gain_ms;
  found->push_back(std::move(finding));
}

void find_between_layers(const Bounds& bounds, std::vector<Finding>* found) {
  const JoinedTrace& trace = *bounds.trace;
  const double in_layers = std::accumulate(trace.layers.begin(), trace.layers.end(), 0.0,
                                           [](double sum, const TraceLayer& layer) { return sum + layer.measured_ms; });
  const double between_ms = trace.measured_ms - in_layers;
  Finding finding = call_finding("time-between-layers", between_ms, trace);
  if (finding.weight < kBetweenLayers || trace.layers.empty()) return;
  finding.text =
      fmt::format("{} of the call, {}, are in no layer", percent(between_ms / trace.measured_ms), duration(between_ms));
  finding.advice = "xsp-report tells what runs between the layers";
  finding.gain_ms = between_ms;
  found->push_back(std::move(finding));
}

void find_faster_layers(const Bounds& bounds, std::vector<Finding>* found) {
  if (bounds.faster.empty()) return;
  double ms = 0;
  for (const Bounds::Faster& one : bounds.faster) ms += one.bound_ms - one.least_ms;
  const auto most = std::ranges::max_element(bounds.faster, {},
                                             [](const Bounds::Faster& one) { return one.bound_ms - one.least_ms; });
  const TraceLayer& layer = bounds.trace->layers[most->trace_layer];
  Finding finding = call_finding("faster-than-benchmark", ms, *bounds.trace);
  finding.text =
      fmt::format("{} ran faster than {} benchmark at least once, by {} together",
                  plural(bounds.faster.size(), "layer"), bounds.faster.size() == 1 ? "its" : "their", duration(ms));
  if (bounds.faster.size() > 1) {
    finding.text += fmt::format("; most of all {}: {}, not {}", shown_layer(layer), duration(most->least_ms),
                                duration(most->bound_ms));
  }
  const BoundMode* best = bounds.mode("best_known");
  const std::string bound = duration(shown_mode(bounds).sequential.bound_ms);
  if (best != nullptr && duration(best->sequential.bound_ms) != bound) {
    finding.text += fmt::format(". With that the bound is {}", duration(best->sequential.bound_ms));
  }
  finding.advice = "what runs there is faster than all libraries that were measured: measure it, too (--backend)";
  finding.column = kB3Layers.name.name;
  finding.key = layer.name;
  finding.is_note = finding.weight < kFasterShare;
  found->push_back(std::move(finding));
}

Finding doubt(const char* id, std::string text, std::string_view table) {
  Finding finding;
  finding.id = id;
  finding.text = std::move(text);
  finding.table = table;
  finding.weight = 1;
  return finding;
}

void find_not_found(const Bounds& bounds, std::vector<Finding>* found) {
  const std::vector<size_t>& trace_layer_of = bounds.trace->trace_layer_of;
  const BoundMode& mode = shown_mode(bounds);
  size_t count = 0;
  double ms = 0;
  for (size_t layer = 0; layer < bounds.times.size(); ++layer) {
    if (!bounds.times[layer].counts) continue;
    if (layer < trace_layer_of.size() && trace_layer_of[layer] != kNoLayer) continue;
    ++count;
    ms += mode.shares[layer].bound_ms.value_or(0);
  }
  if (count == 0) return;
  const double share = mode.sequential.bound_ms > 0 ? ms / mode.sequential.bound_ms : 0;
  Finding finding =
      doubt("layers-not-found",
            fmt::format("{} of {} with work {} not found in the trace: {} of the bound", count,
                        plural(mode.sequential.layers, "layer"), count == 1 ? "was" : "were", percent(share)),
            kB3Layers.id);
  finding.value = static_cast<double>(count);
  finding.unit = "layers";
  finding.is_note = share < kNotFoundShare;
  found->push_back(std::move(finding));
}

}  // namespace

void find_comparison_doubts(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  if (bounds.trace == nullptr || bounds.model->layers.empty()) return;
  const JoinedTrace& trace = *bounds.trace;
  const double bound_ms = shown_mode(bounds).sequential.bound_ms;
  if (!source.is_given && trace.is_on_gpu() && source.system.find(trace.device) == std::string::npos) {
    Finding finding = doubt("other-device",
                            fmt::format("The trace is of {}, the benchmarks are of {}: the two cannot be compared",
                                        printable(trace.device), printable(source.system)),
                            "B3");
    finding.advice = "measure the model there, or take a trace here";
    found->push_back(std::move(finding));
  } else if (!source.is_given && !is_of_gpu(source) && !trace.is_on_gpu() && trace.threads &&
             *trace.threads != source.threads) {
    Finding finding = doubt("other-threads",
                            fmt::format("The trace is of {}, the benchmarks are of {}",
                                        plural(static_cast<size_t>(std::max(0, *trace.threads)), "thread"),
                                        plural(static_cast<size_t>(std::max(0, source.threads)), "thread")),
                            "B3");
    finding.advice = fmt::format("give --threads {} to compare like with like", *trace.threads);
    found->push_back(std::move(finding));
  }
  if (trace.measured_ms > 0 && bound_ms > trace.measured_ms) {
    Finding finding = doubt("bound-exceeded",
                            fmt::format("Bound exceeded by {}: a quicker implementation exists than any benchmarked",
                                        percent(bound_ms / trace.measured_ms - 1)),
                            "B3");
    finding.value = 100 * (bound_ms / trace.measured_ms - 1);
    finding.unit = "%";
    finding.column = "mode";
    finding.key = shown_mode(bounds).name;
    finding.advice = "B3.layers shows which layers ran faster than their benchmarks";
    found->push_back(std::move(finding));
  }
  find_not_found(bounds, found);
}

void find_excess(const Bounds& bounds, std::vector<Finding>* found) {
  if (bounds.trace == nullptr || !(bounds.trace->measured_ms > 0)) return;
  std::vector<Finding> of_trace;
  find_excess_type(bounds, &of_trace);
  find_excess_layer(bounds, &of_trace);
  find_other_layers(bounds, &of_trace);
  find_split_groups(bounds, &of_trace);
  find_between_layers(bounds, &of_trace);
  find_faster_layers(bounds, &of_trace);
  std::ranges::stable_sort(of_trace, [](const Finding& a, const Finding& b) {
    return a.is_note != b.is_note ? b.is_note : a.weight > b.weight;
  });
  found->insert(found->end(), of_trace.begin(), of_trace.end());
}

}  // namespace xsp::bound

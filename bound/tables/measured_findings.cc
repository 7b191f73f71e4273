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
#include "bound/tables/own_kernel_findings.h"
#include "bound/tables/run_doubts.h"
#include "bound/tables/shown_mode.h"

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
constexpr double kExcessOfMultiple = 0.02;
constexpr double kManyTimes = 5;  // the bound
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

/// A layer of the trace above the bound of what it ran.
struct ExcessLayer {
  const TraceLayer* layer = nullptr;
  double bound_ms = 0;

  double excess_ms() const { return layer == nullptr ? 0 : layer->measured_ms - bound_ms; }
};

/// Layers of the trace of one type.
struct ExcessType {
  MeasuredSum sum;
  ExcessLayer most;
  bool has_fused = false;  // one of them ran several layers

  void add(const Bounds& bounds, const TraceLayer& layer, double bound_ms) {
    sum.add(layer, bound_ms);
    if (most.layer == nullptr || layer.measured_ms - bound_ms > most.excess_ms()) most = {&layer, bound_ms};
    has_fused = has_fused ||
                std::ranges::count_if(layer.layers, [&](size_t of_model) { return bounds.times[of_model].counts; }) > 1;
  }
};

/// Each with the bound of what it ran by itself, so that what fusing saves is no part of it.
using ExcessTypes = std::map<std::string, ExcessType>;

ExcessTypes excess_types(const Bounds& bounds) {
  ExcessTypes types;
  const BoundMode& mode = shown_mode(bounds);
  for (const TraceLayer& layer : bounds.trace->layers) {
    const std::optional<double> bound_ms = ran_bound_of(bounds, mode, layer);
    if (bound_ms) types[layer.type].add(bounds, layer, *bound_ms);
  }
  return types;
}

/// "53 Conv layers, with what is fused into them, took 65.61 ms, 1.6 times their bound of 40.85 ms".
std::string type_text(const std::string& type, const ExcessType& excess) {
  const bool is_one = excess.sum.layers == 1;
  return fmt::format("{} {} {}{} took {}", excess.sum.layers, printable(type), is_one ? "layer" : "layers",
                     excess.has_fused ? fmt::format(", with what is fused into {},", is_one ? "it" : "them") : "",
                     against(excess.sum.measured_ms, excess.sum.bound_ms, is_one ? "its" : "their"));
}

Finding type_finding(const char* id, const std::string& type, const ExcessType& excess, const Bounds& bounds) {
  Finding finding = call_finding(id, excess.sum.excess_ms(), *bounds.trace);
  finding.text = type_text(type, excess);
  finding.column = kB3Layers.type.name;
  finding.key = type;
  finding.gain_ms = excess.sum.excess_ms();
  return finding;
}

/// Removes the type that it tells of.
void find_excess_type(const Bounds& bounds, ExcessTypes* types, std::vector<Finding>* found) {
  const auto most = std::ranges::max_element(*types, {}, [](const auto& type) { return type.second.sum.excess_ms(); });
  if (most == types->end() || types->size() < 2 || most->second.sum.layers < 2) return;
  const ExcessType& excess = most->second;
  Finding finding = type_finding("excess-layer-type", most->first, excess, bounds);
  if (finding.weight < kExcessOfType) return;
  double all_ms = 0;
  for (const auto& [type, one] : *types) all_ms += one.sum.excess_ms();
  finding.text +=
      fmt::format(": {} above it, {} of the call", duration(excess.sum.excess_ms()), percent(finding.weight));
  if (excess.sum.excess_ms() < all_ms) {
    finding.text += fmt::format("; all layers with a bound together are {} above theirs", duration(all_ms));
  }
  if (excess.most.excess_ms() >= kExcessOfLayer * bounds.trace->measured_ms) {
    finding.text += fmt::format("; most of all {}: {}, its bound is {}", shown_layer(*excess.most.layer),
                                duration(excess.most.layer->measured_ms), duration(excess.most.bound_ms));
  }
  found->push_back(std::move(finding));
  types->erase(most);
}

/// The type that is worst of those which take many times their bound. Removes it.
void find_excess_multiple(const Bounds& bounds, ExcessTypes* types, std::vector<Finding>* found) {
  const auto excess_ms = [&](const auto& type) {
    const MeasuredSum& sum = type.second.sum;
    const bool is_worth = sum.measured_ms > kManyTimes * sum.bound_ms && sum.bound_ms > 0 &&
                          sum.excess_ms() >= kExcessOfMultiple * bounds.trace->measured_ms;
    return is_worth ? sum.excess_ms() : 0;
  };
  const auto worst = std::ranges::max_element(*types, {}, excess_ms);
  if (worst == types->end() || !(excess_ms(*worst) > 0)) return;
  found->push_back(type_finding("excess-many-times", worst->first, worst->second, bounds));
  found->back().text += fmt::format(": {} of the call above it", percent(found->back().weight));
  found->back().advice = "B3.layers shows what they ran; another implementation or library may be much faster";
  types->erase(worst);
}

/// Of the types that nothing was told of.
void find_excess_layer(const Bounds& bounds, const ExcessTypes& types, std::vector<Finding>* found) {
  ExcessLayer most;
  for (const auto& [type, excess] : types) {
    if (most.layer == nullptr || excess.most.excess_ms() > most.excess_ms()) most = excess.most;
  }
  if (most.layer == nullptr) return;
  Finding finding = call_finding("excess-layer", most.excess_ms(), *bounds.trace);
  if (finding.weight < kExcessOfLayer) return;
  finding.text = fmt::format("The layer {} took {}", shown_layer(*most.layer),
                             against(most.layer->measured_ms, most.bound_ms, "its")) +
                 fmt::format(": {} of the call above it", percent(finding.weight));
  finding.column = kB3Layers.name.name;
  finding.key = most.layer->name;
  finding.gain_ms = most.excess_ms();
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
  finding.advice = "B3.layers lists them; batch normalizations can be folded into convolutions before inference";
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
  finding.text = fmt::format(
      "{} of layers that one call can compute ran in several layers: by {} benchmarks that costs {}, "
      "{} of the call",
      plural(count, "group"), count == 1 ? "its" : "their", duration(gain_ms), percent(finding.weight));
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
  finding.advice =
      "no implementation that was measured is as fast there: the run may compute in place, find its operands in a "
      "nearer "
      "cache, or use a library that was not measured";
  finding.column = kB3Layers.name.name;
  finding.key = layer.name;
  finding.is_note = finding.weight < kFasterShare;
  found->push_back(std::move(finding));
}

}  // namespace

void find_excess(const TimesSource& source, const Bounds& bounds, std::vector<Finding>* found) {
  if (bounds.trace == nullptr || !(bounds.trace->measured_ms > 0)) return;
  std::vector<Finding> of_trace;
  find_other_layers(bounds, &of_trace);
  if (!is_mostly_recording(bounds)) find_between_layers(bounds, &of_trace);
  if (can_compare(source, bounds)) {
    ExcessTypes types = excess_types(bounds);
    find_excess_type(bounds, &types, &of_trace);
    find_excess_multiple(bounds, &types, &of_trace);
    find_excess_layer(bounds, types, &of_trace);
    find_split_groups(bounds, &of_trace);
    find_faster_layers(bounds, &of_trace);
    find_own_kernels(bounds, &of_trace);
  }
  std::ranges::stable_sort(of_trace, [](const Finding& a, const Finding& b) {
    return a.is_note != b.is_note ? b.is_note : a.weight > b.weight;
  });
  found->insert(found->end(), of_trace.begin(), of_trace.end());
}

}  // namespace xsp::bound

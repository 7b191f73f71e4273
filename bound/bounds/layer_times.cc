#include "bound/bounds/layer_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/quantity_text.h"
#include "base/text_encoding.h"

namespace xsp::bound {
namespace {

constexpr double kNanosecondsInMs = 1e6;
/// What operands from memory cost more than those from the cache is at most what they take at this speed, with what is
/// read several times, and misses of a first call; more is a neighbour's doing.
constexpr double kSlowestMemory = 1e6;  // bytes in a ms
constexpr double kColdStartMs = 0.05;
constexpr int kBadInput = 3;
constexpr size_t kMostNameColumns = 120;

/// A time before it is looked for: layers without work cost nothing.
LayerTime time_without_benchmark(const Layer& layer) {
  LayerTime time;
  time.counts = layer.layer_class != LayerClass::kZero;
  if (!time.counts) time.bound_ms = 0;
  return time;
}

/// Why there is nothing to look up.
std::string reason_of(const Layer& layer) {
  if (!layer.reason.empty()) return layer.reason;
  switch (layer.layer_class) {
    case LayerClass::kControl:
      return "what it runs is known at run time only";
    case LayerClass::kUnknown:
      return fmt::format("the operator {} is unknown", layer.type);
    default:
      return "its shapes are not known";
  }
}

/// `bytes`: that the layer moves at least, where it is known.
LayerTime time_of(const Found& found, std::optional<double> bytes) {
  LayerTime time;
  time.counts = true;
  if (!found.hot) {
    time.reason = found.reason.empty() ? "not measured" : found.reason;
    return time;
  }
  time.bound_ms = found.hot->best_ns() / kNanosecondsInMs;
  if (found.cold) {
    const double cold_ms = found.cold->best_ns() / kNanosecondsInMs;
    // A disturbed hot benchmark can be slower than the cold one, whose time is as good for a bound.
    time.bound_ms = std::min(*time.bound_ms, cold_ms);
    const double most_ms = *time.bound_ms + bytes.value_or(0) / kSlowestMemory + kColdStartMs;
    if (!bytes || cold_ms <= most_ms) time.expected_ms = cold_ms;
  }
  time.library = found.hot->library + " " + found.hot->library_version;
  time.implementation = found.hot->implementation;
  time.is_noisy = found.hot->is_noisy();
  time.is_exact = found.hot->numerics == Numerics::kExact;
  return time;
}

LayerTime looked_up(const std::string& problem, std::optional<double> bytes, const Database& database,
                    const LookUp& look_up) {
  LayerTime time = time_of(database.find(problem, look_up), bytes);
  if (time.is_exact) return time;
  LookUp exact = look_up;
  exact.exact = true;
  time.exact_ms = time_of(database.find(problem, exact), bytes).bound_ms;
  return time;
}

std::string shown_name(std::string_view name) { return shorten(terminal_text(name), kMostNameColumns); }

Status bad_times(std::string error, std::string hint) { return {std::move(error), std::move(hint), kBadInput}; }

/// The first of the names that the model has not, or has more than once. `layers_named`: how many layers have a name.
Status check_names(const GivenTimes& given, const std::unordered_map<std::string_view, size_t>& layers_named) {
  std::vector<std::string_view> absent, repeated;
  for (const auto& [name, time] : given) {
    const auto found = layers_named.find(name);
    if (found == layers_named.end()) {
      absent.push_back(name);
    } else if (found->second > 1) {
      repeated.push_back(name);
    }
  }
  const auto more = [](const std::vector<std::string_view>& names) {
    return names.size() > 1 ? fmt::format(" (and {} more)", names.size() - 1) : "";
  };
  if (!absent.empty()) {
    const std::string_view first = *std::min_element(absent.begin(), absent.end());
    return bad_times(
        fmt::format("the model has no layer {}{}, of which a time is given", shown_name(first), more(absent)),
        "a layer is named by its node, else by its first output; -a B1 lists them");
  }
  if (!repeated.empty()) {
    const std::string_view first = *std::min_element(repeated.begin(), repeated.end());
    return bad_times(fmt::format("{} have the name {}{}: it is not clear of which the time is",
                                 plural(layers_named.at(first), "layer"), shown_name(first), more(repeated)),
                     "give the nodes of the model names of their own");
  }
  return {};
}

}  // namespace

std::vector<LayerTime> look_up_times(const LayeredModel& model, const Database& database, const LookUp& look_up) {
  std::vector<std::optional<LayerTime>> found(model.unique.size());
  std::vector<LayerTime> times;
  times.reserve(model.layers.size());
  for (const Layer& layer : model.layers) {
    LayerTime& time = times.emplace_back(time_without_benchmark(layer));
    if (!time.counts) continue;
    if (!has_work(layer.layer_class) || layer.unique >= found.size()) {
      time.reason = reason_of(layer);
      continue;
    }
    std::optional<LayerTime>& known = found[layer.unique];
    if (!known) known = looked_up(model.unique[layer.unique].problem, layer.bytes, database, look_up);
    time = *known;
  }
  return times;
}

std::vector<LayerTime> look_up_group_times(const std::vector<FusedGroup>& groups, const Database& database,
                                           const LookUp& look_up) {
  std::unordered_map<std::string_view, LayerTime> known;
  std::vector<LayerTime> times;
  times.reserve(groups.size());
  for (const FusedGroup& group : groups) {
    const auto [place, is_new] = known.try_emplace(group.problem);
    if (is_new) place->second = looked_up(group.problem, group.bytes, database, look_up);
    times.push_back(place->second);
  }
  return times;
}

Status take_given_times(const LayeredModel& model, const GivenTimes& given, std::vector<LayerTime>* times) {
  std::unordered_map<std::string_view, size_t> layers_named;
  for (const Layer& layer : model.layers) ++layers_named[layer.name];
  if (Status status = check_names(given, layers_named); !status.ok()) return status;

  times->clear();
  times->reserve(model.layers.size());
  for (const Layer& layer : model.layers) {
    LayerTime& time = times->emplace_back(time_without_benchmark(layer));
    if (const auto found = given.find(layer.name); found != given.end()) {
      time.bound_ms = found->second.latency_ms;
      time.implementation = found->second.implementation;
      time.counts = true;
    } else if (time.counts) {
      time.reason = "no time is given";
    }
  }
  return {};
}

}  // namespace xsp::bound

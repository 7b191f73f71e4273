#include "analysis/study/level_overheads.h"

#include <algorithm>
#include <numeric>

namespace xsp::analysis {
namespace {

std::vector<SequencePlace> sequence_of(const LevelProfile& profile) {
  std::vector<SequencePlace> places;
  places.reserve(profile.layers.size());
  for (const ProfiledLayer& layer : profile.layers) {
    places.push_back(layer_place(layer.name, layer.type));
  }
  return places;
}

size_t runs_of(const RunValues& values) {
  return static_cast<size_t>(std::count_if(values.begin(), values.end(), [](const auto& run) { return !run.empty(); }));
}

LevelOverhead event_of(size_t profile, Level event, const RunValues& values, const Statistic& statistic) {
  return {.profile = profile,
          .event = event,
          .latency_ns = evaluate(statistic, values),
          .spread_ns = interquartile_range(values),
          .n = count_of(values),
          .runs = runs_of(values)};
}

void compare(const RunValues& before, const RunValues& after, const Statistic& statistic, bool with_interval,
             LevelOverhead* event) {
  if (count_of(before) == 0) return;
  event->is_compared = true;
  event->before_ns = evaluate(statistic, before);
  event->overhead_ns = event->latency_ns - event->before_ns;
  if (with_interval) event->interval = bootstrap_difference(statistic, before, after);
}

}  // namespace

LayerPartners find_partners(const LevelProfile& before, const LevelProfile& after) {
  LayerPartners partners;
  partners.of.assign(after.layers.size(), kNoPlace);
  for (const AlignedPlace& place : align_sequences(sequence_of(before), sequence_of(after))) {
    if (place.b == kNoPlace) {
      ++partners.missing;
    } else {
      partners.of[place.b] = place.a;
    }
  }
  return partners;
}

std::vector<LevelOverhead> level_overheads(const std::vector<LevelProfile>& profiles, const Statistic& statistic) {
  std::vector<LevelOverhead> events;
  const LevelProfile* before = nullptr;
  for (size_t i = 0; i < profiles.size(); ++i) {
    const LevelProfile& profile = profiles[i];
    if (count_of(profile.model_ns) == 0) continue;
    events.push_back(event_of(i, Level::kModel, profile.model_ns, statistic));
    if (before != nullptr) compare(before->model_ns, profile.model_ns, statistic, true, &events.back());

    if (!profile.library_ns.empty()) {
      events.push_back(event_of(i, Level::kLibrary, profile.library_ns, statistic));
      if (before != nullptr) compare(before->library_ns, profile.library_ns, statistic, true, &events.back());
    }

    LayerPartners partners;
    if (before != nullptr) partners = find_partners(*before, profile);
    const bool with_interval = profile.layers.size() <= kMostIntervals;
    for (uint32_t ordinal = 0; ordinal < profile.layers.size(); ++ordinal) {
      const RunValues& values = profile.layers[ordinal].host_ns;
      events.push_back(event_of(i, Level::kLayer, values, statistic));
      events.back().layer = ordinal;
      if (before == nullptr || partners.of[ordinal] == kNoPlace) continue;
      compare(before->layers[partners.of[ordinal]].host_ns, values, statistic, with_interval, &events.back());
    }
    before = &profile;
  }
  return events;
}

}  // namespace xsp::analysis

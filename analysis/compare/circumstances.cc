#include "analysis/compare/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/timeline/used_devices.h"

namespace xsp::analysis {
namespace {

using Values = std::set<std::string>;

/// What the segments under study say; empty texts say nothing.
template <typename Value>
Values of_segments(const Trace& trace, Value&& value) {
  Values values;
  for (const Segment& segment : trace.segments) {
    if (std::string text = value(segment); !text.empty()) values.insert(std::move(text));
  }
  return values;
}

std::string text_of(const Values& values) {
  return values.empty() ? "not told" : fmt::format("{}", fmt::join(values, ", "));
}

void add_difference(std::string_view what, const Values& base, const Values& fresh, std::vector<std::string>* notes) {
  if (base == fresh || base.empty() || fresh.empty()) return;
  notes->push_back(fmt::format("{}: BASE {}; NEW {}", what, text_of(base), text_of(fresh)));
}

Values gpus_of(const Trace& trace) {
  Values gpus;
  const std::set<DevicePlace> used = used_devices(trace);
  for (const Device& device : trace.devices) {
    if (!used.empty() && !used.contains(place_of(trace, device))) continue;
    if (!device.name.empty()) gpus.insert(device.name);
  }
  return gpus;
}

Values drivers_of(const Trace& trace) {
  Values drivers;
  for (const Device& device : trace.devices) {
    const uint32_t version = device.driver_version;
    if (version != 0) drivers.insert(fmt::format("{}.{}", version / 1000, version % 1000 / 10));
  }
  return drivers;
}

bool is_set(const Trace& trace) {
  return std::any_of(trace.segments.begin(), trace.segments.end(),
                     [](const Segment& segment) { return segment.run.has_value(); });
}

/// Whether all evaluations of one came before those of the other.
bool is_one_after_the_other(const Study& a, const Study& b) {
  const auto begin = [](const Study& study, Row root) { return study.trace.spans.begin[root]; };
  const auto& first = a.evaluations.root;
  const auto& second = b.evaluations.root;
  if (first.empty() || second.empty()) return false;
  return begin(a, first.back()) < begin(b, second.front()) || begin(b, second.back()) < begin(a, first.front());
}

/// Whether the model's latencies are of calls that were not sampled.
bool is_timed_by_shallow(const Study& study) {
  if (!study.subject) return false;
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  const auto& runs = study.levels.model.runs;
  return !runs.empty() && group.runs[runs.front()].shallow;
}

}  // namespace

std::vector<std::string> circumstance_notes(const Comparison& comparison) {
  const Trace& base = comparison.base.trace;
  const Trace& fresh = comparison.fresh.trace;
  std::vector<std::string> notes;
  const auto compare = [&](std::string_view what, auto&& value) {
    add_difference(what, of_segments(base, value), of_segments(fresh, value), &notes);
  };
  const auto level = [](const Segment& segment) {
    return segment.requested_level.empty() ? std::string("all") : segment.requested_level;
  };
  const Values base_levels = of_segments(base, level);
  const Values fresh_levels = of_segments(fresh, level);
  if (base_levels != fresh_levels) {
    notes.push_back(
        fmt::format("recorded to different levels, and a deeper level slows down those above: BASE {}; NEW {} (record "
                    "both with xsp-run --leveled, or with the same --level)",
                    text_of(base_levels), text_of(fresh_levels)));
  }
  const bool base_samples = is_timed_by_shallow(comparison.base);
  const bool fresh_samples = is_timed_by_shallow(comparison.fresh);
  if (base_samples != fresh_samples) {
    notes.push_back(
        fmt::format("model latencies in {} come from unsampled calls (nothing else recorded), in {} from calls "
                    "recorded in full, which are slower",
                    base_samples ? "BASE" : "NEW", base_samples ? "NEW" : "BASE"));
  }
  if (is_set(base) != is_set(fresh)) {
    notes.push_back(fmt::format("{} is a set of runs and {} is not: run-to-run variation is known for only one of them",
                                is_set(base) ? "BASE" : "NEW", is_set(base) ? "NEW" : "BASE"));
  }
  if (is_set(base) && is_set(fresh) && is_one_after_the_other(comparison.base, comparison.fresh)) {
    notes.emplace_back(
        "one was recorded after the other: intervals do not include how the machine changed in between (repeat in the "
        "other order)");
  }
  compare("recorded by", [](const Segment& segment) { return segment.source.empty() ? "xsp" : segment.source; });
  compare("machine", [](const Segment& segment) { return segment.hostname; });
  compare("CPU", [](const Segment& segment) { return segment.cpu_model; });
  add_difference("GPU", gpus_of(base), gpus_of(fresh), &notes);
  add_difference("CUDA driver", drivers_of(base), drivers_of(fresh), &notes);
  if (const size_t place = subject_place(comparison); place != SIZE_MAX) {
    const std::string within = difference_within(comparison, comparison.models[place]);
    if (!within.empty()) notes.push_back("compared despite a difference: " + within);
  } else if (const std::string difference = subject_difference(comparison); !difference.empty()) {
    notes.push_back("layers and kernels belong to different models: " + difference + " (choose with --model" +
                    " or --process)");
  }
  return notes;
}

std::string totals_note(const Comparison& comparison) {
  const Study& base = comparison.base;
  const Study& fresh = comparison.fresh;
  if (base.without_models != fresh.without_models) {
    return fmt::format(
        "not compared: {} has no steps or model calls, so its latencies are totals of the recording; those of {} are "
        "per call",
        base.without_models ? "BASE" : "NEW", base.without_models ? "NEW" : "BASE");
  }
  const size_t of_base = base.trace.segments.size();
  const size_t of_fresh = fresh.trace.segments.size();
  if (!base.without_models || of_base == of_fresh) return {};
  return fmt::format(
      "not compared: there are no steps or model calls, so latencies are totals of the recordings: {} in BASE and {} "
      "in NEW",
      of_base, of_fresh);
}

std::string unlike_note(const Comparison& comparison) {
  constexpr double kAlike = 0.5;
  const double share = share_in_common(comparison);
  if (subject_place(comparison) != SIZE_MAX || share >= kAlike) return {};
  const bool have_models = comparison.base.subject || comparison.fresh.subject;
  return fmt::format("not compared: the {} differ (only {:.0f} % of {} in common)",
                     have_models ? "models" : "recordings", 100 * share,
                     comparison.layers.empty() ? "kernels" : "layers");
}

}  // namespace xsp::analysis

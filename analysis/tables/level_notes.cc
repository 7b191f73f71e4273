/// What L1 says below its rows.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/study/level_sets.h"
#include "analysis/study/merged_runs.h"
#include "analysis/tables/level_tables.h"
#include "base/quantity_text.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

constexpr size_t kNamedLayers = 3;
constexpr double kNoticeable = 0.01;

std::string ms_text(double ns) { return fmt::format("{:.4g} ms", ns / kNsPerMs); }

std::string signed_ms(double ns) { return fmt::format("{:+.4g} ms", ns / kNsPerMs); }

std::string interval_text(const Interval& interval) {
  return fmt::format("{:+.4g} to {:+.4g} ms", interval.low / kNsPerMs, interval.high / kNsPerMs);
}

bool is_judged(const LevelOverhead& event) { return event.is_compared && !std::isnan(event.interval.low); }

/// Whether an overhead is worth a word: if no interval judges it, more than a hundredth of what was there.
bool is_noticeable(const LevelOverhead& event) {
  if (is_judged(event)) return event.interval.low > 0;
  return event.overhead_ns > kNoticeable * event.before_ns;
}

/// "the layer level", or what lies between the sets where one is missing: "the layer and library levels".
std::string added_levels(Level before, Level after) {
  std::vector<std::string_view> words;
  for (const Level level : {Level::kLayer, Level::kLibrary, Level::kDevice}) {
    if (level > before && level <= after) words.push_back(level_word(level));
  }
  if (words.size() == 1) return fmt::format("the {} level", words[0]);
  return fmt::format("the {} levels", fmt::join(words, " and "));
}

class Notes {
 public:
  Notes(const Study& study, const std::vector<LevelProfile>& profiles, const std::vector<LevelOverhead>& events)
      : study_(study), profiles_(profiles), events_(events) {}

  std::vector<std::string> all() {
    tell_subject();
    if (profiles_.size() < 2) {
      notes_.push_back(only_one_set());
    } else {
      notes_.emplace_back(
          "overhead is relative to the next shallower recorded level set, in percent of its latency; it may come out "
          "negative");
      tell_model();
      for (size_t i = 0; i < profiles_.size(); ++i) tell_layers(i);
    }
    tell_what_is_compared();
    return std::move(notes_);
  }

 private:
  void tell_subject() {
    const EvaluationGroup& group = study_.evaluations.groups[*study_.subject];
    std::string note = model_label(study_.trace, group);
    if (group.input != 0) note += fmt::format(", input {}", study_.trace.text(group.input));
    note += fmt::format(": {} of n steps or calls without warm-up, over all runs of a level set",
                        study_.options.statistic.description());
    notes_.push_back(std::move(note));
  }

  std::string only_one_set() const {
    const auto& segments = study_.trace.segments;
    const bool is_of_set =
        std::any_of(segments.begin(), segments.end(), [](const auto& s) { return s.run.has_value(); });
    if (study_.options.per_trace && is_of_set) {
      return "--per trace lists every run separately, so no overhead is known; without it the report compares the runs "
             "of a set";
    }
    const std::string known = fmt::format("recorded with only one level set ({}), so no overhead is known",
                                          profiles_.empty() ? "none" : profiles_.front().set.label);
    std::set<std::string> levels;
    for (const auto& segment : segments) {
      if (segment.run && segment.run->purpose == RunPurpose::kLatencies) levels.insert(segment.requested_level);
    }
    // What differs between the runs is in the notes of A1.
    if (levels.size() > 1) return known + ": runs with other level sets have no such step or call";
    return has_imports(study_.trace) ? known + "; xsp-run --leveled -- COMMAND records all sets"
                                     : known + "; record the others with: xsp-run --leveled -- COMMAND";
  }

  const LevelOverhead* model_at(size_t profile) const {
    const auto found = std::find_if(events_.begin(), events_.end(), [&](const LevelOverhead& event) {
      return event.profile == profile && event.event == Level::kModel;
    });
    return found == events_.end() ? nullptr : &*found;
  }

  /// What each level costs the model, and all together.
  void tell_model() {
    const LevelOverhead* base = nullptr;
    const LevelOverhead* last = nullptr;
    std::vector<std::string> costs;
    std::vector<std::string> doubts;
    for (size_t i = 0; i < profiles_.size(); ++i) {
      const LevelOverhead* model = model_at(i);
      if (model == nullptr) continue;
      if (last != nullptr) {
        const std::string levels =
            added_levels(profiles_[last->profile].set.deepest, profiles_[model->profile].set.deepest);
        costs.push_back(fmt::format("{} {} ({:+.3g} %)", levels, signed_ms(model->overhead_ns),
                                    100 * model->overhead_ns / model->before_ns));
        if (is_judged(*model) && !excludes_zero(model->interval)) {
          doubts.push_back(fmt::format("{} ({})", levels, interval_text(model->interval)));
        }
      } else {
        base = model;
      }
      last = model;
    }
    if (costs.empty()) return;
    std::string note = fmt::format("the model takes {} at {}; {}", ms_text(base->latency_ns),
                                   profiles_[base->profile].set.label, fmt::join(costs, ", "));
    if (costs.size() > 1) {
      const double total = last->latency_ns - base->latency_ns;
      note += fmt::format("; together {} ({:+.3g} %)", signed_ms(total), 100 * total / base->latency_ns);
    }
    notes_.push_back(std::move(note));
    if (!doubts.empty()) {
      notes_.push_back(
          fmt::format("the model overhead of {} is not distinguishable from zero: use more --runs or record more calls",
                      fmt::join(doubts, ", ")));
    }
  }

  /// For one level set: whose overhead is meaningless, who has none, and who has most.
  void tell_layers(size_t profile) {
    std::vector<const LevelOverhead*> compared;
    size_t doubtful = 0;
    size_t judged = 0;
    size_t without_partner = 0;
    for (const LevelOverhead& event : events_) {
      if (event.profile != profile || event.layer == kNoPlace) continue;
      without_partner += event.is_compared ? 0 : 1;
      if (!event.is_compared) continue;
      compared.push_back(&event);
      judged += is_judged(event) ? 1 : 0;
      doubtful += is_judged(event) && !excludes_zero(event.interval) ? 1 : 0;
    }
    tell_divergence(profile);
    if (compared.empty()) return;
    const LevelProfile& before = profiles_[profile - 1];
    const std::string& label = profiles_[profile].set.label;
    const size_t missing = find_partners(before, profiles_[profile]).missing;
    if (without_partner != 0 || missing != 0) {
      notes_.push_back(
          fmt::format("{} has {}, {} {}: {} of the former and {} of the latter have no counterpart, so no overhead",
                      label, plural(profiles_[profile].layers.size(), "layer"), before.set.label, before.layers.size(),
                      without_partner, missing));
    }
    const size_t named = std::min(kNamedLayers, compared.size());
    std::partial_sort(compared.begin(), compared.begin() + static_cast<ptrdiff_t>(named), compared.end(),
                      [](const auto* a, const auto* b) { return a->overhead_ns > b->overhead_ns; });
    compared.resize(named);
    std::vector<std::string> most;
    for (const LevelOverhead* event : compared) {
      if (!is_noticeable(*event)) continue;
      most.push_back(fmt::format("{} {} ({})", event->layer,
                                 study_.trace.text(profiles_[profile].layers[event->layer].name),
                                 signed_ms(event->overhead_ns)));
    }
    if (!most.empty()) {
      notes_.push_back(fmt::format("{} costs most in layer {}",
                                   added_levels(before.set.deepest, profiles_[profile].set.deepest),
                                   fmt::join(most, ", ")));
    }
    if (doubtful != 0) {
      notes_.push_back(fmt::format("{}: the overhead of {} of {} is not distinguishable from zero (significant: no)",
                                   label, doubtful, plural(judged, "layer")));
    }
  }

  void tell_divergence(size_t profile) {
    const LevelProfile& of = profiles_[profile];
    if (of.diverging == 0) return;
    notes_.push_back(fmt::format("{}: {} with other layers, first at index {}, left out of its layers", of.set.label,
                                 plural(of.diverging, "evaluation"), of.first_difference));
  }

  void tell_what_is_compared() {
    if (!study_.latencies.layers.empty()) {
      notes_.emplace_back(
          "calls return before the GPU is done, so layers are compared by CPU time, which every level set has; A2 has "
          "their latencies with GPU work");
    }
    if (std::any_of(events_.begin(), events_.end(), [](const auto& event) { return event.event == Level::kLibrary; })) {
      notes_.emplace_back("a library row adds up all library calls per step or call, nested ones counted once");
    }
    if (std::any_of(profiles_.begin(), profiles_.end(),
                    [](const auto& profile) { return profile.layers.size() > kMostIntervals; })) {
      notes_.push_back(fmt::format("intervals are given for at most {} layers", kMostIntervals));
    }
    const auto is_compared = [](const LevelOverhead& event) { return event.is_compared; };
    if (std::any_of(events_.begin(), events_.end(), is_compared) &&
        std::none_of(events_.begin(), events_.end(), is_judged)) {
      notes_.emplace_back(
          "significance is unknown: it takes at least three steps or calls per level set, and a statistic other than "
          "minimum, maximum or an extreme percentile");
    }
  }

  const Study& study_;
  const std::vector<LevelProfile>& profiles_;
  const std::vector<LevelOverhead>& events_;
  std::vector<std::string> notes_;
};

}  // namespace

std::string_view level_word(Level level) {
  return level == Level::kDevice ? "kernel" : kLevelNames[static_cast<size_t>(level)];
}

std::string runs_of_set(const Study& study) {
  if (!study.subject) return {};
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  if (run_of(study.trace, group) == nullptr) return {};
  size_t runs = 0;
  std::string list;
  for (const LevelSet& set : timing_sets(study, group)) {
    runs += set.runs.size();
    list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", set.runs.size(), set.label);
  }
  return fmt::format("{} of a set ({})", plural(runs, "run"), list);
}

bool has_several_level_sets(const Study& study) {
  return study.subject && timing_sets(study, study.evaluations.groups[*study.subject]).size() > 1;
}

std::vector<std::string> level_notes(const Study& study, const std::vector<LevelProfile>& profiles,
                                     const std::vector<LevelOverhead>& events) {
  return Notes(study, profiles, events).all();
}

}  // namespace xsp::analysis

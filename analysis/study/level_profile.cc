#include "analysis/study/level_profile.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "analysis/study/study_levels.h"
#include "analysis/timeline/majority.h"

namespace xsp::analysis {
namespace {

std::vector<double> all_of(const RunValues& values) {
  std::vector<double> all;
  for (const auto& run : values) all.insert(all.end(), run.begin(), run.end());
  return all;
}

/// The values of evaluations, run by run.
template <typename Value>
RunValues values_of(const std::vector<std::vector<uint32_t>>& runs, Value&& value) {
  RunValues values(runs.size());
  for (size_t run = 0; run < runs.size(); ++run) {
    values[run].reserve(runs[run].size());
    for (const uint32_t evaluation : runs[run]) values[run].push_back(static_cast<double>(value(evaluation)));
  }
  return values;
}

/// Keeps in `joined` the evaluations with the most frequent sequence of layers of all runs.
void join_layers_of(const Study& study, LevelProfile* profile) {
  const Evaluations& all = study.evaluations;
  const SpanTable& spans = study.trace.spans;
  std::vector<std::pair<size_t, uint32_t>> candidates;  // run, evaluation
  for (size_t run = 0; run < profile->used.size(); ++run) {
    for (const uint32_t evaluation : profile->used[run]) {
      if (all.layer_count(evaluation) != 0) candidates.emplace_back(run, evaluation);
    }
  }
  profile->joined.assign(profile->used.size(), {});
  const Majority majority = find_majority(
      candidates.size(), [&](size_t i) { return all.layer_count(candidates[i].second); },
      [&](size_t i, size_t ordinal) {
        const Row row = all.layer(candidates[i].second, ordinal);
        return std::array{spans.name[row], spans.type[row]};
      });
  if (majority.chosen.empty()) return;
  profile->diverging = majority.diverging;
  profile->first_difference = majority.first_difference;
  for (const size_t i : majority.chosen) profile->joined[candidates[i].first].push_back(candidates[i].second);
  const uint32_t first = candidates[majority.chosen.front()].second;
  profile->layers.reserve(all.layer_count(first));
  for (size_t ordinal = 0; ordinal < all.layer_count(first); ++ordinal) {
    const Row row = all.layer(first, ordinal);
    const auto host_ns = [&](uint32_t evaluation) { return spans.duration(all.layer(evaluation, ordinal)); };
    profile->layers.push_back({spans.name[row], spans.type[row], values_of(profile->joined, host_ns)});
  }
}

/// By evaluation, for those that have library calls: their time on the host in sum, nested ones counted once.
std::unordered_map<uint32_t, int64_t> library_time(const Study& study) {
  std::unordered_map<uint32_t, int64_t> sums;
  for (const LibraryCall& call : study.library_calls.calls) {
    if (call.evaluation != kNoEvaluation) sums[call.evaluation] += call.self_ns;
  }
  return sums;
}

}  // namespace

std::vector<uint32_t> LevelProfile::evaluations() const {
  std::vector<uint32_t> all;
  for (const auto& run : layers.empty() ? used : joined) all.insert(all.end(), run.begin(), run.end());
  return all;
}

std::vector<LevelProfile> profile_levels(const Study& study) {
  std::vector<LevelProfile> profiles;
  if (!study.subject) return profiles;
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  const auto library_ns = library_time(study);
  for (LevelSet& set : timing_sets(study, group)) {
    LevelProfile profile;
    profile.used = used_of_runs(study, group, set.runs);
    profile.model_ns = values_of(profile.used, [&](uint32_t evaluation) {
      return study.latencies.model_ns(study.trace, study.evaluations, evaluation);
    });
    // Layers that a program marks itself (xsp.h, NVTX) are in every set, but belong only to those that ask for their
    // level.
    if (set.deepest >= Level::kLayer) join_layers_of(study, &profile);
    const auto has_calls = [&](uint32_t evaluation) { return library_ns.contains(evaluation); };
    if (set.deepest >= Level::kLibrary && std::any_of(profile.used.begin(), profile.used.end(), [&](const auto& run) {
          return std::any_of(run.begin(), run.end(), has_calls);
        })) {
      profile.library_ns = values_of(profile.used, [&](uint32_t evaluation) {
        const auto found = library_ns.find(evaluation);
        return found == library_ns.end() ? 0 : found->second;
      });
    }
    profile.set = std::move(set);
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

double evaluate(const Statistic& statistic, const RunValues& values) {
  std::vector<double> all = all_of(values);
  return evaluate(statistic, all);
}

double interquartile_range(const RunValues& values) {
  std::vector<double> all = all_of(values);
  return interquartile_range(all);
}

}  // namespace xsp::analysis

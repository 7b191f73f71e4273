#include "analysis/study/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/study/joined_sequences.h"
#include "analysis/study/study.h"
#include "analysis/timeline/run_processes.h"
#include "base/units.h"

namespace xsp::analysis {
namespace {

/// "1 of another name, 2 only in M/L, first at index 3: conv2 is only in M/L; 0.5 ms, 4.1 % of the model's latency".
std::string text_of(const Study& study, const SequenceDifference& difference, const Sequence& a,
                    const std::string& of_a, const Sequence& b, const std::string& of_b) {
  std::string text;
  const auto add = [&](size_t count, const std::string& what) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(difference.renamed, "under another name");
  add(difference.moved, "in another place");
  add(difference.removed, "only in " + of_a);
  add(difference.added, "only in " + of_b);
  const AlignedPlace& first = difference.first;
  switch (first.how) {
    case Alignment::kRenamed:
      text += fmt::format("; first at {}: {} instead of {}", b.position(first.b), b.name(first.b), a.name(first.a));
      break;
    case Alignment::kMoved:
      text += fmt::format("; first at {}: {}, before at {}", b.position(first.b), b.name(first.b), a.position(first.a));
      break;
    case Alignment::kRemoved:
      text += fmt::format("; first at {}: {} only in {}", a.position(first.a), a.name(first.a), of_a);
      break;
    case Alignment::kAdded:
    case Alignment::kSame:
      text += fmt::format("; first at {}: {} only in {}", b.position(first.b), b.name(first.b), of_b);
      break;
  }
  text += fmt::format("; they take {:.4g} ms", difference.ns / kNsPerMs);
  if (study.model_latency_ns > 0) {
    text += fmt::format(", {:.1f} % of the model's latency", 100 * difference.ns / study.model_latency_ns);
  }
  return text;
}

std::string list_of(const std::vector<uint32_t>& numbers) {
  std::string list;
  for (size_t i = 0; i < numbers.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
  }
  return (numbers.size() == 1 ? "run " : "runs ") + list;
}

class Divergences {
 public:
  explicit Divergences(const Study& study)
      : study_(study), trace_(study.trace), group_(study.evaluations.groups[*study.subject]) {}

  std::vector<Divergence> find() {
    compare_counts();
    compare_presence();
    compare_runs();
    if (study_.levels.leveled) compare_sets();
    return std::move(found_);
  }

 private:
  /// The model, with its input if the program evaluates it with several.
  std::string subject() const {
    const auto& groups = study_.evaluations.groups;
    const bool has_inputs = std::any_of(groups.begin(), groups.end(), [&](const EvaluationGroup& other) {
      return other.input != group_.input && model_label(trace_, other) == model_label(trace_, group_);
    });
    const std::string model = model_label(trace_, group_);
    return has_inputs && group_.input != 0 ? fmt::format("{} with input {}", model, trace_.text(group_.input)) : model;
  }

  uint32_t index_of(uint32_t run) const { return run_of(trace_, group_.runs[run].process)->index; }

  /// Runs that made another number of evaluations than most.
  void compare_counts() {
    std::map<size_t, size_t> runs_by_count;
    std::vector<uint32_t> used;
    for (const LevelSet& set : timing_sets(study_, group_)) used.insert(used.end(), set.runs.begin(), set.runs.end());
    std::sort(used.begin(), used.end());
    for (const uint32_t run : used) ++runs_by_count[group_.runs[run].evaluations.size()];
    if (runs_by_count.size() < 2) return;
    const auto most = std::max_element(runs_by_count.begin(), runs_by_count.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    std::string text;
    size_t runs = 0;
    for (const uint32_t run : used) {
      const size_t count = group_.runs[run].evaluations.size();
      if (count == most->first) continue;
      ++runs;
      const std::string noun = (count == 1 ? " evaluation of " : " evaluations of ") + subject();
      text += fmt::format("{}{}{} in run {}", runs == 1 ? "" : ", ", count, runs == 1 ? noun : "", index_of(run));
    }
    text += fmt::format(", where {} of {} runs made {}", most->second, used.size(), most->first);
    found_.push_back({.level = Level::kModel, .places = runs, .text = std::move(text)});
  }

  /// Runs of the set in which this model was not evaluated.
  void compare_presence() {
    const Segment& own = trace_.segments[trace_.processes[group_.process].segment];
    std::vector<uint32_t> without;
    for (const Segment& segment : trace_.segments) {
      if (!segment.run || segment.run->failed || segment.run->purpose != RunPurpose::kLatencies) continue;
      if (!are_comparable(segment, own)) continue;
      const bool has_it = std::any_of(group_.runs.begin(), group_.runs.end(), [&](const GroupRun& run) {
        return run_of(trace_, run.process)->index == segment.run->index;
      });
      if (!has_it) without.push_back(segment.run->index);
    }
    if (without.empty()) return;
    std::sort(without.begin(), without.end());
    without.erase(std::unique(without.begin(), without.end()), without.end());
    found_.push_back({.level = Level::kModel,
                      .places = without.size(),
                      .text = "no evaluation of " + subject() + " in " + list_of(without) + " of the set"});
  }

  /// Runs of one level set, if their evaluations differ.
  void compare_runs() {
    const LeveledGroup& levels = study_.levels;
    const Statistic& statistic = study_.options.statistic;
    const auto layers = [&](const TimedLevel& level, const JoinedLayers& joined) {
      if (joined.layers.empty() || (joined.places.same.size() == joined.joined.size() && joined.places.diverging == 0 &&
                                    joined.places.without_layers == 0))
        return;
      const std::vector<uint32_t> bare = evaluations_of_bare_runs(level);
      const auto is_comparable = [&](uint32_t evaluation) {
        return study_.evaluations.layer_count(evaluation) != 0 || contains(bare, evaluation);
      };
      compare_level(level, Level::kLayer, "layers", joined.places.same, joined.joined, is_comparable,
                    [&](const auto& others) {
                      const JoinedLayers own =
                          join_layers(trace_, study_.evaluations, study_.latencies, others, study_.options.statistic);
                      return difference(sequence_of(study_, joined), sequence_of(study_, own));
                    });
    };
    layers(levels.layer, study_.joined);
    if (levels.leveled && levels.kernel.label != levels.layer.label) layers(levels.kernel, levels.kernel_layers);
    if (study_.joined_library_calls.same.size() != study_.joined_library_calls.joined.size() ||
        study_.joined_library_calls.diverging != 0) {
      const JoinedCalls& joined = study_.joined_library_calls;
      const auto& all = levels.leveled ? levels.library_layers.joined : study_.joined.joined;
      compare_level(
          levels.library, Level::kLibrary, "library calls", joined.same, joined.joined,
          [&](uint32_t evaluation) { return all.empty() || contains(all, evaluation); },
          [&](const auto& others) {
            const JoinedCalls own =
                join_calls(trace_, study_.library_calls, others, statistic,
                           layers_of_calls(study_, levels.leveled ? levels.library_layers : study_.joined));
            return difference(sequence_of(study_, joined), sequence_of(study_, own));
          });
    }
    if (study_.kernels.same.size() != study_.kernels.evaluations.size() || study_.kernels.diverging != 0 ||
        study_.kernels.without_kernels != 0) {
      const auto& all = levels.leveled ? levels.kernel_layers.joined : study_.joined.joined;
      compare_level(
          levels.kernel, Level::kDevice, "kernels", study_.kernels.same, study_.kernels.evaluations,
          [&](uint32_t evaluation) {
            return study_.evaluations.layer_count(evaluation) == 0 || contains(all, evaluation);
          },
          [&](const auto& others) {
            const JoinedKernels own = join_kernels(trace_, study_.executions, Executed::kKernels, others, statistic,
                                                   study_.metrics, layers_of_kernels(study_, levels, study_.joined));
            return difference(sequence_of(study_, study_.kernels), sequence_of(study_, own));
          });
    }
  }

  /// Evaluations of runs that have no layers at all. Single ones without layers are not worth telling: they replay
  /// graphs.
  std::vector<uint32_t> evaluations_of_bare_runs(const TimedLevel& level) const {
    std::vector<uint32_t> bare;
    for (const auto& evaluations : level.by_run) {
      const bool has_layers = std::any_of(evaluations.begin(), evaluations.end(), [&](uint32_t evaluation) {
        return study_.evaluations.layer_count(evaluation) != 0;
      });
      if (!has_layers) bare.insert(bare.end(), evaluations.begin(), evaluations.end());
    }
    std::sort(bare.begin(), bare.end());
    return bare;
  }

  struct Told {
    size_t places = 0;
    double ns = 0;
    std::string text;
  };

  Told difference(const Sequence& a, const Sequence& b) {
    const SequenceDifference difference = compare_sequences(a.places, b.places);
    if (difference.places() == 0) return {};
    return {difference.places(), difference.ns, text_of(study_, difference, a, "the others", b, "these")};
  }

  static bool contains(const std::vector<uint32_t>& sorted, uint32_t evaluation) {
    return std::binary_search(sorted.begin(), sorted.end(), evaluation);
  }

  /// What becomes of evaluations that differ.
  static std::string fate(const std::vector<uint32_t>& others, const std::vector<uint32_t>& joined) {
    const auto left_out = static_cast<size_t>(std::count_if(
        others.begin(), others.end(), [&](uint32_t evaluation) { return !contains(joined, evaluation); }));
    if (left_out == 0) return "aligned with them";
    if (left_out == others.size()) return "left out";
    return fmt::format("aligned with them, but for {} left out", left_out);
  }

  /// One finding for each run whose evaluations all differ from those that are `alike`, and one for single evaluations
  /// of the rest.
  template <typename Comparable, typename Compare>
  void compare_level(const TimedLevel& level, Level what, const std::string& nouns, const std::vector<uint32_t>& alike,
                     const std::vector<uint32_t>& joined, Comparable&& is_comparable, Compare&& compare) {
    std::vector<uint32_t> single;
    std::vector<uint32_t> runs_of_single;
    for (size_t i = 0; i < level.runs.size(); ++i) {
      std::vector<uint32_t> others;
      for (const uint32_t evaluation : level.by_run[i]) {
        if (is_comparable(evaluation) && !contains(alike, evaluation)) others.push_back(evaluation);
      }
      if (others.empty()) continue;
      const bool any_joined = std::any_of(level.by_run[i].begin(), level.by_run[i].end(),
                                          [&](uint32_t evaluation) { return contains(alike, evaluation); });
      if (any_joined) {
        single.insert(single.end(), others.begin(), others.end());
        runs_of_single.push_back(index_of(level.runs[i]));
        continue;
      }
      add(what, compare(others),
          fmt::format("the {} of run {} ({}) differ from those of the others, and it is {}", nouns,
                      index_of(level.runs[i]), level.label, fate(others, joined)));
    }
    if (single.empty()) return;
    add(what, compare(std::vector<uint32_t>{single.front()}),
        fmt::format("the {} of {} in {} ({}) differ from those of the {} others, and are {}", nouns,
                    single.size() == 1 ? "1 evaluation" : fmt::format("{} evaluations", single.size()),
                    list_of(runs_of_single), level.label, alike.size(), fate(single, joined)));
  }

  void add(Level level, const Told& told, const std::string& who) {
    if (told.places == 0) return;
    found_.push_back({level, told.places, told.ns, who + ": " + told.text});
  }

  /// Level sets, each by what is joined of it.
  void compare_sets() {
    const LeveledGroup& levels = study_.levels;
    const auto compare = [&](Level what, const std::string& nouns, const TimedLevel& a, const Sequence& of_a,
                             const TimedLevel& b, const Sequence& of_b) {
      const SequenceDifference difference = compare_sequences(of_a.places, of_b.places);
      if (difference.places() == 0) return;
      found_.push_back({what, difference.places(), difference.ns,
                        fmt::format("the {} of {} are not those of {}: ", nouns, b.label, a.label) +
                            text_of(study_, difference, of_a, a.label, of_b, b.label)});
    };
    const auto layers = [&](const TimedLevel& level, const JoinedLayers& joined) {
      if (level.label == levels.layer.label || joined.layers.empty() || study_.joined.layers.empty()) return;
      compare(Level::kLayer, "layers", levels.layer, sequence_of(study_, study_.joined), level,
              sequence_of(study_, joined));
    };
    layers(levels.library, levels.library_layers);
    if (levels.kernel.label != levels.library.label) layers(levels.kernel, levels.kernel_layers);
    const JoinedCalls& calls = study_.library_calls_of_kernels;
    if (calls.calls.empty() || study_.joined_library_calls.calls.empty()) return;
    compare(Level::kLibrary, "library calls", levels.library, sequence_of(study_, study_.joined_library_calls),
            levels.kernel, sequence_of(study_, calls));
  }

  const Study& study_;
  const Trace& trace_;
  const EvaluationGroup& group_;
  std::vector<Divergence> found_;
};

}  // namespace

std::vector<Divergence> find_divergences(const Study& study) {
  if (!study.subject || study.options.per_trace) return {};
  const EvaluationGroup& group = study.evaluations.groups[*study.subject];
  if (run_of(study.trace, group.process) == nullptr) return {};
  return Divergences(study).find();
}

}  // namespace xsp::analysis

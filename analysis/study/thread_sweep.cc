#include "analysis/study/thread_sweep.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/study/layer_inputs.h"
#include "analysis/study/layer_samples.h"
#include "analysis/study/machine_load.h"
#include "analysis/study/recorded_processors.h"
#include "analysis/study/thread_points.h"

namespace xsp::analysis {
namespace {

/// What A2 tells layers apart by: name, type, and which of those alike.
using LayerIdentity = std::tuple<uint32_t, uint32_t, size_t>;

std::vector<LayerIdentity> identities_of(const JoinedLayers& joined) {
  std::map<std::pair<uint32_t, uint32_t>, size_t> seen;
  std::vector<LayerIdentity> identities;
  for (const JoinedLayer& layer : joined.layers) {
    identities.emplace_back(layer.name, layer.type, seen[{layer.name, layer.type}]++);
  }
  return identities;
}

/// Only the values that are known, without runs that have none.
RunValues known_values(RunValues values) {
  for (auto& run : values) std::erase_if(run, [](double value) { return std::isnan(value); });
  std::erase_if(values, [](const auto& run) { return run.empty(); });
  return values;
}

class SweepSearch {
 public:
  explicit SweepSearch(const Study& study) : study_(study), groups_(find_thread_groups(study)) {}

  std::shared_ptr<const ThreadSweep> find() {
    if (groups_.points.empty() && groups_.blocks.empty()) return nullptr;
    sweep_.in_process = groups_.in_process;
    sweep_.is_applied = !groups_.blocks.empty();
    sweep_.points = groups_.points;
    sweep_.cores = find_cores();
    add_layers();
    for (size_t i = 0; i < sweep_.points.size(); ++i) measure_point(i);
    std::erase_if(sweep_.layers, [](const ThreadLayer& layer) { return has_no_values(layer); });
    add_what_guests_told();
    sweep_.is_set_by_program = is_set_by_program();
    sweep_.load = find_machine_load(study_, sweep_.points, sweep_.cores, sweep_.in_process);
    if (sweep_.is_applied) add_blocks();
    return std::make_shared<const ThreadSweep>(std::move(sweep_));
  }

 private:
  const EvaluationGroup& group_of(const ThreadPoint& point) const { return study_.evaluations.groups[point.group]; }

  /// The processes that points, or blocks, are of, each once.
  std::vector<uint32_t> processes() const {
    std::vector<uint32_t> found;
    const auto add = [&](uint32_t number) {
      for (const GroupRun& run : study_.evaluations.groups[number].runs) found.push_back(run.process);
    };
    for (const ThreadPoint& point : groups_.points) add(point.group);
    for (const uint32_t number : groups_.blocks) add(number);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// As the user says, else as the guests found, else as the collector did: the fewest of all runs.
  uint32_t find_cores() const {
    if (study_.options.concurrency.cores != 0) return study_.options.concurrency.cores;
    uint32_t by_guests = 0;
    uint32_t by_collector = 0;
    const auto take = [](uint32_t cores, uint32_t* least) {
      if (cores != 0 && (*least == 0 || cores < *least)) *least = cores;
    };
    for (const uint32_t number : processes()) {
      const Process& process = study_.trace.processes[number];
      if (process.thread_counts) take(process.thread_counts->totals.cores, &by_guests);
      const auto& told = study_.trace.segments[process.segment].processors;
      if (told) take(usable_cores_of(*told), &by_collector);
    }
    return by_guests != 0 ? by_guests : by_collector;
  }

  /// The subject's layers, for the values of each point.
  void add_layers() {
    const auto inputs = input_elements_of_layers(study_);
    const auto identities = identities_of(study_.joined);
    for (uint32_t i = 0; i < study_.joined.layers.size(); ++i) {
      const JoinedLayer& layer = study_.joined.layers[i];
      sweep_.layers.push_back({.index = i,
                               .name = std::string(study_.trace.text(layer.name)),
                               .type = std::string(study_.trace.text(layer.type)),
                               .shape = layer.shape_varies ? "" : std::string(study_.trace.text(layer.shape)),
                               .input_elements = inputs[i],
                               .latency_ns = std::vector<RunValues>(sweep_.points.size())});
      places_.emplace(identities[i], i);
    }
  }

  void measure_point(size_t i) {
    ThreadPoint& point = sweep_.points[i];
    const EvaluationGroup& group = group_of(point);
    const bool is_subject = point.group == *study_.subject;
    LeveledGroup levels = is_subject ? study_.levels : time_levels(study_, group);
    for (const auto& run : levels.model.by_run) {
      point.model_ns.push_back(evaluation_latencies(study_, run));
      keep_search(point, run, &point.model_ns.back());
    }
    point.model_ns = known_values(std::move(point.model_ns));
    point.seen = threads_seen(levels.model.used, group);
    if (sweep_.layers.empty()) return;
    const JoinedLayers joined = is_subject ? study_.joined : join_leveled_layers(study_, &levels);
    std::vector<RunValues> samples = layer_samples_of(study_, group, levels, joined);
    const auto identities = identities_of(joined);
    for (size_t layer = 0; layer < samples.size(); ++layer) {
      if (samples[layer].size() == 1) keep_search(point, joined.joined, &samples[layer].front());
      const auto place = places_.find(identities[layer]);
      if (place != places_.end()) sweep_.layers[place->second].latency_ns[i] = known_values(std::move(samples[layer]));
    }
  }

  /// Of calls with the program's own number, those that took turns with others: what came after the search, when the
  /// machine may have been faster or slower, is not compared. `values` has one of each evaluation.
  void keep_search(const ThreadPoint& point, const std::vector<uint32_t>& evaluations,
                   std::vector<double>* values) const {
    if (!point.is_own || !sweep_.in_process || sweep_.is_applied || values->size() != evaluations.size()) return;
    uint32_t last = 0;
    for (const ThreadPoint& other : sweep_.points) {
      if (!other.is_own) last = std::max(last, group_of(other).evaluations.back());
    }
    size_t kept = 0;
    for (size_t i = 0; i < evaluations.size(); ++i) {
      if (evaluations[i] < last) (*values)[kept++] = (*values)[i];
    }
    values->resize(kept);
  }

  /// The number of threads that most calls of a point began with; 0: not told.
  uint32_t threads_seen(const std::vector<uint32_t>& used, const EvaluationGroup& group) const {
    std::map<uint32_t, size_t> counts;
    if (!study_.evaluations.threads.empty()) {
      for (const uint32_t evaluation : used) {
        const wire::ThreadCount* told = study_.evaluations.threads[evaluation];
        if (told != nullptr && told->threads != 0) ++counts[told->threads];
      }
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != counts.end()) return most->first;
    const auto& told = study_.trace.processes[group.process].thread_counts;
    return told && !sweep_.in_process ? told->totals.own : 0;
  }

  static bool has_no_values(const ThreadLayer& layer) {
    return std::all_of(layer.latency_ns.begin(), layer.latency_ns.end(),
                       [](const RunValues& values) { return values.empty(); });
  }

  void add_what_guests_told() {
    for (const uint32_t number : processes()) {
      const auto& told = study_.trace.processes[number].thread_counts;
      if (!told) continue;
      sweep_.switches.insert(sweep_.switches.end(), told->switches.begin(), told->switches.end());
      if (!sweep_.in_process) continue;
      if (told->totals.own != 0) sweep_.own_threads = told->totals.own;
      if (told->totals.ended != 0) sweep_.ended = static_cast<ThreadsEnded>(told->totals.ended);
    }
    for (ThreadPoint& point : sweep_.points) {
      if (sweep_.in_process && sweep_.own_threads != 0) point.is_own = point.threads == sweep_.own_threads;
      if (point.is_own && sweep_.own_threads == 0) sweep_.own_threads = point.threads;
    }
  }

  /// Whether it makes no difference what number of threads a run is given.
  bool is_set_by_program() const {
    if (sweep_.in_process || sweep_.points.size() < 2) return false;
    const uint32_t seen = sweep_.points.front().seen;
    return seen != 0 && std::all_of(sweep_.points.begin(), sweep_.points.end(),
                                    [&](const ThreadPoint& point) { return point.seen == seen; });
  }

  /// Evaluations without warm-up, in order of time, cut where the number of their block changes.
  void add_blocks() {
    if (study_.evaluations.threads.empty()) return;
    std::vector<uint32_t> used;
    for (const uint32_t number : groups_.blocks) {
      const auto of_group = used_evaluations(study_, study_.evaluations.groups[number]);
      used.insert(used.end(), of_group.begin(), of_group.end());
    }
    std::sort(used.begin(), used.end());
    std::pair<uint32_t, uint32_t> last;  // process and block
    for (const uint32_t evaluation : used) {
      const wire::ThreadCount* told = study_.evaluations.threads[evaluation];
      if (told == nullptr || told->block == 0) continue;
      const std::pair current(study_.trace.process_of(study_.evaluations.root[evaluation]), told->block);
      if (sweep_.blocks.empty() || current != last) {
        sweep_.blocks.push_back({.setting = static_cast<ThreadSetting>(told->setting), .model_ns = {}});
      }
      last = current;
      sweep_.blocks.back().model_ns.push_back(
          static_cast<double>(study_.latencies.model_ns(study_.trace, study_.evaluations, evaluation)));
    }
  }

  const Study& study_;
  ThreadGroups groups_;
  ThreadSweep sweep_;
  std::map<LayerIdentity, uint32_t> places_;  // in ThreadSweep::layers
};

}  // namespace

const ThreadSweep* thread_sweep(const Study& study) {
  if (!study.thread_sweep) study.thread_sweep = SweepSearch(study).find();
  return study.thread_sweep->get();
}

}  // namespace xsp::analysis

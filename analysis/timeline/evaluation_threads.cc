#include "analysis/timeline/evaluation_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/quantity_text.h"

namespace xsp::analysis {
namespace {

using Setting = ThreadCountsSetting;

/// The program's own number of threads: as the guest says, or the only one that it saw; 0: not known.
uint32_t own_threads_of(const ThreadCounts& counts) {
  if (counts.totals.own != 0) return counts.totals.own;
  uint32_t own = 0;
  for (const wire::ThreadCount& call : counts.calls) {
    if (static_cast<Setting>(call.setting) != Setting::kOwn || call.threads == 0) continue;
    if (own != 0 && call.threads != own) return 0;
    own = call.threads;
  }
  return own;
}

EvaluationThreads threads_of(const wire::ThreadCount& told, uint32_t own) {
  EvaluationThreads threads{static_cast<Setting>(told.setting), told.threads};
  const bool is_own_number = threads.setting == Setting::kProbe && own != 0 && threads.threads == own;
  if (threads.setting == Setting::kUnspecified || is_own_number) threads.setting = Setting::kOwn;
  if (threads.setting == Setting::kOwn && threads.threads == 0) threads.threads = own;
  return threads;
}

/// Whether a model was computed with its own number of threads all along.
bool is_unchanged(const std::set<EvaluationThreads>& seen) {
  return seen.size() < 2 && std::all_of(seen.begin(), seen.end(), [](const EvaluationThreads& threads) {
           return threads.setting == Setting::kOwn;
         });
}

}  // namespace

std::vector<const wire::ThreadCount*> find_thread_counts(const Trace& trace, const std::vector<Row>& roots) {
  const auto key = [](uint32_t ring, uint32_t span) { return uint64_t{ring} << 32 | span; };
  std::unordered_map<uint32_t, std::unordered_map<uint64_t, const wire::ThreadCount*>> told;  // by process
  for (uint32_t i = 0; i < trace.processes.size(); ++i) {
    if (!trace.processes[i].thread_counts) continue;
    for (const wire::ThreadCount& call : trace.processes[i].thread_counts->calls) {
      told[i][key(call.ring, call.span)] = &call;
    }
  }
  if (told.empty()) return {};
  std::vector<const wire::ThreadCount*> counts(roots.size());
  bool any = false;
  for (size_t i = 0; i < roots.size(); ++i) {
    const Track& track = trace.tracks[trace.spans.track[roots[i]]];
    const auto process = told.find(track.process);
    if (process == told.end() || trace.spans.id[roots[i]] == 0) continue;
    const auto found = process->second.find(key(track.ring, trace.spans.id[roots[i]]));
    if (found == process->second.end()) continue;
    counts[i] = found->second;
    any = true;
  }
  if (!any) counts.clear();
  return counts;
}

std::vector<EvaluationThreads> find_evaluation_threads(const Trace& trace, const Evaluations& evaluations) {
  std::vector<EvaluationThreads> threads(evaluations.root.size());
  if (evaluations.threads.empty()) return threads;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<uint32_t>> instances;
  for (uint32_t i = 0; i < evaluations.root.size(); ++i) {
    const Row root = evaluations.root[i];
    instances[{trace.process_of(root), trace.spans.name[root], trace.spans.scope[root]}].push_back(i);
  }
  for (const auto& [instance, members] : instances) {
    const auto& counts = trace.processes[std::get<0>(instance)].thread_counts;
    if (!counts) continue;
    const uint32_t own = own_threads_of(*counts);
    std::set<EvaluationThreads> seen;
    for (const uint32_t member : members) {
      const wire::ThreadCount* told = evaluations.threads[member];
      if (told == nullptr) continue;
      threads[member] = threads_of(*told, own);
      seen.insert(threads[member]);
    }
    const bool unchanged = is_unchanged(seen);
    for (const uint32_t member : members) {
      if (unchanged) {
        threads[member] = {};
      } else if (evaluations.threads[member] == nullptr && counts->totals.ended != 0) {
        threads[member] = {Setting::kOwn, own};
      }
    }
  }
  return threads;
}

std::string threads_text(const EvaluationThreads& threads) {
  switch (threads.setting) {
    case Setting::kOwn:
      return threads.threads == 0 ? "the program's own threads" : plural(threads.threads, "thread") + " (own)";
    case Setting::kProbe:
      return plural(threads.threads, "thread");
    case Setting::kAdvised:
      return "advised threads";
    case Setting::kUnspecified:
      break;
  }
  return {};
}

}  // namespace xsp::analysis

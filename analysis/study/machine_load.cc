#include "analysis/study/machine_load.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace xsp::analysis {
namespace {

/// Beyond this share of its time a call waited for a processor because others had it, not by chance.
constexpr double kMuchWaitedPct = 10;

/// What guests saw as calls ended that have no more threads than cores: others wait because of those that have more.
struct SeenLoad {
  double runnable = 0;
  size_t told_runnable = 0;
  double waited_ns = 0;
  double latency_ns = 0;
};

SeenLoad seen_load(const Study& study, const std::vector<ThreadPoint>& points, uint32_t cores) {
  SeenLoad seen;
  if (study.evaluations.threads.empty()) return seen;
  for (const ThreadPoint& point : points) {
    for (const uint32_t evaluation : study.evaluations.groups[point.group].evaluations) {
      const wire::ThreadCount* told = study.evaluations.threads[evaluation];
      if (told == nullptr) continue;
      const uint32_t threads = told->threads != 0 ? told->threads : point.threads;
      if (cores != 0 && threads > cores) continue;
      if (told->runnable != 0) {
        seen.runnable += told->runnable;
        ++seen.told_runnable;
      }
      const auto host_ns = static_cast<double>(study.trace.spans.duration(study.evaluations.root[evaluation]));
      seen.waited_ns += std::min(static_cast<double>(told->waited_ns), host_ns);
      seen.latency_ns += host_ns;
    }
  }
  return seen;
}

/// Whole tasks: one that runs now and then is none.
bool exceeds(double tasks, uint32_t processors) { return processors != 0 && std::round(tasks) > processors; }

/// Of runs: tasks that were runnable before the program began, on average, and the most threads that have cores.
void add_neighbours(const Study& study, const std::vector<ThreadPoint>& points, uint32_t cores, MachineLoad* load) {
  double neighbours = 0;
  std::set<uint32_t> segments;
  uint32_t most = 0;
  for (const ThreadPoint& point : points) {
    if (cores == 0 || point.threads <= cores) most = std::max(most, point.threads);
    for (const GroupRun& run : study.evaluations.groups[point.group].runs) {
      const uint32_t segment = study.trace.processes[run.process].segment;
      const auto& told = study.trace.segments[segment].processors;
      if (told && segments.insert(segment).second) neighbours += told->runnable;
    }
  }
  if (segments.empty()) return;
  neighbours /= static_cast<double>(segments.size());
  if (!load->runnable) load->runnable = neighbours + most;
  load->is_busy |= std::round(neighbours) > 0 && exceeds(neighbours + most, load->online);
}

}  // namespace

MachineLoad find_machine_load(const Study& study, const std::vector<ThreadPoint>& points, uint32_t cores,
                              bool in_process) {
  MachineLoad load;
  for (const ThreadPoint& point : points) {
    for (const GroupRun& run : study.evaluations.groups[point.group].runs) {
      const auto& told = study.trace.segments[study.trace.processes[run.process].segment].processors;
      if (told) load.online = std::max(load.online, told->online);
    }
  }
  const SeenLoad seen = seen_load(study, points, cores);
  if (seen.told_runnable != 0) {
    load.runnable = seen.runnable / static_cast<double>(seen.told_runnable);
    load.is_busy |= exceeds(*load.runnable, load.online);
  }
  if (seen.latency_ns > 0) {
    load.waited_pct = 100 * seen.waited_ns / seen.latency_ns;
    load.is_busy |= *load.waited_pct > kMuchWaitedPct;
  }
  if (!in_process) add_neighbours(study, points, cores, &load);
  return load;
}

}  // namespace xsp::analysis

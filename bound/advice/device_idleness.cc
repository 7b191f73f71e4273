#include "bound/advice/device_idleness.h"

#include <algorithm>
#include <map>

#include "analysis/statistics/statistic.h"
#include "analysis/timeline/intervals.h"
#include "base/units.h"

namespace xsp::bound {
namespace {

/// When the device worked for an evaluation.
analysis::TimeIntervals work_in(const analysis::Study& study, uint32_t evaluation) {
  const analysis::Executions& executions = study.executions;
  const analysis::SpanTable& spans = study.trace.spans;
  analysis::TimeIntervals work;
  if (evaluation + 1 >= executions.first_of.size()) return work;
  for (size_t i = executions.first_of[evaluation]; i < executions.first_of[evaluation + 1]; ++i) {
    const analysis::Row row = study.trace.executions.row[executions.in_evaluation[i]];
    if (analysis::is_work(spans.kind[row])) work.push_back({spans.begin[row], spans.end[row]});
  }
  return analysis::united(std::move(work));
}

double idle_ns(const analysis::TimeIntervals& work, int64_t wait_end) {
  const auto next = std::lower_bound(work.begin(), work.end(), wait_end,
                                     [](const auto& interval, int64_t time) { return interval.begin < time; });
  if (next == work.begin() || next == work.end() || std::prev(next)->end > wait_end) return 0;
  return static_cast<double>(next->begin - std::prev(next)->end);
}

}  // namespace

std::vector<double> idle_after_waits(const analysis::Study& study, const std::vector<bool>& wanted) {
  const analysis::JoinedCalls& joined = study.joined_runtime_calls;
  if (study.executions.placed.empty() || joined.joined.empty()) return {};
  std::map<uint32_t, size_t> number_of;  // by evaluation
  for (size_t i = 0; i < joined.joined.size(); ++i) number_of.emplace(joined.joined[i], i);
  std::vector<analysis::TimeIntervals> work(joined.joined.size());
  for (size_t i = 0; i < work.size(); ++i) work[i] = work_in(study, joined.joined[i]);
  // The n-th call of an evaluation stands in the n-th of its rows.
  std::vector<size_t> places(joined.joined.size(), 0);
  std::vector<std::vector<double>> times(joined.calls.size());
  for (const analysis::LibraryCall& call : study.runtime_calls.calls) {
    const auto number = number_of.find(call.evaluation);
    if (number == number_of.end()) continue;
    const auto& rows = joined.rows_of(number->second);
    const size_t place = places[number->second]++;
    if (place >= rows.size() || rows[place] == analysis::kNoPlace || !wanted[rows[place]]) continue;
    times[rows[place]].push_back(idle_ns(work[number->second], study.trace.spans.end[call.row]));
  }
  std::vector<double> idle(joined.calls.size(), 0);
  for (size_t i = 0; i < idle.size(); ++i) {
    if (!times[i].empty()) idle[i] = analysis::evaluate(study.options.statistic, times[i]) / kNsPerMs;
  }
  return idle;
}

}  // namespace xsp::bound

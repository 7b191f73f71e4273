#include "analysis/timeline/launches.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace xsp::analysis {
namespace {

/// A correlation id of which an execution seeks the call.
struct Sought {
  uint32_t process = 0;
  uint64_t correlation = 0;
  Row call = kNoRow;
  bool unique = true;

  auto key() const { return std::tuple(process, correlation); }
};

void link_by_correlation(const Trace& trace, Parents* parents) {
  const SpanTable& spans = trace.spans;
  const ExecutionTable& executions = trace.executions;
  if (spans.correlation.empty()) return;
  std::vector<Sought> sought;
  const auto is_open = [&](size_t i) {
    return parents->of[executions.row[i]] == kNoRow && executions.correlation[i] != 0;
  };
  for (size_t i = 0; i < executions.size(); ++i) {
    if (is_open(i)) sought.push_back({trace.process_of(executions.row[i]), executions.correlation[i]});
  }
  if (sought.empty()) return;
  const auto before = [](const Sought& a, const Sought& b) { return a.key() < b.key(); };
  std::sort(sought.begin(), sought.end(), before);
  const auto same = [](const Sought& a, const Sought& b) { return a.key() == b.key(); };
  sought.erase(std::unique(sought.begin(), sought.end(), same), sought.end());
  const auto find = [&](uint32_t process, uint64_t correlation) {
    const auto found = std::lower_bound(sought.begin(), sought.end(), Sought{process, correlation}, before);
    return found != sought.end() && found->key() == std::tuple(process, correlation) ? &*found : nullptr;
  };
  for (Row row = 0; row < spans.correlation.size(); ++row) {
    if (spans.correlation[row] == 0) continue;
    Sought* const call = find(trace.process_of(row), spans.correlation[row]);
    if (call == nullptr) continue;
    call->unique &= call->call == kNoRow;
    call->call = row;
  }
  for (size_t i = 0; i < executions.size(); ++i) {
    if (!is_open(i)) continue;
    const Sought* const call = find(trace.process_of(executions.row[i]), executions.correlation[i]);
    if (call->unique) parents->of[executions.row[i]] = call->call;
  }
}

}  // namespace

void link_executions(const Trace& trace, const SpanIds& ids, Parents* parents) {
  const ExecutionTable& executions = trace.executions;
  bool has_captures = false;
  for (size_t i = 0; i < executions.size(); ++i) {
    const Row row = executions.row[i];
    parents->of[row] = ids.find(trace.process_of(row), executions.launch[i]);
    has_captures |= executions.capture[i].id != 0;
  }
  link_by_correlation(trace, parents);
  if (!has_captures) return;
  parents->capture.resize(executions.size());
  for (size_t i = 0; i < executions.size(); ++i) {
    parents->capture[i] = ids.find(trace.process_of(executions.row[i]), executions.capture[i]);
  }
}

bool is_launch(std::string_view function) {
  if (!function.starts_with("cu")) return false;
  function.remove_prefix(function.starts_with("cuda") ? 4 : 2);
  return (function.starts_with("Launch") && !function.starts_with("LaunchHostFunc")) ||
         function.starts_with("GraphLaunch");
}

}  // namespace xsp::analysis

#include "analysis/steps/start_up.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace xsp::analysis {
namespace {

int64_t median_of(const SpanTable& spans, const std::vector<Row>& calls) {
  std::vector<int64_t> times;
  times.reserve(calls.size());
  for (const Row row : calls) times.push_back(spans.duration(row));
  const auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace

StartUp find_start_up(const Trace& trace, const Evaluations& evaluations, uint32_t process) {
  const SpanTable& spans = trace.spans;
  std::unordered_map<uint32_t, std::vector<Row>> by_name;
  for (const Row row : evaluations.loose_layers) {
    if (trace.process_of(row) == process) by_name[spans.name[row]].push_back(row);
  }
  StartUp found;
  for (auto& [name, calls] : by_name) {
    if (calls.size() < kLeastStartUpCalls) continue;
    std::sort(calls.begin(), calls.end(), [&](Row a, Row b) { return spans.begin[a] < spans.begin[b]; });
    const auto least =
        std::max(static_cast<double>(kLeastStartUpNs), kStartUpFactor * static_cast<double>(median_of(spans, calls)));
    StartUp::Call of_name{.name = name};
    for (size_t i = 0; i < calls.size() / 2; ++i) {
      if (static_cast<double>(spans.duration(calls[i])) < least) continue;
      found.intervals.push_back({spans.begin[calls[i]], spans.end[calls[i]]});
      of_name.ns += spans.duration(calls[i]);
    }
    if (of_name.ns > 0) found.calls.push_back(of_name);
  }
  found.intervals = united(std::move(found.intervals));
  std::sort(found.calls.begin(), found.calls.end(), [](const StartUp::Call& a, const StartUp::Call& b) {
    return a.ns != b.ns ? a.ns > b.ns : a.name < b.name;
  });
  return found;
}

}  // namespace xsp::analysis

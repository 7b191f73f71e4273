#include "analysis/timeline/joined_calls.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "analysis/timeline/majority.h"
#include "analysis/trace/call_arguments.h"

namespace xsp::analysis {
namespace {

/// Calls of one evaluation, as indices of LibraryCalls.
using Sequence = std::vector<uint32_t>;

JoinedCall single_call(const Trace& trace, const LibraryCalls& all, uint32_t number) {
  const LibraryCall& call = all.calls[number];
  return {.call = number,
          .host_ns = static_cast<double>(trace.spans.duration(call.row)),
          .spread_ns = std::numeric_limits<double>::quiet_NaN(),
          .self_ns = static_cast<double>(call.self_ns),
          .kernel_ns = static_cast<double>(all.kernels_of(number).ns),
          .kernel_count = static_cast<double>(all.kernels_of(number).count),
          .failed = trace.spans.has_failed(call.row) ? 1.0 : 0.0};
}

/// The calls at one place of all joined evaluations.
JoinedCall joined_call(const Trace& trace, const LibraryCalls& all, const std::vector<const Sequence*>& chosen,
                       size_t place, const Statistic& statistic) {
  JoinedCall joined = single_call(trace, all, (*chosen.front())[place]);
  if (chosen.size() == 1) return joined;
  const auto over_evaluations = [&](auto&& value) {
    std::vector<double> values;
    for (const Sequence* sequence : chosen) values.push_back(static_cast<double>(value((*sequence)[place])));
    return values;
  };
  const auto row = [&](uint32_t call) { return all.calls[call].row; };
  const auto mean_of = [&](auto&& value) {
    double sum = 0;
    for (const double one : over_evaluations(value)) sum += one;
    return sum / static_cast<double>(chosen.size());
  };
  auto host = over_evaluations([&](uint32_t call) { return trace.spans.duration(row(call)); });
  joined.host_ns = evaluate(statistic, host);
  joined.spread_ns = interquartile_range(host);
  auto self = over_evaluations([&](uint32_t call) { return all.calls[call].self_ns; });
  joined.self_ns = evaluate(statistic, self);
  auto kernel = over_evaluations([&](uint32_t call) { return all.kernels_of(call).ns; });
  joined.kernel_ns = evaluate(statistic, kernel);
  joined.kernel_count = mean_of([&](uint32_t call) { return all.kernels_of(call).count; });
  joined.failed = mean_of([&](uint32_t call) { return trace.spans.has_failed(row(call)) ? 1 : 0; });
  const std::string arguments = CallArguments(trace, row(joined.call)).comparable();
  joined.arguments_vary = std::any_of(chosen.begin() + 1, chosen.end(), [&](const Sequence* sequence) {
    return CallArguments(trace, row((*sequence)[place])).comparable() != arguments;
  });
  return joined;
}

/// Enclosing calls as indices of `calls`.
void link(const LibraryCalls& all, std::vector<JoinedCall>* calls) {
  std::vector<uint32_t> number(all.calls.size(), kNoCall);
  for (uint32_t i = 0; i < calls->size(); ++i) number[(*calls)[i].call] = i;
  for (JoinedCall& call : *calls) {
    const uint32_t enclosing = all.calls[call.call].enclosing;
    if (enclosing != kNoCall) call.enclosing = number[enclosing];
  }
}

}  // namespace

JoinedCalls join_calls(const Trace& trace, const LibraryCalls& all, const std::vector<uint32_t>& evaluations,
                       const Statistic& statistic) {
  JoinedCalls joined;
  if (evaluations.empty()) return joined;
  std::unordered_map<uint32_t, size_t> number;
  for (size_t i = 0; i < evaluations.size(); ++i) number[evaluations[i]] = i;
  std::vector<Sequence> sequences(evaluations.size());
  for (uint32_t i = 0; i < all.calls.size(); ++i) {
    const auto found = number.find(all.calls[i].evaluation);
    if (found != number.end()) sequences[found->second].push_back(i);
  }
  const Majority majority = find_majority(
      sequences.size(), [&](size_t sequence) { return sequences[sequence].size(); },
      [&](size_t sequence, size_t place) {
        const LibraryCall& call = all.calls[sequences[sequence][place]];
        return std::array{call.layer_ordinal, trace.spans.name[call.row], trace.spans.type[call.row]};
      });
  joined.diverging = majority.diverging;
  joined.first_difference = majority.first_difference;
  joined.evaluations = majority.chosen.size();
  std::vector<const Sequence*> chosen;
  for (const size_t sequence : majority.chosen) chosen.push_back(&sequences[sequence]);
  for (size_t place = 0; place < chosen.front()->size(); ++place) {
    joined.calls.push_back(joined_call(trace, all, chosen, place, statistic));
  }
  std::vector<double> kernel_ns;
  for (const Sequence* sequence : chosen) {
    const auto found = all.kernel_ns_of.find(evaluations[static_cast<size_t>(sequence - sequences.data())]);
    kernel_ns.push_back(found == all.kernel_ns_of.end() ? 0.0 : static_cast<double>(found->second));
  }
  joined.kernel_ns = evaluate(statistic, kernel_ns);
  link(all, &joined.calls);
  return joined;
}

JoinedCalls single_calls(const Trace& trace, const LibraryCalls& all, const std::vector<bool>& wanted) {
  JoinedCalls joined;
  for (uint32_t i = 0; i < all.calls.size(); ++i) {
    if (wanted[i]) joined.calls.push_back(single_call(trace, all, i));
  }
  link(all, &joined.calls);
  joined.kernel_ns = static_cast<double>(all.kernel_ns);
  return joined;
}

}  // namespace xsp::analysis

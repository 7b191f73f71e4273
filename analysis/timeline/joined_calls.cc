#include "analysis/timeline/joined_calls.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "analysis/trace/call_arguments.h"

namespace xsp::analysis {
namespace {

/// Calls of one evaluation, as indices of LibraryCalls.
using Sequence = std::vector<uint32_t>;

bool same_place(const SpanTable& spans, const LibraryCall& a, const LibraryCall& b) {
  return a.layer_ordinal == b.layer_ordinal && spans.name[a.row] == spans.name[b.row] &&
         spans.type[a.row] == spans.type[b.row];
}

uint64_t identity(const SpanTable& spans, const LibraryCalls& all, const Sequence& sequence) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  const auto add = [&](uint64_t value) { hash = (hash ^ value) * 1099511628211u; };
  for (const uint32_t call : sequence) {
    add(all.calls[call].layer_ordinal);
    add(uint64_t{spans.name[all.calls[call].row]} << 32 | spans.type[all.calls[call].row]);
  }
  return hash;
}

size_t first_difference(const SpanTable& spans, const LibraryCalls& all, const Sequence& a, const Sequence& b) {
  const size_t common = std::min(a.size(), b.size());
  for (size_t i = 0; i < common; ++i) {
    if (!same_place(spans, all.calls[a[i]], all.calls[b[i]])) return i;
  }
  return common;
}

/// The sequences that are like the most frequent one (of equally frequent ones: the first).
std::vector<const Sequence*> majority(const SpanTable& spans, const LibraryCalls& all,
                                      const std::vector<Sequence>& sequences, JoinedCalls* joined) {
  std::unordered_map<uint64_t, std::vector<const Sequence*>> by_identity;
  std::vector<uint64_t> order;
  for (const Sequence& sequence : sequences) {
    const uint64_t id = identity(spans, all, sequence);
    auto& same = by_identity[id];
    if (same.empty()) order.push_back(id);
    same.push_back(&sequence);
  }
  const uint64_t best = *std::max_element(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
    return by_identity[a].size() < by_identity[b].size();
  });
  joined->diverging = sequences.size() - by_identity[best].size();
  const auto other = std::find_if(order.begin(), order.end(), [&](uint64_t id) { return id != best; });
  if (other != order.end()) {
    joined->first_difference = first_difference(spans, all, *by_identity[best].front(), *by_identity[*other].front());
  }
  return by_identity[best];
}

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
  const auto chosen = majority(trace.spans, all, sequences, &joined);
  joined.evaluations = chosen.size();
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

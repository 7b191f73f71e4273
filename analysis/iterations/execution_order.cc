#include "analysis/iterations/execution_order.h"

#include <algorithm>
#include <tuple>

#include "analysis/timeline/executions.h"

namespace xsp::analysis {
namespace {

/// What executions are ordered by.
struct Key {
  int64_t begin;
  int64_t end;
  uint32_t execution;

  bool operator<(const Key& other) const {
    return std::tie(begin, end, execution) < std::tie(other.begin, other.end, other.execution);
  }
};

Key key_of(const Trace& trace, uint32_t execution) {
  const Row row = trace.executions.row[execution];
  return {trace.spans.begin[row], trace.spans.end[row], execution};
}

/// Whether the execution is work of one of these processes.
class Choice {
 public:
  Choice(const Trace& trace, std::optional<uint32_t> process) : trace_(trace), chosen_(trace.queues.size()) {
    for (size_t i = 0; i < chosen_.size(); ++i) chosen_[i] = !process || trace.queues[i].process == *process;
  }

  bool has(uint32_t execution) const {
    return chosen_[trace_.executions.queue[execution]] && is_work(trace_.spans.kind[trace_.executions.row[execution]]);
  }

 private:
  const Trace& trace_;
  std::vector<bool> chosen_;  // by queue
};

/// A sorted sequence that is being merged with others.
struct Source {
  Key head;
  const uint32_t* next;
  const uint32_t* end;
};

}  // namespace

QueuedWork::QueuedWork(const Trace& trace, std::optional<uint32_t> process) : trace_(trace) {
  const ExecutionTable& table = trace.executions;
  const Choice choice(trace, process);
  first_of_.assign(trace.queues.size() + 1, 0);
  for (uint32_t i = 0; i < table.size(); ++i) {
    if (choice.has(i)) ++first_of_[table.queue[i] + 1];
  }
  for (size_t i = 1; i < first_of_.size(); ++i) first_of_[i] += first_of_[i - 1];
  executions_.resize(first_of_.back());
  std::vector<size_t> next(first_of_.begin(), first_of_.end() - 1);
  for (uint32_t i = 0; i < table.size(); ++i) {
    if (choice.has(i)) executions_[next[table.queue[i]]++] = i;
  }
  // One stream executes in order, and is mostly recorded in order.
  const auto earlier = [&](uint32_t a, uint32_t b) { return key_of(trace_, a) < key_of(trace_, b); };
  for (size_t i = 0; i + 1 < first_of_.size(); ++i) {
    const auto begin = executions_.begin() + static_cast<ptrdiff_t>(first_of_[i]);
    const auto end = executions_.begin() + static_cast<ptrdiff_t>(first_of_[i + 1]);
    if (!std::is_sorted(begin, end, earlier)) std::sort(begin, end, earlier);
  }
}

std::vector<uint32_t> QueuedWork::merged(std::span<const uint32_t> queues) const {
  std::vector<Source> waiting;  // a heap, the earliest head in front
  size_t count = 0;
  for (const uint32_t queue : queues) {
    const auto work = of(queue);
    count += work.size();
    if (!work.empty()) waiting.push_back({key_of(trace_, work[0]), work.data() + 1, work.data() + work.size()});
  }
  const auto later = [](const Source& a, const Source& b) { return b.head < a.head; };
  std::make_heap(waiting.begin(), waiting.end(), later);
  std::vector<uint32_t> merged;
  merged.reserve(count);
  while (!waiting.empty()) {
    std::pop_heap(waiting.begin(), waiting.end(), later);
    Source& source = waiting.back();
    const Key* const other = waiting.size() > 1 ? &waiting.front().head : nullptr;
    bool has_more = true;
    while (has_more && (other == nullptr || source.head < *other)) {
      merged.push_back(source.head.execution);
      has_more = source.next != source.end;
      if (has_more) source.head = key_of(trace_, *source.next++);
    }
    if (has_more) {
      std::push_heap(waiting.begin(), waiting.end(), later);
    } else {
      waiting.pop_back();
    }
  }
  return merged;
}

std::vector<uint32_t> queues_of(const Trace& trace, uint32_t process) {
  std::vector<uint32_t> queues;
  for (uint32_t i = 0; i < trace.queues.size(); ++i) {
    if (trace.queues[i].process == process) queues.push_back(i);
  }
  return queues;
}

ExecutionOrder execution_order(const Trace& trace, uint32_t process) {
  const Choice choice(trace, process);
  ExecutionOrder order;
  bool is_ordered = true;
  bool is_adjacent = true;
  Key last{};
  for (uint32_t i = 0; i < trace.executions.size(); ++i) {
    if (!choice.has(i)) continue;
    const Key key = key_of(trace, i);
    if (order.count == 0) order.first = i;
    is_ordered &= order.count == 0 || last < key;
    is_adjacent &= i == order.first + order.count;
    last = key;
    ++order.count;
  }
  if (is_ordered && is_adjacent) return order;
  if (!is_ordered) {
    order.executions = QueuedWork(trace, process).merged(queues_of(trace, process));
    return order;
  }
  order.executions.reserve(order.count);
  for (uint32_t i = order.first; i < trace.executions.size(); ++i) {
    if (choice.has(i)) order.executions.push_back(i);
  }
  return order;
}

}  // namespace xsp::analysis

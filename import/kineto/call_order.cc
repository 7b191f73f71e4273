#include "import/kineto/call_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace xsp::kineto {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

void CallOrder::add(const ProfilerEvent& event, Category category, uint32_t thread, uint32_t number) {
  switch (category) {
    case Category::kOperator:
    case Category::kAnnotation:
      if (event.external.is_known) operators_.push_back({event.external.value, thread, number});
      break;
    case Category::kRuntimeCall:
    case Category::kDriverCall:
      // Some versions write the correlation id in its place.
      if (event.external.is_known && event.correlation.is_known && event.external.value != event.correlation.value) {
        calls_.push_back({event.external.value, event.correlation.value, thread, number});
      }
      break;
    case Category::kPythonFunction:
      if (event.python.is_known) {
        functions_.push_back({event.python.value, event.python_parent.or_else(0), thread, number});
      }
      break;
    default:
      break;
  }
}

void CallOrder::clear() {
  operators_ = {};
  calls_ = {};
  functions_ = {};
}

bool CallOrder::holds(const ImportedSpan& outer, const ImportedSpan& inner) const {
  return outer.begin_ns <= inner.begin_ns && inner.begin_ns <= outer.end_ns + resolution_ &&
         inner.end_ns <= outer.end_ns + resolution_;
}

/// By thread and order of begin, without threads whose ids and times contradict each other.
std::vector<CallOrder::Range> CallOrder::sort_operators() {
  std::sort(operators_.begin(), operators_.end(), [](const Operator& a, const Operator& b) {
    return std::tie(a.thread, a.external, a.span) < std::tie(b.thread, b.external, b.span);
  });
  std::vector<Range> ranges;
  for (size_t begin = 0, end = 0; begin < operators_.size(); begin = end) {
    bool is_in_order = true;
    for (end = begin + 1; end < operators_.size() && operators_[end].thread == operators_[begin].thread; ++end) {
      const Operator& last = operators_[end - 1];
      const Operator& next = operators_[end];
      is_in_order &= last.external != next.external &&
                     span_of(last.thread, last.span).begin_ns <= span_of(next.thread, next.span).begin_ns;
    }
    if (is_in_order) ranges.emplace_back(begin, end);
  }
  return ranges;
}

/// Calls `found(outer, inner, Place)` wherever the times settle it, and asks `decide(outer, inner)` whether one is in
/// the other wherever they do not. Then calls `found.around(inner, outer)` with places in operators_; kNone: nothing is
/// around it.
template <typename Decide, typename Found>
void CallOrder::nest(Range range, Decide&& decide, Found&& found) {
  std::vector<uint32_t> open;
  for (size_t place = range.first; place < range.second; ++place) {
    const ImportedSpan& inner = span_of(operators_[place].thread, operators_[place].span);
    while (!open.empty()) {
      const ImportedSpan& outer = span_of(operators_[open.back()].thread, operators_[open.back()].span);
      const bool can_hold = inner.end_ns - outer.end_ns <= resolution_;
      if (outer.end_ns > inner.begin_ns) {
        if (can_hold) {
          found(open.back(), place, true);
          break;
        }
      } else if (!can_hold || outer.end_ns < inner.begin_ns - resolution_) {
        found(open.back(), place, false);
      } else if (decide(open.back(), place)) {
        break;
      }
      open.pop_back();
    }
    found.around(place, open.empty() ? kNone : open.back());
    open.push_back(static_cast<uint32_t>(place));
  }
}

uint64_t CallOrder::names_of(const Operator& outer, const Operator& inner) {
  return uint64_t{span_of(outer.thread, outer.span).name} << 32 | span_of(inner.thread, inner.span).name;
}

void CallOrder::learn(Range range) {
  struct Learning {
    CallOrder& order;
    void operator()(size_t outer, size_t inner, bool is_inside) {
      Seen& seen = order.seen_[order.names_of(order.operators_[outer], order.operators_[inner])];
      ++(is_inside ? seen.inside : seen.behind);
    }
    void around(size_t, uint32_t) {}
  };
  nest(
      range, [](size_t, size_t) { return false; }, Learning{*this});
}

void CallOrder::tell_operators(Range range) {
  struct Telling {
    std::vector<uint32_t> callers;
    void operator()(size_t, size_t, bool) {}
    void around(size_t, uint32_t outer) { callers.push_back(outer); }
  };
  const auto is_inside = [&](size_t outer, size_t inner) {
    const auto seen = seen_.find(names_of(operators_[outer], operators_[inner]));
    if (seen != seen_.end()) return seen->second.inside > seen->second.behind;
    const ImportedSpan& span = span_of(operators_[inner].thread, operators_[inner].span);
    return span.end_ns == span_of(operators_[outer].thread, operators_[outer].span).end_ns;
  };
  Telling telling;
  nest(range, is_inside, telling);

  /// An operator, or a call in it.
  struct Told {
    int64_t external;
    int64_t correlation;
    uint32_t span;
    uint32_t caller;  // a span; kNone
    bool is_operator;
  };
  const uint32_t thread = operators_[range.first].thread;
  std::vector<Told> told;
  for (size_t place = range.first; place < range.second; ++place) {
    const uint32_t caller = telling.callers[place - range.first];
    told.push_back({operators_[place].external, 0, operators_[place].span,
                    caller == kNone ? kNone : operators_[caller].span, true});
  }
  const size_t operators = told.size();
  const auto first_call = std::lower_bound(calls_.begin(), calls_.end(), thread,
                                           [](const Call& call, uint32_t of) { return call.thread < of; });
  for (auto call = first_call; call != calls_.end() && call->thread == thread; ++call) {
    const auto end = told.begin() + static_cast<ptrdiff_t>(operators);
    const auto around = std::lower_bound(told.begin(), end, call->external,
                                         [](const Told& op, int64_t external) { return op.external < external; });
    if (around == end || around->external != call->external) continue;
    const uint32_t caller = around->span;
    if (!holds(span_of(thread, caller), span_of(thread, call->span))) continue;
    told.push_back({call->external, call->correlation, call->span, caller, false});
  }
  std::sort(told.begin(), told.end(), [](const Told& a, const Told& b) {
    return std::tuple(a.external, !a.is_operator, a.correlation, a.span) <
           std::tuple(b.external, !b.is_operator, b.correlation, b.span);
  });
  const HostThread& host = threads_->thread(thread);
  uint32_t turn = 0;
  for (const Told& span : told) {
    host.host->process.set_call({host.index, span.span}, ++turn, span.caller == kNone ? 0 : span.caller + 1);
  }
}

void CallOrder::tell_functions() {
  std::sort(functions_.begin(), functions_.end(), [](const Function& a, const Function& b) {
    return std::tie(a.id, a.thread, a.span) < std::tie(b.id, b.thread, b.span);
  });
  const auto same_id = [](const Function& a, const Function& b) { return a.id == b.id; };
  // Ids cannot be told apart by process.
  if (std::adjacent_find(functions_.begin(), functions_.end(), same_id) != functions_.end()) return;
  uint32_t turn = 0;
  for (const Function& function : functions_) {
    const auto parent = std::lower_bound(functions_.begin(), functions_.end(), function.parent,
                                         [](const Function& of, int64_t id) { return of.id < id; });
    uint32_t caller = 0;
    if (parent != functions_.end() && parent->id == function.parent && parent->thread == function.thread &&
        holds(span_of(parent->thread, parent->span), span_of(function.thread, function.span))) {
      caller = parent->span + 1;
    }
    const HostThread& host = threads_->thread(function.thread);
    host.host->process.set_call({host.index, function.span}, ++turn, caller);
  }
}

void CallOrder::tell(int64_t resolution) {
  resolution_ = resolution;
  const std::vector<Range> ranges = sort_operators();
  std::sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) { return a.thread < b.thread; });
  for (uint32_t process = 0; process < threads_->processes().size(); ++process) {
    seen_.clear();
    const auto is_of_process = [&](const Range& range) {
      return threads_->thread(operators_[range.first].thread).process == process;
    };
    for (const Range& range : ranges) {
      if (is_of_process(range)) learn(range);
    }
    for (const Range& range : ranges) {
      if (is_of_process(range)) tell_operators(range);
    }
  }
  tell_functions();
  clear();
}

}  // namespace xsp::kineto

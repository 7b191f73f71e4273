#include "analysis/timeline/library_calls.h"

#include <algorithm>

#include "analysis/timeline/surroundings.h"

namespace xsp::analysis {
namespace {

class Search {
 public:
  Search(const Trace& trace, const Parents& parents, const Evaluations& evaluations, Level level)
      : trace_(trace),
        spans_(trace.spans),
        parents_(parents),
        evaluations_(evaluations),
        level_(level),
        around_(trace, parents, evaluations) {}

  LibraryCalls run(const Executions& executions, bool across_evaluations) {
    add_calls();
    number_of_.assign(spans_.size(), kNoCall);
    for (uint32_t i = 0; i < found_.calls.size(); ++i) number_of_[found_.calls[i].row] = i;
    for (LibraryCall& call : found_.calls) place(call);
    for (const LibraryCall& call : found_.calls) {
      if (call.enclosing != kNoCall) found_.calls[call.enclosing].self_ns -= spans_.duration(call.row);
    }
    for (LibraryCall& call : found_.calls) call.self_ns = std::max<int64_t>(call.self_ns, 0);
    if (trace_.executions.size() != 0) add_kernels(executions, across_evaluations);
    return std::move(found_);
  }

 private:
  bool is_call(Row row) const {
    return level_ == Level::kLibrary ? is_library_call(spans_, row) : spans_.level[row] == level_;
  }

  void add_calls() {
    struct Begun {
      int64_t begin;
      Row row;
    };
    std::vector<Begun> begun;
    begun.reserve(static_cast<size_t>(std::count(spans_.level.begin(), spans_.level.end(), level_)));
    for (Row row = 0; row < spans_.size(); ++row) {
      if (is_call(row)) begun.push_back({spans_.begin[row], row});
    }
    // A call that encloses another one begins before it, or with it and ends behind it, and is recorded later.
    const auto before = [&](const Begun& a, const Begun& b) {
      if (a.begin != b.begin) return a.begin < b.begin;
      return spans_.end[a.row] != spans_.end[b.row] ? spans_.end[a.row] > spans_.end[b.row] : a.row > b.row;
    };
    if (!std::is_sorted(begun.begin(), begun.end(), before)) std::sort(begun.begin(), begun.end(), before);
    found_.calls.reserve(begun.size());
    for (const Begun& call : begun) {
      found_.calls.push_back({.row = call.row, .self_ns = spans_.duration(call.row)});
    }
  }

  void place(LibraryCall& call) {
    const Row outer = parents_.of[call.row];
    const bool is_layer = spans_.level[call.row] == Level::kLayer;
    if (outer == kNoRow && !is_layer) return;
    const Surroundings& around = around_.of(is_layer ? call.row : outer);
    call.layer = around.layer;
    call.layer_ordinal = around.layer_ordinal;
    call.evaluation = around.evaluation;
    call.backward = around.backward;
    if (outer == kNoRow) return;
    if (outer != last_outer_) last_enclosing_ = innermost_call(outer);
    last_outer_ = outer;
    call.enclosing = last_enclosing_;
  }

  /// The innermost call around a span and itself.
  uint32_t innermost_call(Row row) const {
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (is_call(row)) return number_of_[row];
    }
    return kNoCall;
  }

  void add_kernels(const Executions& executions, bool across_evaluations) {
    found_.kernels.resize(found_.calls.size());
    found_.kernel_ns_of.resize(evaluations_.root.size());
    for (uint32_t i = 0; i < executions.placed.size(); ++i) {
      const Row row = trace_.executions.row[i];
      if (spans_.kind[row] != Kind::kKernel) continue;
      const PlacedExecution& placed = executions.placed[i];
      const int64_t ns = spans_.duration(row);
      found_.kernel_ns += ns;
      if (placed.evaluation != kNoEvaluation) found_.kernel_ns_of[placed.evaluation] += ns;
      if (level_ == Level::kLibrary && placed.library_call == kNoRow) continue;
      uint32_t call = level_ == Level::kLibrary ? innermost_call(placed.capture) : kNoCall;
      if (call == kNoCall) call = innermost_call(placed.launch);
      for (int depth = 0; call != kNoCall && depth < kMaxDepth; ++depth, call = found_.calls[call].enclosing) {
        if (!across_evaluations && found_.calls[call].evaluation != placed.evaluation) continue;
        found_.kernels[call].ns += ns;
        ++found_.kernels[call].count;
      }
    }
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  Level level_;
  SurroundingsSearch around_;
  Row last_outer_ = kNoRow;
  uint32_t last_enclosing_ = kNoCall;
  std::vector<uint32_t> number_of_;  // by row, of calls
  LibraryCalls found_;
};

}  // namespace

LibraryCalls find_library_calls(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                                const Executions& executions, Level level, bool across_evaluations) {
  const SpanTable& spans = trace.spans;
  Row first = 0;
  const auto is_call = [&](Row row) {
    return spans.level[row] == level || (level == Level::kLibrary && is_library_call(spans, row));
  };
  while (first < spans.size() && !is_call(first)) ++first;
  if (first == spans.size()) return {};
  return Search(trace, parents, evaluations, level).run(executions, across_evaluations);
}

}  // namespace xsp::analysis

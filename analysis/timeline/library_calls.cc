#include "analysis/timeline/library_calls.h"

#include <algorithm>

namespace xsp::analysis {
namespace {

/// Damaged input could chain spans without end; real nesting stays far below this.
constexpr int kMaxDepth = 1000;

/// Calls `visit(row)` for the spans around `row`, inner ones first, until it returns false.
template <typename Visit>
void for_each_ancestor(const Parents& parents, Row row, Visit&& visit) {
  row = parents.of[row];
  for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth) {
    if (!visit(row)) return;
    row = parents.of[row];
  }
}

class Search {
 public:
  Search(const Trace& trace, const Parents& parents, const Evaluations& evaluations, Level level)
      : trace_(trace), spans_(trace.spans), parents_(parents), evaluations_(evaluations), level_(level) {
    for (uint32_t i = 0; i < evaluations.root.size(); ++i) evaluation_of_[evaluations.root[i]] = i;
  }

  LibraryCalls run(const Executions& executions, bool across_evaluations) {
    std::vector<Row> rows;
    for (Row row = 0; row < spans_.size(); ++row) {
      if (spans_.level[row] == level_) rows.push_back(row);
    }
    // A call that encloses another one begins before it, or with it and ends behind it, and is recorded later.
    const auto before = [&](Row a, Row b) {
      if (spans_.begin[a] != spans_.begin[b]) return spans_.begin[a] < spans_.begin[b];
      return spans_.end[a] != spans_.end[b] ? spans_.end[a] > spans_.end[b] : a > b;
    };
    std::sort(rows.begin(), rows.end(), before);
    found_.calls.resize(rows.size());
    number_of_.assign(spans_.size(), kNoCall);
    for (uint32_t i = 0; i < rows.size(); ++i) {
      number_of_[rows[i]] = i;
      found_.calls[i].row = rows[i];
      found_.calls[i].self_ns = spans_.duration(rows[i]);
    }
    for (LibraryCall& call : found_.calls) place(call);
    for (const LibraryCall& call : found_.calls) {
      if (call.enclosing != kNoCall) found_.calls[call.enclosing].self_ns -= spans_.duration(call.row);
    }
    for (LibraryCall& call : found_.calls) call.self_ns = std::max<int64_t>(call.self_ns, 0);
    if (trace_.executions.size() != 0) add_kernels(executions, across_evaluations);
    return std::move(found_);
  }

 private:
  void place(LibraryCall& call) {
    Row outermost_model = kNoRow;
    std::vector<Row> layers;
    for_each_ancestor(parents_, call.row, [&](Row row) {
      if (spans_.level[row] == level_ && call.enclosing == kNoCall) {
        call.enclosing = number_of_[row];
      }
      if (spans_.level[row] == Level::kLayer) layers.push_back(row);
      if (spans_.level[row] == Level::kModel) outermost_model = row;
      return true;
    });
    const auto evaluation = evaluation_of_.find(outermost_model);
    if (evaluation == evaluation_of_.end()) {
      if (!layers.empty() && spans_.kind[layers.front()] != Kind::kTorchContainer) call.layer = layers.front();
      return;
    }
    call.evaluation = evaluation->second;
    for (const Row layer : layers) {
      const uint32_t ordinal = ordinal_of(call.evaluation, layer);
      if (ordinal == UINT32_MAX) continue;
      call.layer = layer;
      call.layer_ordinal = ordinal;
      return;
    }
  }

  /// Containers have none.
  uint32_t ordinal_of(uint32_t evaluation, Row layer) const {
    const auto begin = evaluations_.layers.begin() + static_cast<ptrdiff_t>(evaluations_.first_layer[evaluation]);
    const auto end = evaluations_.layers.begin() + static_cast<ptrdiff_t>(evaluations_.first_layer[evaluation + 1]);
    const auto earlier = [&](Row a, Row b) {
      return spans_.begin[a] != spans_.begin[b] ? spans_.begin[a] < spans_.begin[b] : a < b;
    };
    const auto found = std::lower_bound(begin, end, layer, earlier);
    return found != end && *found == layer ? static_cast<uint32_t>(found - begin) : UINT32_MAX;
  }

  void add_kernels(const Executions& executions, bool across_evaluations) {
    found_.kernels.resize(found_.calls.size());
    for (uint32_t i = 0; i < executions.placed.size(); ++i) {
      const Row row = trace_.executions.row[i];
      if (spans_.kind[row] != Kind::kKernel) continue;
      const PlacedExecution& placed = executions.placed[i];
      const int64_t ns = spans_.duration(row);
      found_.kernel_ns += ns;
      if (placed.evaluation != kNoEvaluation) found_.kernel_ns_of[placed.evaluation] += ns;
      const auto count = [&](uint32_t number) {
        if (!across_evaluations && found_.calls[number].evaluation != placed.evaluation) return;
        found_.kernels[number].ns += ns;
        ++found_.kernels[number].count;
      };
      if (level_ == Level::kLibrary && placed.library_call == kNoRow) continue;
      const bool captured = level_ == Level::kLibrary && for_each_call(placed.capture, count);
      if (!captured) for_each_call(placed.launch, count);
    }
  }

  /// The calls around a span and itself, inner ones first. False when there is none.
  template <typename Visit>
  bool for_each_call(Row row, Visit&& visit) const {
    bool found = false;
    for (int depth = 0; row != kNoRow && depth < kMaxDepth; ++depth, row = parents_.of[row]) {
      if (spans_.level[row] != level_) continue;
      visit(number_of_[row]);
      found = true;
    }
    return found;
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  Level level_;
  std::unordered_map<Row, uint32_t> evaluation_of_;
  std::vector<uint32_t> number_of_;  // by row, of calls
  LibraryCalls found_;
};

}  // namespace

LibraryCalls find_library_calls(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                                const Executions& executions, Level level, bool across_evaluations) {
  const auto& levels = trace.spans.level;
  if (std::find(levels.begin(), levels.end(), level) == levels.end()) return {};
  return Search(trace, parents, evaluations, level).run(executions, across_evaluations);
}

}  // namespace xsp::analysis

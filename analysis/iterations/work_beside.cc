#include "analysis/iterations/work_beside.h"

#include <utility>

#include "analysis/timeline/phase_names.h"

namespace xsp::analysis {
namespace {

/// What frameworks and libraries do, at whatever level it was recorded.
bool is_work_of_host(const SpanTable& spans, Row row) {
  switch (spans.kind[row]) {
    case Kind::kTorchModule:
    case Kind::kTorchScript:
    case Kind::kOrtNode:
    case Kind::kLibraryCall:
    case Kind::kOperator:
      return spans.level[row] != Level::kDevice;
    default:
      return spans.level[row] == Level::kLayer;
  }
}

class Search {
 public:
  Search(const Trace& trace, const Parents& parents, const Evaluations& evaluations, const Operations& operations)
      : trace_(trace),
        spans_(trace.spans),
        parents_(parents),
        evaluations_(evaluations),
        operations_(operations),
        thread_(trace.tracks[trace.spans.track[operations.rows.front()]].thread),
        phases_(trace) {}

  TimeIntervals run() {
    TimeIntervals work;
    TimeIntervals loading;
    for (Row row = 0; row < spans_.size(); ++row) {
      const Track& track = trace_.tracks[spans_.track[row]];
      if (track.process != operations_.process) continue;
      const bool is_here = track.thread == thread_;
      if (phases_.loads_data(row)) {
        if (is_here) loading.push_back({spans_.begin[row], spans_.end[row]});
      } else if (is_work_of_host(spans_, row) && !is_covered(row) && (is_here || phases_.is_backward(parents_, row))) {
        work.push_back({spans_.begin[row], spans_.end[row]});
      }
    }
    return without(united(std::move(work)), united(std::move(loading)));
  }

 private:
  /// Operations are counted as such, and what lies within other work runs with it: in most traces that is nearly all.
  bool is_covered(Row row) const {
    if (is_operation(row)) return true;
    const Row parent = parents_.of[row];
    return parent != kNoRow && is_work_of_host(spans_, parent) && spans_.begin[parent] <= spans_.begin[row] &&
           spans_.end[row] <= spans_.end[parent];
  }

  bool is_operation(Row row) const {
    if (operations_.source == OperationSource::kLibrary) return spans_.kind[row] == Kind::kLibraryCall;
    const bool is_layer = row < evaluations_.number.size() && evaluations_.number[row] != kNoNumber;
    return is_layer && trace_.tracks[spans_.track[row]].thread == thread_;
  }

  const Trace& trace_;
  const SpanTable& spans_;
  const Parents& parents_;
  const Evaluations& evaluations_;
  const Operations& operations_;
  const uint32_t thread_;
  PhaseNames phases_;
};

}  // namespace

TimeIntervals work_beside(const Trace& trace, const Parents& parents, const Evaluations& evaluations,
                          const Operations& operations) {
  const bool is_of_host =
      operations.source == OperationSource::kLayer || operations.source == OperationSource::kLibrary;
  if (!is_of_host || operations.rows.empty()) return {};
  return Search(trace, parents, evaluations, operations).run();
}

}  // namespace xsp::analysis

#include "analysis/iterations/work_beside.h"

#include <utility>

#include "analysis/timeline/phase_names.h"

namespace xsp::analysis {
namespace {

constexpr std::string_view kLoader = "DataLoader";

/// What frameworks and libraries do, at whichever level it was left.
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

}  // namespace

TimeIntervals work_beside(const Trace& trace, const Parents& parents, const Operations& operations) {
  const bool is_of_host =
      operations.source == OperationSource::kLayer || operations.source == OperationSource::kLibrary;
  if (!is_of_host || operations.rows.empty()) return {};
  const SpanTable& spans = trace.spans;
  const uint32_t thread = trace.tracks[spans.track[operations.rows.front()]].thread;
  PhaseNames phases(trace);
  TimeIntervals work;
  TimeIntervals loading;
  for (Row row = 0; row < spans.size(); ++row) {
    const Track& track = trace.tracks[spans.track[row]];
    if (track.process != operations.process) continue;
    const PhaseName* phase = phases.of(row);
    // Layers have lost the name by which PhaseNames knows them.
    const bool loads = (phase != nullptr && phase->type == kLoader) || trace.text(spans.type[row]) == kLoader;
    if (loads && track.thread == thread) loading.push_back({spans.begin[row], spans.end[row]});
    if (loads || !is_work_of_host(spans, row)) continue;
    if (track.thread == thread || phases.is_backward(parents, row)) work.push_back({spans.begin[row], spans.end[row]});
  }
  return without(united(std::move(work)), united(std::move(loading)));
}

}  // namespace xsp::analysis

#include "analysis/lanes/timeline_lanes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace xsp::analysis {
namespace {

constexpr uint32_t kNoLane = UINT32_MAX;

bool is_in_layer(const Trace& trace, const Parents& parents, Row row) {
  constexpr int kMostAround = 64;
  for (int depth = 0; row != kNoRow && depth < kMostAround; ++depth, row = parents.of[row]) {
    if (trace.spans.level[row] == Level::kLayer) return true;
  }
  return false;
}

/// What was left at the level of the application because it stands for nothing in the tables.
LaneKind kind_without_role(const Trace& trace, const Parents& parents, Row row) {
  switch (trace.spans.kind[row]) {
    case Kind::kPythonFunction:
      return LaneKind::kPython;
    case Kind::kOperator:
      return LaneKind::kOperator;
    case Kind::kTorchModule:
    case Kind::kTorchContainer:
    case Kind::kTorchRoot:
    case Kind::kTorchScript:
    case Kind::kTorchConstruction:
      return LaneKind::kModule;
    default:
      return is_in_layer(trace, parents, row) ? LaneKind::kOperator : LaneKind::kApplication;
  }
}

}  // namespace

TimelineLanes::TimelineLanes(const AnalysedTrace& analysed)
    : trace_(analysed.trace), parents_(analysed.parents), evaluations_(analysed.evaluations) {
  number_threads();
  number_streams();
  order_lanes();
}

LaneKind TimelineLanes::kind_of(Row row) const {
  switch (trace_.spans.level[row]) {
    case Level::kModel:
      return LaneKind::kModel;
    case Level::kLayer:
      return evaluations_.number[row] == kNoNumber ? LaneKind::kModule : LaneKind::kLayer;
    case Level::kLibrary:
      return LaneKind::kLibrary;
    case Level::kRuntime:
      return LaneKind::kRuntime;
    case Level::kDevice: {
      const Kind kind = trace_.spans.kind[row];
      return is_work(kind) ? LaneKind::kStream : LaneKind::kStreamOther;
    }
    case Level::kApplication:
    case Level::kUnspecified:
      break;
  }
  return kind_without_role(trace_, parents_, row);
}

size_t TimelineLanes::place_of(Row row, size_t* execution) const {
  const std::vector<Row>& rows = trace_.executions.row;
  uint32_t place = thread_of_track_[trace_.spans.track[row]];
  if (*execution < rows.size() && rows[*execution] == row) {
    place = stream_of_queue_[trace_.executions.queue[*execution]];
    ++*execution;
  }
  return place * kLaneKinds + static_cast<size_t>(kind_of(row));
}

void TimelineLanes::number_threads() {
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;
  for (const Track& track : trace_.tracks) {
    const auto [found, added] =
        numbers.try_emplace({track.process, track.thread}, static_cast<uint32_t>(places_.size()));
    if (added) places_.push_back({.process = track.process, .thread = track.thread});
    thread_of_track_.push_back(found->second);
  }
}

/// Contexts share a stream's lane: what overlaps gets rows.
void TimelineLanes::number_streams() {
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> numbers;
  for (const Queue& queue : trace_.queues) {
    const auto [found, added] =
        numbers.try_emplace({queue.process, queue.device, queue.stream}, static_cast<uint32_t>(places_.size()));
    if (added) places_.push_back({.process = queue.process, .device = queue.device, .stream = queue.stream});
    stream_of_queue_.push_back(found->second);
  }
}

void TimelineLanes::order_lanes() {
  const auto threads = static_cast<uint32_t>(
      thread_of_track_.empty() ? 0 : *std::max_element(thread_of_track_.begin(), thread_of_track_.end()) + 1);
  std::vector<Lane> all(places_.size() * kLaneKinds);
  std::vector<int64_t> first(places_.size(), INT64_MAX);
  size_t execution = 0;
  for (Row row = 0; row < trace_.spans.size(); ++row) {
    const size_t place = place_of(row, &execution);
    ++all[place].spans;
    all[place].ns = sum_of_times(all[place].ns, trace_.spans.duration(row));
    first[place / kLaneKinds] = std::min(first[place / kLaneKinds], trace_.spans.begin[row]);
  }
  const auto order = [&](uint32_t place) {
    const Lane& lane = places_[place];
    const bool is_stream = place >= threads;
    return std::tuple(trace_.processes[lane.process].segment, lane.process, is_stream, is_stream ? 0 : first[place],
                      lane.device, lane.stream, place);
  };
  std::vector<uint32_t> places(places_.size());
  std::iota(places.begin(), places.end(), 0u);
  std::sort(places.begin(), places.end(), [&](uint32_t a, uint32_t b) { return order(a) < order(b); });
  lane_of_.assign(all.size(), kNoLane);
  for (const uint32_t place : places) {
    for (size_t kind = 0; kind < kLaneKinds; ++kind) {
      const size_t i = place * kLaneKinds + kind;
      if (all[i].spans == 0) continue;
      lane_of_[i] = static_cast<uint32_t>(lanes_.size());
      Lane& lane = lanes_.emplace_back(places_[place]);
      lane.kind = static_cast<LaneKind>(kind);
      lane.spans = all[i].spans;
      lane.ns = all[i].ns;
    }
  }
}

}  // namespace xsp::analysis

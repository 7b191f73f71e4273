#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/trace/level.h"

namespace xsp::analysis {

/// Index of a span in a SpanTable.
using Row = uint32_t;
inline constexpr Row kNoRow = UINT32_MAX;

/// The spans of all traces as columns (struct of arrays): 10 M spans take about 600 MB. Strings are ids of the
/// trace's StringTable. Rows of one ring stand in order of their end, as recorded; nothing is sorted.
struct SpanTable {
  static constexpr uint64_t kUnknownBytes = UINT64_MAX;
  static constexpr uint32_t kNoArguments = UINT32_MAX;

  std::vector<int64_t> begin;  // ns of CLOCK_MONOTONIC
  std::vector<int64_t> end;
  std::vector<uint64_t> bytes;  // allocated during the span, or kUnknownBytes
  std::vector<uint32_t> name;
  std::vector<uint32_t> type;
  std::vector<uint32_t> shape;
  std::vector<uint32_t> input;
  std::vector<uint32_t> scope;
  std::vector<uint32_t> track;   // index of Trace::tracks: process, thread and ring
  std::vector<uint32_t> id;      // counted per (process, ring); 0: none
  std::vector<uint32_t> parent;  // id of the explicit parent on the same ring; 0: none
  std::vector<Level> level;
  std::vector<Kind> kind;
  std::vector<uint8_t> failed;  // 1: ended by an exception; as long as the last batch that says so, see has_failed

  std::vector<uint8_t> shallow;  // 1: an outermost model call that was not sampled, nothing in it is recorded; likewise

  std::vector<uint32_t> arguments;  // entry of Trace::arguments + 1, 0: none; as long as the last span that has some

  std::vector<uint64_t> correlation;  // of a call of the CUDA API; 0: none; as long as the last batch that has some

  /// Of backward work the forward span of its process: (ring + 1) << 32 | id; 0: none; as long as the last batch that
  /// has some.
  std::vector<uint64_t> forward;

  size_t size() const { return begin.size(); }
  bool has_failed(Row row) const { return row < failed.size() && failed[row] != 0; }
  bool is_shallow(Row row) const { return row < shallow.size() && shallow[row] != 0; }
  uint32_t arguments_of(Row row) const { return row < arguments.size() ? arguments[row] - 1 : kNoArguments; }
  uint64_t forward_of(Row row) const { return row < forward.size() ? forward[row] : 0; }
  uint64_t correlation_of(Row row) const { return row < correlation.size() ? correlation[row] : 0; }
  int64_t duration(Row row) const { return end[row] - begin[row]; }

  /// Grows with zeros or cuts off; an absent column of a batch is all zeros.
  void resize(size_t rows) {
    begin.resize(rows);
    end.resize(rows);
    bytes.resize(rows);
    for (auto* column : {&name, &type, &shape, &input, &scope, &track, &id, &parent}) column->resize(rows);
    level.resize(rows);
    kind.resize(rows);
    if (failed.size() > rows) failed.resize(rows);
    if (shallow.size() > rows) shallow.resize(rows);
    if (arguments.size() > rows) arguments.resize(rows);
    if (correlation.size() > rows) correlation.resize(rows);
    if (forward.size() > rows) forward.resize(rows);
  }
};

/// A call into a compute library, also where it stands for a layer.
inline bool is_library_call(const SpanTable& spans, Row row) {
  return spans.level[row] == Level::kLibrary ||
         (spans.level[row] == Level::kLayer && spans.kind[row] == Kind::kLibraryCall);
}

}  // namespace xsp::analysis

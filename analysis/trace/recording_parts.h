#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xsp::analysis {

/// TracePart of trace.proto: which file of a recording that is kept in several.
struct TracePart {
  std::string recording;  // the same in all of them
  uint32_t index = 0;     // from 1
};

/// A part that was loaded.
struct LoadedPart {
  uint32_t index = 0;
  uint32_t file = 0;       // of Trace::files
  int64_t begin_ns = 0;    // CLOCK_MONOTONIC; 0: not told
  int64_t end_ns = 0;      // likewise; 0: it has no end
  bool ended = false;      // else it is being recorded, or was cut off
  bool complete = false;   // of an ended one: it was not stopped early
  std::string end_reason;  // why it was
  uint64_t announced_spans = 0;
  uint64_t spans = 0;  // loaded
};

/// The parts of a recording that are in the input.
struct RecordingParts {
  std::string recording;
  std::vector<LoadedPart> parts;  // in order of index
  uint32_t first_index = 1;       // of the recording: another one may have been in the folder before
  uint32_t given_twice = 0;       // files of a part that was there before: left out
  uint32_t not_asked_for = 0;     // parts that --last leaves out

  uint32_t last_index() const { return parts.empty() ? 0 : parts.back().index; }
  /// Parts before the first that is there: removed to keep within --max-size, or not given.
  uint32_t missing_before() const {
    return parts.empty() ? 0 : parts.front().index - std::min(parts.front().index, first_index);
  }
  /// Parts that the recording has had.
  uint32_t known() const { return parts.empty() ? 0 : last_index() - std::min(last_index(), first_index) + 1; }
  /// Parts between those that are there: lost, or not given.
  uint64_t missing_between() const {
    return parts.empty() ? 0 : uint64_t{last_index()} - parts.front().index + 1 - parts.size();
  }
};

}  // namespace xsp::analysis

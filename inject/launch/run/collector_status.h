#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace xsp::launch {

/// What a private collector says about the trace it wrote: one line of JSON on its status pipe.
struct CollectorStatus {
  struct Loss {
    std::string reason;
    uint64_t count = 0;
  };

  /// Processes that could not be recorded, for one of the reasons of proto/unrecorded.h.
  struct Unrecorded {
    std::string reason;
    uint64_t user = 0;
    uint64_t count = 0;
  };

  std::string output;
  uint64_t spans = 0;
  uint64_t dropped = 0;
  uint64_t processes = 0;
  uint64_t killed = 0;
  uint64_t bytes = 0;
  uint64_t not_stored = 0;  ///< spans that are counted only
  uint64_t parts = 0;       ///< of a continuous recording; 0: it is one file
  uint64_t removed_parts = 0;
  double overhead = -1;  ///< share of the CPU time, as the processes measured it; negative: not told
  bool complete = false;
  std::vector<std::string> notices;
  std::vector<Loss> losses;
  std::vector<Unrecorded> unrecorded;
  std::string error;  ///< empty: none
};

/// Nothing if `line` is not such a line.
std::optional<CollectorStatus> parse_collector_status(const std::string& line);

}  // namespace xsp::launch

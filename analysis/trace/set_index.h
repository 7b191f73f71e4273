#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "proto/set_index.h"

namespace xsp::analysis {

/// A run of a set as the index of its folder lists it.
struct IndexedRun {
  uint32_t index = 0;
  std::string trace;   // a file of the folder; empty: nothing was recorded
  std::string state;   // of doc/experiments.md
  std::string point;   // "batch=4 threads=2"; empty: none
  std::string ending;  // "exit status 1", "signal 9"; empty: not told

  bool is_done() const { return state == set_index::kRunIsDone; }
  bool is_out_of_memory() const { return state == set_index::kRunWasOutOfMemory; }
  bool is_dropped() const { return state == set_index::kRunIsDropped; }
  bool was_made() const { return !is_dropped() && state != set_index::kRunIsPlanned; }
};

/// set.json, as doc/experiments.md describes it.
struct SetIndex {
  std::string id;
  std::string stopped;                // why not all runs were made; empty: they were
  std::vector<IndexedRun> runs;       // in order of index
  std::vector<std::string> problems;  // "run 3: …"
};

/// Reads the text of an index, which may hold anything. The error says what the text is: damaged, of something else, of
/// a newer format.
Status parse_set_index(std::string_view text, SetIndex* index);

/// The same of a file.
Status read_set_index(const std::string& path, SetIndex* index);

}  // namespace xsp::analysis

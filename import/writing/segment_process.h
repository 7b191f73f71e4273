#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/writing/segment.h"
#include "proto/activity_columns.h"

namespace xsp {

/// What may have launched the executions of one process: its calls by correlation id, and what the tool reported.
class LaunchIndex {
 public:
  void add(uint32_t correlation, SpanReference launch) { launches_.push_back({correlation, launch}); }
  /// The tool reported the launch of an execution, by its number in the process.
  void tell(uint64_t execution, SpanReference launch) { told_.emplace_back(execution, launch); }
  /// Nothing more will come. The functions below may be called only then.
  void finish();

  bool has(uint32_t correlation) const;
  /// The only call with this id; ring 0: there is none, or several.
  SpanReference find(uint32_t correlation) const;
  /// Ring 0: the tool did not report it.
  SpanReference told(uint64_t execution) const;

  struct Launch {
    uint32_t correlation;
    SpanReference span;
  };
  const std::vector<Launch>& all() const { return launches_; }

 private:
  std::vector<Launch> launches_;                          // in order of their ids
  std::vector<std::pair<uint64_t, SpanReference>> told_;  // in order of the executions
};

/// One process of a segment: its description, its texts, and what was written of it. `imported` and `segment` are not
/// owned and must outlive this object.
class SegmentProcess {
 public:
  SegmentProcess(ImportedProcess& imported, Segment& segment) : imported_(imported), segment_(segment) {}

  ImportedProcess& imported() const { return imported_; }
  ImportedProcess::Contents& contents() const { return imported_.contents(); }
  /// Packet.process; 0: nothing of it was written.
  uint32_t number() const { return number_; }
  LaunchIndex& launches() { return launches_; }
  const LaunchIndex& launches() const { return launches_; }

  /// Writes its Hello, once, before anything else of the process.
  void begin();
  /// Writes the texts added since the last time, before anything that refers to them.
  void write_texts();
  void write(const ImportedDevice& device);
  /// Counts spans or executions that were written.
  void count(uint64_t spans) { spans_ += spans; }
  /// Writes what was lost of it, if anything of it was written.
  void write_loss() const;
  /// Writes its end, likewise.
  void end() const;

 private:
  ImportedProcess& imported_;
  Segment& segment_;
  LaunchIndex launches_;
  uint32_t number_ = 0;
  uint32_t texts_ = 0;  // number written
  uint64_t spans_ = 0;
};

}  // namespace xsp

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "import/frame/profile_timeline.h"
#include "import/writing/segment.h"
#include "proto/activity_columns.h"

namespace xsp {

/// What may have launched the executions of one process: its calls by their correlation ids, and what the tool told.
class LaunchIndex {
 public:
  void add(uint32_t correlation, SpanReference launch) { launches_.push_back({correlation, launch}); }
  /// The tool told the launch of an execution, by its number in the process.
  void tell(uint64_t execution, SpanReference launch) { told_.emplace_back(execution, launch); }
  /// No more will come. What is below may be asked only then.
  void finish();

  bool has(uint32_t correlation) const;
  /// The only call with this id; ring 0: there is none, or several.
  SpanReference find(uint32_t correlation) const;
  /// Ring 0: the tool did not tell it.
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

/// One process of a segment: what describes it, its texts, and what was written of it. `imported` and `segment` are not
/// owned and must live as long.
class SegmentProcess {
 public:
  SegmentProcess(ImportedProcess& imported, Segment& segment) : imported_(imported), segment_(segment) {}

  ImportedProcess& imported() const { return imported_; }
  ImportedProcess::Contents& contents() const { return imported_.contents(); }
  /// Packet.process; 0: nothing of it was written.
  uint32_t number() const { return number_; }
  LaunchIndex& launches() { return launches_; }
  const LaunchIndex& launches() const { return launches_; }

  /// Writes its Hello, once. It comes before anything else of the process.
  void begin();
  /// Writes the texts that it got since the last time. They come before what refers to them.
  void write_texts();
  void write(const ImportedDevice& device);
  /// Spans or executions were written.
  void count(uint64_t spans) { spans_ += spans; }
  /// Writes what is missing of it, if anything of it was written.
  void write_loss() const;
  /// Writes its end, likewise.
  void end() const;

 private:
  ImportedProcess& imported_;
  Segment& segment_;
  LaunchIndex launches_;
  uint32_t number_ = 0;
  uint32_t texts_ = 0;  // written
  uint64_t spans_ = 0;
};

}  // namespace xsp

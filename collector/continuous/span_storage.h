#pragma once

#include <cstddef>
#include <cstdint>

#include "collector/continuous/storage_budget.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

/// Decides which spans of all processes of a trace are stored. If nothing limits the trace, all are stored and none are
/// counted. Otherwise each is counted, and the budget decides which are also stored.
class SpanStorage {
 public:
  /// Called when spans start being stored, or stop being stored.
  class Listener {
   public:
    virtual void storage_changed() = 0;

   protected:
    ~Listener() = default;
  };

  /// Neither is owned; both must outlive this object.
  SpanStorage(TraceWriter& writer, Listener& listener) : writer_(writer), listener_(listener) {}

  /// Applies a budget from now on. `file_bytes`: limit of a trace that is one file; 0: none.
  void limit(uint64_t bytes_per_second, uint64_t file_bytes, uint64_t now_ns);
  /// The trace comes in parts, each of which begins with the counts of those before.
  void keep_totals() { keeps_totals_ = true; }

  /// `count` spans are about to come: decides what is stored up to `now_ns`.
  void expect(size_t count, uint64_t now_ns);
  /// Counts spans that were passed to the trace, or wait in memory for it.
  void add_kept(uint64_t spans) { kept_ += spans; }

  bool counts() const { return counts_; }
  bool keeps_totals() const { return keeps_totals_; }
  const StorageBudget& budget() const { return budget_; }
  TraceWriter& writer() const { return writer_; }

 private:
  TraceWriter& writer_;
  Listener& listener_;
  bool counts_ = false;
  bool keeps_totals_ = false;
  StorageBudget budget_;
  uint64_t kept_ = 0;
};

}  // namespace xsp

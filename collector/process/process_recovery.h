#pragma once

#include <cstdint>

#include "collector/process/process_activities.h"
#include "collector/process/process_clocks.h"
#include "collector/process/process_context.h"
#include "collector/process/process_libraries.h"
#include "collector/process/process_names.h"
#include "collector/process/process_rings.h"
#include "collector/process/process_spans.h"
#include "proto/shared_memory.h"

namespace xsp {

/// Takes what a process has left in its shared memory: names, unsent records, calls in progress, losses, libraries. The
/// parts passed to it are not owned; the context must have the memory.
///
///     const bool left_by_exit = ProcessRecovery(…).run(said_goodbye, now_ns);
class ProcessRecovery {
 public:
  ProcessRecovery(ProcessContext& context, ProcessNames& names, ProcessClocks& clocks, ProcessRings& rings,
                  ProcessActivities& activities, ProcessSpans& spans, ProcessLibraries& libraries)
      : context_(context),
        names_(names),
        clocks_(clocks),
        rings_(rings),
        activities_(activities),
        spans_(spans),
        libraries_(libraries) {}

  /// Returns whether the process left by _exit, which leaves a mark in the memory and sends nothing on the socket. Only
  /// a process that left neither that way nor with a goodbye (`said_goodbye`) has calls in progress.
  bool run(bool said_goodbye, uint64_t now_ns);

 private:
  void recover_records(uint32_t index, const shm::RingHeader& ring, uint32_t thread, uint64_t head, uint64_t now_ns);
  void recover_open_spans(uint32_t index, const shm::RingHeader& ring);
  void recover_losses();
  void count_unreadable();

  ProcessContext& context_;
  ProcessNames& names_;
  ProcessClocks& clocks_;
  ProcessRings& rings_;
  ProcessActivities& activities_;
  ProcessSpans& spans_;
  ProcessLibraries& libraries_;
  uint32_t overflows_ = 0;  // how many rings may still hold more than their own memory
};

}  // namespace xsp

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "collector/recording/scratch_folder.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

/// Processes that should have been recorded but could not be, grouped by reason and user. Anybody may connect, so there
/// are at most kMaxGroups; further users are counted with the last one.
class UnrecordedProcesses {
 public:
  struct Group {
    std::string reason;  ///< of proto/unrecorded.h
    uid_t user = 0;
    uint64_t processes = 0;
    pid_t last = 0;
  };

  /// Counts a connection of a process whose user may not send. Consecutive connections of one process count once.
  void refuse(uid_t user, pid_t process);
  /// Counts the notes left by processes that could not connect, and removes them.
  void take_notes(const ScratchFolder& scratch);

  const std::vector<Group>& groups() const { return groups_; }
  /// Writes a notice for each group, under the trace's own number.
  void write_notices(TraceWriter& writer) const;

 private:
  Group& group(const std::string& reason, uid_t user);

  static constexpr size_t kMaxGroups = 64;
  std::vector<Group> groups_;
};

}  // namespace xsp

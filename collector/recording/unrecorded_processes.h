#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "collector/recording/scratch_folder.h"
#include "collector/writing/trace_writer.h"

namespace xsp {

/// Processes that were to be recorded and could not be, in groups of the same reason and user. Anybody may connect, so
/// that there are at most kMaxGroups; further users are counted with the last one.
class UnrecordedProcesses {
 public:
  struct Group {
    std::string reason;  ///< of proto/unrecorded.h
    uid_t user = 0;
    uint64_t processes = 0;
    pid_t last = 0;
  };

  /// The connection of a process of a user who may not send. Connections of one process that follow each other count
  /// once.
  void refuse(uid_t user, pid_t process);
  /// Counts the notes of processes that could not connect, and removes them.
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

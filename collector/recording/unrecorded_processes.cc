#include "collector/recording/unrecorded_processes.h"

#include <algorithm>

#include <unistd.h>

#include "base/log.h"
#include "collector/writing/trace_fields.h"
#include "proto/trace_messages.h"
#include "proto/unrecorded.h"

namespace xsp {
namespace {

std::string notice_text(const UnrecordedProcesses::Group& group) {
  const std::string processes = std::to_string(group.processes) + (group.processes == 1 ? " process" : " processes");
  if (group.reason == unrecorded::kOtherUser) {
    return "not recorded: " + processes + " of uid " + std::to_string(group.user) +
           ": this recording covers one user; start xsp-run as that user";
  }
  return "not recorded: " + processes +
         ": no file descriptor left (XSP needs two); raise the limit first: ulimit -Sn \"$(ulimit -Hn)\"";
}

}  // namespace

UnrecordedProcesses::Group& UnrecordedProcesses::group(const std::string& reason, uid_t user) {
  const auto found = std::find_if(groups_.begin(), groups_.end(),
                                  [&](const Group& group) { return group.reason == reason && group.user == user; });
  if (found != groups_.end()) return *found;
  if (groups_.size() == kMaxGroups) return groups_.back();
  return groups_.emplace_back(Group{.reason = reason, .user = user});
}

void UnrecordedProcesses::refuse(uid_t user, pid_t process) {
  Group& refused = group(unrecorded::kOtherUser, user);
  if (refused.processes == 0) log::warning("a program of user " + std::to_string(user) + " was refused");
  if (refused.processes != 0 && refused.last == process) return;
  refused.last = process;
  ++refused.processes;
}

void UnrecordedProcesses::take_notes(const ScratchFolder& scratch) {
  for (const std::string& reason : scratch.take_notes(unrecorded::kNotePrefix)) {
    if (reason == unrecorded::kNoDescriptor) ++group(reason, ::geteuid()).processes;
  }
}

void UnrecordedProcesses::write_notices(TraceWriter& writer) const {
  for (const Group& group : groups_) {
    writer.write(0, wire::Notice{.severity = static_cast<uint32_t>(Severity::kWarning),
                                 .component = "collector",
                                 .text = notice_text(group)});
  }
}

}  // namespace xsp

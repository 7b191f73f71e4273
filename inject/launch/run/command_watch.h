#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inject/launch/run/unrecordable_program.h"

namespace xsp::launch {

/// Why a process of the command is not recorded.
enum class Unseen {
  kEnvironmentCleared,  ///< started without anything that xsp-run sets, as by env -i
  kPreloadReplaced,     ///< started with XSP's other variables, or with an LD_PRELOAD of its own
  kNotLoaded,           ///< LD_PRELOAD is set, but the guest is missing or stays off: see unrecordable_program.h
  kOtherUser,           ///< it runs as another user, whom the collector does not let in
  kContainer,           ///< the guest is there, but no address of the collector
  kOtherRecording,      ///< an xsp-run inside, whose processes are in a trace of its own
};

struct UnseenProcess {
  pid_t pid = 0;
  std::string program;
  uid_t user = 0;
  Unseen why = Unseen::kNotLoaded;
  std::optional<UnrecordableProgram> unrecordable = {};  ///< with kNotLoaded: as far as the program's file tells
};

/// Looks through /proc at the processes of the command, and finds those that cannot be recorded. Nobody else could
/// tell: a process without the guest says nothing. It looks often at the start and ever more seldom later, so that only
/// processes that live for a while are found.
class CommandWatch {
 public:
  /// `library`: the guest. `socket`: of the collector.
  CommandWatch(pid_t command, const std::string& library, std::string socket);

  /// Looks if it is time to. Returns for how many milliseconds it need not be called.
  int look_if_due();

  /// In the order in which they were found.
  std::vector<UnseenProcess> unseen() const;

 private:
  struct Seen {
    size_t order;
    std::string program;  // its path: an exec changes it
    uid_t user;
    bool is_recorded;
    Unseen why;
    std::optional<UnrecordableProgram> unrecordable;
    int looks;  // at this program
  };

  void look();
  /// Whether its children are to be looked at.
  bool look_at(pid_t pid);
  Seen judge(pid_t pid, const std::string& program, uid_t user) const;

  pid_t command_;
  std::string library_name_;
  std::string socket_;
  std::string own_program_;
  uint64_t next_ns_;
  uint64_t pause_ns_;
  std::map<pid_t, Seen> seen_;
};

}  // namespace xsp::launch

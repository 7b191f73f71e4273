#include "inject/launch/experiment/unrecorded_command.h"

#include <unistd.h>

namespace xsp::launch {

Status run_unrecorded(const std::vector<std::string>& command, const CommandStreams& streams, SignalInbox* signals,
                      Ending* ending) {
  CommandProcess process;
  const auto own_environment = [](pid_t /*pid*/) {
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    return environment;
  };
  if (Status status = process.fork_held(command, own_environment, *signals, streams); !status.ok()) return status;
  if (Status status = process.release(); !status.ok()) return status;
  *ending = process.wait(signals);
  return {};
}

}  // namespace xsp::launch

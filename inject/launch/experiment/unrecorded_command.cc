#include "inject/launch/experiment/unrecorded_command.h"

#include <unistd.h>

namespace xsp::launch {

std::optional<Failure> run_unrecorded(const std::vector<std::string>& command, const CommandStreams& streams,
                                      SignalInbox* signals, Ending* ending) {
  CommandProcess process;
  const auto own_environment = [](pid_t /*pid*/) {
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    return environment;
  };
  if (auto failure = process.fork_held(command, own_environment, *signals, streams)) return failure;
  if (auto failure = process.release()) return failure;
  *ending = process.wait(signals);
  return std::nullopt;
}

}  // namespace xsp::launch

#include "inject/launch/experiment/unrecorded_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include "inject/launch/experiment/run_number.h"
#include "inject/launch/run/log_lines.h"

namespace xsp::launch {

Status run_unrecorded(const std::vector<std::string>& command, const CommandStreams& streams, SignalInbox* signals,
                      Ending* ending, const Variables& variables) {
  CommandProcess process;
  const auto environment_with_them = [&](pid_t /*pid*/) {
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    for (const auto& [name, value] : variables) {
      std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(name + "="); });
      environment.push_back(name + "=" + value);
    }
    return environment;
  };
  if (Status status = process.fork_held(command, environment_with_them, *signals, streams); !status.ok()) return status;
  if (Status status = process.release(); !status.ok()) return status;
  *ending = process.wait(signals);
  return {};
}

std::string prepare_run(const std::string& command, const PlannedRun& run, uint32_t number, const std::string& folder,
                        SignalInbox* signals) {
  const std::string log = folder + "/prepare.log";
  unlink(log.c_str());
  const std::string filled_in = with_run_number(with_parameters(command, run.parameters), number);
  Ending ending;
  const Status status = run_unrecorded({"/bin/sh", "-c", filled_in}, {"/dev/null", log, log}, signals, &ending);
  std::string problem;
  if (!status.ok()) {
    problem = "--prepare: " + status.error;
  } else if (!ending.succeeded()) {
    problem = "--prepare: the command " + how_it_ended(ending);
    const std::vector<std::string> last = last_lines(log, 1);
    if (!last.empty()) problem += ": " + last[0];
  }
  unlink(log.c_str());
  return problem;
}

}  // namespace xsp::launch

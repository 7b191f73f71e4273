#include "inject/launch/recording.h"

#include <unistd.h>

#include <chrono>
#include <new>

#include "inject/launch/continuous_choice.h"
#include "inject/launch/environment.h"
#include "inject/launch/private_collector.h"
#include "inject/launch/private_folder.h"

namespace xsp::launch {
namespace {

using Clock = std::chrono::steady_clock;

uint64_t monotonic_ns() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

Recording failed(Failure failure) {
  Recording recording;
  recording.failure = std::move(failure);
  return recording;
}

}  // namespace

Recording record(const RecordingPlan& plan, SignalInbox* signals) {
  const Options& options = plan.options;
  PrivateFolder folder;
  OwnedFd listener;
  CommandProcess command;
  PrivateCollector collector;
  Recording recording;
  TraceOutcome& outcome = recording.outcome;
  outcome.program = options.command[0].substr(options.command[0].find_last_of('/') + 1);

  if (auto failure = folder.create()) return failed(*failure);
  if (auto failure = folder.listen(&listener)) return failed(*failure);
  const auto environment = [&](pid_t pid) {
    return command_environment(options, {plan.layout.library, folder.socket_path(), folder.scratch_path(), pid,
                                         plan.auditor, monotonic_ns(), plan.counted});
  };
  // The command exists before its collector: its pid may be part of the trace's name.
  if (auto failure = command.fork_held(options.command, environment, *signals, plan.streams)) return failed(*failure);
  if (auto failure = plan.choose_output(command.pid(), &outcome.output)) return failed(*failure);
  const PrivateCollector::Plan collecting = {
      plan.layout.collector, outcome.output, plan.overwrite, folder.scratch_path(),    folder.log_path(), options.level,
      options.command,       plan.counted,   plan.run,       collector_limits(options)};
  if (auto failure = collector.start(collecting, std::move(listener))) return failed(*failure);
  const auto begin = Clock::now();
  if (auto failure = command.release()) {
    collector.finish(signals);
    unlink(outcome.output.c_str());
    return failed(*failure);
  }
  recording.ending = command.wait(signals);
  recording.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  try {
    outcome.end = collector.finish(signals);
    outcome.status = collector.status();
    outcome.how_collector_died = collector.how_it_died();
  } catch (const std::bad_alloc&) {
    // The command has run: how it ended is what counts.
    outcome.end = PrivateCollector::End::kDied;
    outcome.how_collector_died = "out of memory";
  }
  if (outcome.end == PrivateCollector::End::kBackground) folder.keep();
  return recording;
}

}  // namespace xsp::launch

#include "inject/launch/run/recording.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <new>

#include "base/log.h"
#include "base/monotonic_clock.h"
#include "inject/launch/options/continuous_choice.h"
#include "inject/launch/run/environment.h"
#include "inject/launch/run/private_collector.h"
#include "inject/launch/run/private_folder.h"

namespace xsp::launch {
namespace {

using Clock = std::chrono::steady_clock;

Recording failed(const Status& why) {
  Recording recording;
  recording.started = why;
  return recording;
}

/// The collector logs into the same file, or to its standard error, which goes into a file of its own.
std::vector<std::string> collector_options(const Options& options) {
  std::vector<std::string> list = collector_limits(options);
  if (!options.log_level.empty()) list.insert(list.end(), {"--log-level", options.log_level});
  if (!options.log_file.empty()) list.insert(list.end(), {"--log-file", options.log_file});
  return list;
}

Status write_policy(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (file) return {};
  return {fmt::format("cannot write {} ({})", path, std::strerror(errno)), "set TMPDIR to a folder with room"};
}

void log_end(const Recording& recording) {
  const Ending& ending = recording.ending;
  log::info(fmt::format("the program ended after {:.3f} s, {} {}", recording.seconds,
                        ending.by_signal ? "by signal" : "with status", ending.code));
  const TraceOutcome& outcome = recording.outcome;
  if (!outcome.is_finished()) {
    log::warning("the collector has not finished " + outcome.output +
                 (outcome.how_collector_died.empty() ? "" : ": " + outcome.how_collector_died));
    return;
  }
  log::info(fmt::format("the collector finished {}: {} spans", outcome.output, outcome.status.spans));
  for (const CollectorStatus::Loss& loss : outcome.status.losses) {
    log::warning(fmt::format("lost: {} {}", loss.count, loss.reason));
  }
  for (const std::string& notice : outcome.status.notices) log::warning(notice);
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

  if (const Status status = folder.create(); !status.ok()) return failed(status);
  if (const Status status = folder.listen(&listener); !status.ok()) return failed(status);
  const std::string policy = plan.policy.empty() ? std::string() : folder.policy_path();
  if (!policy.empty()) {
    if (const Status status = write_policy(policy, plan.policy); !status.ok()) return failed(status);
  }
  const auto environment = [&](pid_t pid) {
    return command_environment(options, {plan.layout.library, folder.socket_path(), folder.scratch_path(), pid,
                                         plan.auditor, monotonic_ns(), plan.counted, policy});
  };
  // The socket listens by now: the command connects as soon as it runs, and waits in the queue for the collector.
  // The command is forked before there is a collector, because the name of the trace may have its pid.
  if (const Status status = command.fork_held(options.command, environment, *signals, plan.streams); !status.ok())
    return failed(status);
  if (const Status status = plan.choose_output(command.pid(), &outcome.output); !status.ok()) return failed(status);
  const PrivateCollector::Plan collecting = {
      plan.layout.collector,     outcome.output, plan.overwrite,  folder.path(), folder.scratch_path(),
      folder.log_path(),         options.level,  options.command, plan.counted,  plan.run,
      collector_options(options)};
  if (const Status status = collector.start(collecting, std::move(listener), folder.listen_beyond_folder());
      !status.ok())
    return failed(status);
  // The trace is open and the collector takes connections: only now may the command run.
  CommandWatch watch(command.pid(), plan.layout.library, folder.socket_path());
  const auto begin = Clock::now();
  if (const Status status = command.release(); !status.ok()) {
    collector.finish(signals);
    // Nothing has run, and an empty trace would say that something had. A pipe or a device is not ours to remove.
    if (!outcome.is_streamed()) unlink(outcome.output.c_str());
    return failed(status);
  }
  log::info(fmt::format("started {} as pid {}, into {}", outcome.program, command.pid(), outcome.output));
  recording.ending = command.wait(signals, &watch);
  recording.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  // After the command, for finish() closes the pipe that keeps the collector going.
  try {
    outcome.unseen = watch.unseen();
    outcome.end = collector.finish(signals);
    outcome.status = collector.status();
    outcome.how_collector_died = collector.how_it_died();
  } catch (const std::bad_alloc&) {
    // The command has run: how it ended is what counts.
    outcome.end = PrivateCollector::End::kDied;
    outcome.how_collector_died = "out of memory";
  }
  log_end(recording);
  // It goes on with the socket and the profiles in the folder.
  if (outcome.end == PrivateCollector::End::kBackground) folder.keep();
  return recording;
}

}  // namespace xsp::launch

#include "inject/launch/launch.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>

#include "base/log.h"
#include "base/monotonic_clock.h"
#include "inject/launch/concurrency/threads_plan.h"
#include "inject/launch/counters/counted_run.h"
#include "inject/launch/counters/counter_announcement.h"
#include "inject/launch/options/exit_codes.h"
#include "inject/launch/run/captured_output.h"
#include "inject/launch/run/command_lookup.h"
#include "inject/launch/run/command_process.h"
#include "inject/launch/run/end_message.h"
#include "inject/launch/run/environment.h"
#include "inject/launch/run/install_layout.h"
#include "inject/launch/run/output_name.h"
#include "inject/launch/run/preload_link.h"
#include "inject/launch/run/recording.h"
#include "inject/launch/run/sent_trace.h"
#include "inject/launch/run/signal_inbox.h"
#include "inject/launch/run/unrecordable_program.h"

namespace xsp::launch {
namespace {

int exit_as(const Ending& ending) {
  if (!ending.by_signal) return ending.code;
  die_by_signal(ending.code);
  return 128 + ending.code;
}

Status choose_output(const Options& options, pid_t pid, std::string* output) {
  // The collector checks whether it may write there.
  if (options.continuous) return choose_folder(options.output, options.command, pid, output);
  if (options.output.empty()) {
    *output = default_output(options.command, pid);
  } else if (Status status = expand_placeholders(options.output, pid, output); !status.ok()) {
    return status;
  }
  if (Status status = prepare_output(*output, options.force); !status.ok()) return status;
  for (const auto& [name, is_given] : {std::pair("--metrics", !options.metrics.empty() && !options.metrics_only),
                                       {"--otlp", !options.otlp.empty()},
                                       {"--concurrency", options.concurrency != Concurrency::kNone}}) {
    if (!is_given || !is_stream(*output)) continue;
    return {fmt::format("{} reads the trace again, which {} does not keep", name, *output), "--output run.pb"};
  }
  return {};
}

/// Refuses a socket on which no collector answers, or one of another user. `is_own`: the collector runs as this user. A
/// service's collector does not, even where its socket is of this user: systemd (pid 1) has made that.
Status answers(const std::string& socket_path, bool* is_own) {
  const OwnedFd probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof(address.sun_path)) return {"--collector: the path is too long for a socket"};
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size() + 1);
  if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    // The guest checks the same: only this user and root, whose services collect for all, may see what runs here.
    ucred listener = {};
    socklen_t size = sizeof(listener);
    const bool known = getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &listener, &size) == 0;
    *is_own = known && listener.uid == geteuid() && listener.pid != 1;
    if (known && (listener.uid == geteuid() || listener.uid == 0)) return {};
    return {fmt::format("the collector on {} is another user's", socket_path),
            "start one of your own: xsp-collector --socket SOCKET -o trace.pb"};
  }
  const int failure = errno;
  struct stat found = {};
  if (stat(socket_path.c_str(), &found) == 0 && !S_ISSOCK(found.st_mode)) {
    return {fmt::format("no collector answers on {} (it is no socket)", socket_path),
            "start one on a name that is free: xsp-collector --socket /tmp/xsp.sock -o trace.pb"};
  }
  return {fmt::format("no collector answers on {} ({})", socket_path, std::strerror(failure)),
          "start one: xsp-collector --socket " + socket_path + " -o trace.pb"};
}

/// Makes the folder into which frameworks write profiles of their own. Anybody can foresee their names, so the folder
/// must belong to this user alone and must not be a link.
Status make_scratch(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return {fmt::format("cannot make {} ({})", path, std::strerror(errno))};
  }
  struct stat found = {};
  if (lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
      (found.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
    return {};
  }
  return {fmt::format("{} is not a folder of this user alone", path),
          "--collector SOCKET in a folder that others cannot write"};
}

/// The second run of --metrics. What it notes and loses joins what the first run did, so that one message has all.
void count_in_second_run(const Options& options, const InstallLayout& layout, const std::string& auditor,
                         const Ending& ending, SignalInbox* signals, TraceOutcome* outcome) {
  std::string problem;
  if (!ending.succeeded()) {
    problem = "not run, as the command failed";
  } else if (!outcome->is_finished()) {
    problem = "not run, as there is no whole trace of the first one";
  } else {
    if (!options.quiet) print_lines({"xsp: counters: running the command again"});
    const CountedRun run = count_again(options, layout, auditor, outcome->output, signals);
    problem = run.problem;
    for (const std::string& notice : run.status.notices) {
      if (notice.starts_with("counters: ")) outcome->status.notices.insert(outcome->status.notices.begin(), notice);
    }
    for (const CollectorStatus::Loss& loss : run.status.losses) {
      if (loss.reason == "COUNTERS" || loss.reason == "NOT_COUNTED") outcome->status.losses.push_back(loss);
    }
  }
  if (!problem.empty()) print_lines({fmt::format("xsp: counters: the second run: {}", problem)});
}

/// What is said and done once the command has ended and its trace is written. Returns the exit status.
int tell_outcome(const ThreadsPlan& threads, const InstallLayout& layout, const std::string& auditor, bool counts,
                 Recording* recording, SignalInbox* signals) {
  const Options& options = threads.options;
  const Ending& ending = recording->ending;
  TraceOutcome& outcome = recording->outcome;
  // First, since the counts are appended to the trace: the message, the report and OTLP are to have them.
  if (counts && !options.metrics_only) count_in_second_run(options, layout, auditor, ending, signals, &outcome);
  print_lines(end_message(options, outcome, layout.report, threads_line(threads, outcome, layout.report)));
  const bool has_report = outcome.status.spans > 0 && !outcome.is_streamed() && !layout.report.empty();
  if (options.summary == Summary::kFull && has_report) {
    if (const auto text = captured_output({layout.report, "-a", "all", outcome.output}, false))
      std::fputs(text->c_str(), stderr);
  }
  if (!options.otlp.empty()) send_outcome(layout.report, outcome, options.otlp, options.quiet);
  // Last: whatever the verdict, the user knows by now what was lost and where the rest is.
  if (options.strict && ending.succeeded() && !is_whole(outcome)) {
    return report_failure({"--strict: the program succeeded, but its trace is missing or incomplete"});
  }
  return exit_as(ending);
}

/// One command, one collector, one trace.
int launch_with_private_collector(const Options& options, const InstallLayout& layout, const std::string& auditor) {
  // Before anything is started: from here on ^C is data, so that it leaves nothing of ours behind.
  SignalInbox signals;
  bool counts = !options.metrics.empty();
  if (counts) {
    const CounterAnnouncement announcement = announce_counters(options);
    if (!options.quiet) print_lines(announcement.lines);
    counts = announcement.has_device;
  }
  const auto output_for = [&](pid_t pid, std::string* output) { return choose_output(options, pid, output); };
  const ThreadsPlan threads = plan_threads(options, layout, auditor, output_for, &signals);
  if (!threads.refused.ok()) return report_failure(threads.refused);
  if (threads.stopped) return exit_as(*threads.stopped);
  Recording recording = record({.options = threads.options,
                                .layout = layout,
                                .auditor = auditor,
                                .choose_output = threads.choose_output,
                                .overwrite = options.force,
                                .counted = options.metrics_only,
                                .policy = policy_of_guest(threads)},
                               &signals);
  if (!recording.started.ok()) return report_failure(recording.started);
  const Ending& ending = recording.ending;
  try {
    return tell_outcome(threads, layout, auditor, counts, &recording, &signals);
  } catch (const std::bad_alloc&) {
    // The program has run, and how it ended is what the caller waits for.
    report_out_of_memory();
    return exit_as(ending);
  }
}

/// The trace belongs to a collector that somebody else started. Profiles of frameworks go beside its socket; a service
/// of another user does not read files of its users, so there is no place for any.
int launch_with_running_collector(const Options& options, const InstallLayout& layout, const std::string& auditor) {
  const std::string socket_path = std::filesystem::absolute(options.collector_socket).string();
  bool is_own = true;
  if (const Status status = answers(socket_path, &is_own); !status.ok()) return report_failure(status);
  SignalInbox signals;
  CommandProcess command;
  const std::string scratch = is_own ? socket_path + ".scratch" : "";
  if (is_own) {
    if (const Status status = make_scratch(scratch); !status.ok()) return report_failure(status);
  }
  const auto environment = [&](pid_t pid) {
    return command_environment(options, {layout.library, socket_path, scratch, pid, auditor, monotonic_ns()});
  };
  if (const Status status = command.fork_held(options.command, environment, signals); !status.ok())
    return report_failure(status);
  if (const Status status = command.release(); !status.ok()) return report_failure(status);
  const Ending ending = command.wait(&signals);
  // The trace is that collector's: there is nothing to say of it here.
  if (const auto found = unrecordable_program(options.command[0]); found && !options.quiet) {
    print_lines({fmt::format("xsp: note: {} itself is not recorded: it {}", options.command[0], found->why),
                 "xsp: hint: " + found->remedy});
  }
  return exit_as(ending);
}

}  // namespace

int launch(const Options& options) {
  // What can be refused is refused before a process is made, the user's own slips first.
  if (const Status status = check_command(options.command); !status.ok()) return report_failure(status);
  InstallLayout layout = find_install_layout();
  const bool private_collector = options.collector_socket.empty();
  if (const Status status = missing_part(layout, private_collector); !status.ok()) return report_failure(status);
  if (!options.otlp.empty()) {
    if (const Status status = check_otlp(options.otlp, layout); !status.ok()) return report_failure(status);
  }
  // After these checks, because this may make a link that stays; before the auditor, which is looked for beside the
  // library.
  if (const Status status = make_preloadable(&layout.library); !status.ok()) return report_failure(status);
  log::info("the guest is " + layout.library + ", the collector " +
            (private_collector ? layout.collector : "the one on " + options.collector_socket));
  std::string auditor;
  // Beside an auditor programs with ThreadSanitizer do not start, and in them nothing is recorded.
  const auto unrecordable = unrecordable_program(options.command[0]);
  if (options.audit && !(unrecordable && unrecordable->has_guest)) {
    if (const Status status = find_auditor(layout, &auditor); !status.ok()) return report_failure(status);
  }
  return private_collector ? launch_with_private_collector(options, layout, auditor)
                           : launch_with_running_collector(options, layout, auditor);
}

}  // namespace xsp::launch

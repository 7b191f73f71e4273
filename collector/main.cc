/// xsp-collector: receives what profiled programs record and writes it to one trace file (doc/collector.md).

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>

#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/monotonic_clock.h"
#include "base/output_target.h"
#include "base/processors.h"
#include "base/text_encoding.h"
#include "base/uncaught_exception.h"
#include "collector/options/options.h"
#include "collector/recording/part_sequence.h"
#include "collector/recording/recording.h"
#include "collector/recording/scratch_folder.h"
#include "collector/server/collector.h"
#include "collector/server/listening_socket.h"
#include "collector/server/service_manager.h"
#include "collector/server/status_report.h"
#include "collector/writing/output_file.h"
#include "collector/writing/trace_description.h"
#include "collector/writing/trace_writer.h"

namespace {

constexpr int kCannotListen = 1;
constexpr int kWrongUsage = 2;
constexpr int kCannotWrite = 5;

int fail(const xsp::Options& options, const std::string& what, const std::string& hint, int exit_code) {
  std::fprintf(stderr, "xsp-collector: error: %s\nhint: %s\n", xsp::message_text(what).c_str(),
               xsp::message_text(hint).c_str());
  xsp::log::error(what);
  xsp::write_status_line(options.status_fd, "error: " + what);
  return exit_code;
}

/// A file that is too large and a reader that has gone should be errors of a call, not signals. With a control
/// descriptor, the launcher decides when to finish, not the terminal, which signals the whole group. SIGHUP ends a
/// part; before there is one it must not end the collector.
void set_signals(bool is_controlled, bool is_continuous) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  if (is_controlled || is_continuous) std::signal(SIGHUP, SIG_IGN);
  if (!is_controlled) return;
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
}

/// Every program takes two descriptors: one for its socket, one for its memory.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Logs what the collector listens on and writes to, and what it found on this machine.
void tell_of_start(const xsp::Options& options) {
  if (!xsp::log::writes(xsp::log::Level::kInfo)) return;
  const std::string socket = options.socket.empty() ? xsp::ListeningSocket::path_of(options.listen_fd) : options.socket;
  xsp::log::info("xsp-collector " XSP_VERSION " listens on " + (socket.empty() ? "a socket without a path" : socket) +
                 " and writes " + options.output);
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    xsp::log::info("this machine: " + std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)) + " processors, " +
                   std::to_string(descriptors.rlim_cur) + " descriptors");
  }
}

/// Says what a budget left out: not an error, but the user should know.
void tell_of_budget(const xsp::Recording& recording, xsp::Summary& summary) {
  if (recording.not_stored == 0) return;
  std::string text = std::to_string(recording.not_stored) + " spans are counted and not stored (";
  text += recording.storage.budget().is_full() ? "--max-size was reached)" : "--max-rate)";
  summary.add_notice(xsp::Severity::kInfo, "collector", text);
  if (recording.writer.packets_beyond_limit() == 0) return;
  summary.add_notice(xsp::Severity::kWarning, "collector",
                     std::to_string(recording.writer.packets_beyond_limit()) +
                         " packets of names and descriptions had no room within --max-size");
}

/// Closes the trace. What was lost to a full disk is written last, if there is room for it.
void close_trace(xsp::Recording& recording, xsp::Outcome& outcome) {
  xsp::TraceWriter& writer = recording.writer;
  writer.flush();
  const bool was_failed = writer.failed();
  if (was_failed) {
    const int error = writer.error();
    outcome.complete = false;
    outcome.error = "cannot write the trace to its end (" + std::string(std::strerror(error)) + ")";
    if (recording.parts != nullptr) recording.parts->begin_again_to_close(recording, xsp::monotonic_ns());
    const uint64_t lost = writer.lost_spans();
    // The summary already has those of earlier parts.
    const uint64_t told = recording.parts == nullptr ? 0 : recording.parts->told_lost_spans();
    recording.summary.add_loss(xsp::LossReason::kDiskFull, lost - told, std::strerror(error));
    writer.reopen_for_closing();
    writer.write(
        0, xsp::wire::Loss{
               .reason = static_cast<uint32_t>(xsp::LossReason::kDiskFull), .count = lost, .detail = outcome.error});
  }
  xsp::write_trace_end(writer, writer.processes(), outcome.complete, outcome.error);
  writer.flush();
  if (was_failed || !writer.failed()) return;
  outcome.complete = false;
  outcome.error = "cannot write the end of the trace (" + std::string(std::strerror(writer.error())) + ")";
}

/// The folder of an xsp-run, which removes it when it ends. If xsp-run was killed, or did not wait for the trace, this
/// collector is the last user. When xsp-run is killed, the end of its pipe is seen before its death.
class FolderOfRun {
 public:
  explicit FolderOfRun(std::string path) : path_(std::move(path)), launcher_(::getppid()) {}
  FolderOfRun(const FolderOfRun&) = delete;
  FolderOfRun& operator=(const FolderOfRun&) = delete;
  ~FolderOfRun() {
    std::error_code ignored;
    if (!path_.empty() && (launcher_has_died_ || ::getppid() != launcher_)) std::filesystem::remove_all(path_, ignored);
  }
  void launcher_has_died() { launcher_has_died_ = true; }

 private:
  std::string path_;
  pid_t launcher_;
  bool launcher_has_died_ = false;
};

/// Also when not even an exception finds memory.
[[noreturn]] void end_by_exception() {
  xsp::end_by_uncaught_exception("xsp-collector", "out of memory (what was written before stays readable)",
                                 kCannotWrite);
}

int collect(int argc, char** argv) {
  xsp::Options options;
  int exit_code = 0;
  if (!xsp::read_options(argc, argv, &options, &exit_code)) return exit_code;
  const xsp::Status logs = xsp::log::configure("xsp-collector", options.log_level, options.log_file);
  if (!logs.ok()) return fail(options, logs.error, logs.hint, kWrongUsage);
  set_signals(options.control_fd >= 0, options.continuous);
  FolderOfRun folder(options.private_folder);
  raise_descriptor_limit();

  xsp::ServiceManager manager;

  // Socket before output: if another collector has the socket, no file has been touched.
  xsp::ListeningSocket socket;
  xsp::Status status = options.listen_fd >= 0 ? socket.adopt(options.listen_fd) : socket.bind(options.socket);
  xsp::ListeningSocket second_socket;
  if (status.ok() && options.second_listen_fd >= 0) status = second_socket.adopt(options.second_listen_fd);
  if (!status.ok()) {
    const char* const hint = options.listen_fd >= 0 ? "xsp-run passes this descriptor; by hand, use --socket PATH"
                                                    : "name another path: --socket /tmp/xsp.sock";
    return fail(options, status.error, status.hint.empty() ? hint : status.hint, kCannotListen);
  }

  // The launcher waits, and the program has not begun.
  options.subject.processors = xsp::read_processors();
  xsp::PartSequence parts;
  std::unique_ptr<xsp::OutputFile> file;
  if (options.continuous) {
    const auto write_header = [&](xsp::TraceWriter& to, const xsp::RecordingPart& part) {
      xsp::write_trace_header(to, options.subject, part);
    };
    status = parts.open({options.output, options.force, options.max_bytes, options.part_age_ns}, write_header);
    if (!status.ok()) return fail(options, status.error, "name another folder: -o FOLDER", kCannotWrite);
  } else {
    status = xsp::create_output_file(options.output, options.force, &file);
    if (!status.ok()) return fail(options, status.error, xsp::output_hint(options.output, true), kCannotWrite);
  }

  const uint64_t now = xsp::monotonic_ns();
  xsp::TraceWriter writer(options.continuous ? parts.file() : *file,
                          options.continuous ? parts.buffer_bytes() : xsp::TraceWriter::kDefaultBufferBytes);
  xsp::Recording recording(writer, xsp::ScratchFolder(options.scratch));
  if (options.continuous) {
    recording.divide(parts);
    recording.storage.limit(options.max_rate, 0, now);
    parts.begin(writer, now);
  } else {
    if (options.max_bytes != 0 || options.max_rate != 0)
      recording.storage.limit(options.max_rate, options.max_bytes, now);
    xsp::write_trace_header(writer, options.subject);
  }
  writer.flush();
  if (writer.failed()) {
    const std::string why = std::string("cannot write ") + options.output + " (" + std::strerror(writer.error()) + ")";
    return fail(options, why, "name a file on another disk: -o FILE", kCannotWrite);
  }

  // Destroyed only after the trace is closed: until then its peers keep open what they read from.
  xsp::Collector collector(socket, recording, {.control_fd = options.control_fd, .once = options.once},
                           options.permission, manager.is_there() ? &manager : nullptr);
  if (second_socket.fd() >= 0) collector.listen_also_on(second_socket);
  // Only now, with the header on the disk: the launcher starts the program when it reads this.
  if (!xsp::write_status_line(options.status_fd, "ready")) {
    return fail(options, "the launcher does not listen", "xsp-run passes --status-fd; leave it out by hand",
                kCannotListen);
  }
  manager.is_ready();
  tell_of_start(options);
  status = collector.run();
  if (options.control_fd >= 0 && !collector.was_told_to_finish()) folder.launcher_has_died();
  xsp::Outcome outcome{.output = options.output, .complete = status.ok(), .error = status.error};

  tell_of_budget(recording, recording.summary);
  recording.unrecorded.take_notes(recording.scratch);
  recording.unrecorded.write_notices(writer);
  close_trace(recording, outcome);
  // After the trace is closed: a file with its final name is complete.
  status = options.continuous ? parts.publish() : file->publish();
  if (!status.ok()) {
    outcome.complete = false;
    outcome.error = status.error;
  }
  if (options.empties_scratch) recording.scratch.empty();

  xsp::write_status_line(options.status_fd, xsp::status_report(outcome, recording));
  xsp::log::info("finished " + options.output + ": " + std::to_string(recording.summary.processes) + " processes");
  if (outcome.error.empty()) return 0;
  xsp::log::error(outcome.error);
  std::fprintf(stderr, "xsp-collector: error: %s\nhint: what was written before stays readable\n",
               xsp::message_text(outcome.error).c_str());
  return kCannotWrite;
}

/// Runs before the constructors of other files' objects, which may find no memory either.
[[gnu::constructor(101)]] void prepare_for_lack_of_memory() { std::set_terminate(end_by_exception); }

}  // namespace

int main(int argc, char** argv) {
  try {
    return collect(argc, argv);
  } catch (const std::bad_alloc&) {
    end_by_exception();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "xsp-collector: error: %s\n", failure.what());
    return kCannotListen;
  }
}

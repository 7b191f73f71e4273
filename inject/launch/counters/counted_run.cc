#include "inject/launch/counters/counted_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/owned_fd.h"
#include "inject/launch/run/log_lines.h"
#include "inject/launch/run/recording.h"

namespace xsp::launch {
namespace {

/// Appends a trace to another: two traces in a row are a trace too. If not all of it can be written, none of it stays.
std::string append(const std::string& from, const std::string& to) {
  const OwnedFd source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  const OwnedFd target(open(to.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  struct stat before = {};
  if (!source || !target || fstat(target.get(), &before) != 0) {
    return fmt::format("the counts could not be put into {} ({})", to, std::strerror(errno));
  }
  std::array<char, 1 << 16> bytes;
  for (ssize_t size; (size = read(source.get(), bytes.data(), bytes.size())) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const ssize_t written = write(target.get(), bytes.data() + at, static_cast<size_t>(size - at));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const int error = errno;
        [[maybe_unused]] const int cut = ftruncate(target.get(), before.st_size);
        return fmt::format("the counts could not be put into {} ({})", to, std::strerror(error));
      }
      at += written;
    }
  }
  return {};
}

std::string how_it_ended(const Ending& ending, const std::string& log) {
  std::string text = ending.by_signal ? fmt::format("the command was killed by signal {}", ending.code)
                                      : fmt::format("the command ended with exit status {}", ending.code);
  if (const std::string last = last_line_of(log); !last.empty()) text += ": " + last;
  return text;
}

}  // namespace

CountedRun count_again(const Options& options, const InstallLayout& layout, const std::string& auditor,
                       const std::string& trace, SignalInbox* signals) {
  // Beside the trace: that is where there is room for it.
  const std::string counts = trace + ".counts";
  const std::string log = counts + ".log";
  unlink(log.c_str());
  const auto choose_output = [&](pid_t /*pid*/, std::string* output) {
    *output = counts;
    return Status();
  };
  const Recording recording = record({.options = options,
                                      .layout = layout,
                                      .auditor = auditor,
                                      .choose_output = choose_output,
                                      .overwrite = true,
                                      .counted = true,
                                      .streams = {"/dev/null", "/dev/null", log}},
                                     signals);
  CountedRun run;
  run.status = recording.outcome.status;
  if (recording.started.ok() && !recording.ending.succeeded()) run.problem = how_it_ended(recording.ending, log);
  unlink(log.c_str());
  if (!recording.started.ok()) return {recording.started.error, {}};
  if (recording.outcome.end == PrivateCollector::End::kBackground) {
    return {"not waiting for what was counted", run.status};
  }
  if (recording.outcome.end == PrivateCollector::End::kDied) {
    return {"xsp-collector ended early: " + recording.outcome.how_collector_died, run.status};
  }
  // What was counted before the command failed is valid, so it is appended in any case.
  if (std::string problem = append(counts, trace); !problem.empty()) run.problem = std::move(problem);
  unlink(counts.c_str());
  return run;
}

}  // namespace xsp::launch

#include "inject/launch/run/unrecorded_message.h"

#include <fmt/format.h>
#include <pwd.h>

#include <algorithm>

#include "base/quantity_text.h"
#include "proto/unrecorded.h"

namespace xsp::launch {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kMostLines = 3;

std::string user_text(uint64_t user) {
  const passwd* entry = getpwuid(static_cast<uid_t>(user));
  return entry != nullptr ? fmt::format("{} ({})", entry->pw_name, user) : std::to_string(user);
}

std::string other_user_text(const std::string& what, uint64_t user) {
  return fmt::format(
      "xsp: not recorded: {} of user {}, as a recording is of one user's programs: put xsp-run behind what changes the "
      "user (gosu USER xsp-run -- COMMAND), or see --allow-users of xsp-collector",
      what, user_text(user));
}

std::string unseen_text(const UnseenProcess& process, size_t count) {
  const std::string what = count == 1 ? fmt::format("{} (pid {})", process.program, process.pid)
                                      : fmt::format("{} times {}", count, process.program);
  switch (process.why) {
    case Unseen::kEnvironmentCleared:
      return fmt::format(
          "xsp: not recorded: {}, started without the environment of xsp-run (env -i, sudo, su -): put xsp-run behind "
          "what clears it (env -i xsp-run -- COMMAND)",
          what);
    case Unseen::kNotLoaded:
      return fmt::format(
          "xsp: not recorded: {}, into which the loader did not load XSP: it is statically linked, for 32 bits or "
          "another C library, or runs with more rights (set-user-ID)",
          what);
    case Unseen::kOtherUser:
      return other_user_text(what, process.user);
    case Unseen::kContainer:
      return fmt::format(
          "xsp: not recorded: {}, in a container from which the collector cannot be reached: run xsp-run inside it, or "
          "let it see {}",
          what, "the folder of XSP_SOCKET");
    case Unseen::kOtherRecording:
      return fmt::format("xsp: not recorded here: what {} started; an xsp-run inside another writes a trace of its own",
                         what);
  }
  return {};
}

/// Processes of the same program and reason are one line.
Lines unseen_lines(const TraceOutcome& outcome) {
  const auto& groups = outcome.status.unrecorded;
  const bool users_are_told = std::any_of(groups.begin(), groups.end(),
                                          [](const auto& group) { return group.reason == unrecorded::kOtherUser; });
  std::vector<std::pair<UnseenProcess, size_t>> kinds;
  for (const UnseenProcess& process : outcome.unseen) {
    if (process.why == Unseen::kOtherUser && users_are_told) continue;
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
      return kind.first.why == process.why && kind.first.program == process.program;
    });
    if (same != kinds.end()) {
      ++same->second;
    } else {
      kinds.emplace_back(process, 1);
    }
  }
  Lines lines;
  for (const auto& [process, count] : kinds) {
    if (lines.size() < kMostLines) lines.push_back(unseen_text(process, count));
  }
  return lines;
}

/// What a guest says when it turns itself off, or cannot turn itself on.
bool has_notice_of_guest(const CollectorStatus& status) {
  return std::any_of(status.notices.begin(), status.notices.end(),
                     [](const std::string& notice) { return notice.starts_with("guest: "); });
}

}  // namespace

Lines unrecorded_lines(const CollectorStatus& status) {
  Lines lines;
  for (const CollectorStatus::Unrecorded& group : status.unrecorded) {
    if (lines.size() == kMostLines) break;
    const std::string processes = plural(group.count, "process");
    if (group.reason == unrecorded::kOtherUser) {
      lines.push_back(other_user_text(processes, group.user));
    } else if (group.reason == unrecorded::kNoDescriptor) {
      lines.push_back(
          fmt::format("xsp: not recorded: {} without a free file descriptor, of which XSP needs two: raise the limit "
                      "(ulimit -n 64)",
                      processes));
    }
  }
  return lines;
}

Lines no_spans_lines(const TraceOutcome& outcome) {
  const CollectorStatus& status = outcome.status;
  Lines why = unrecorded_lines(status);
  for (std::string& line : unseen_lines(outcome)) why.push_back(std::move(line));
  if (!why.empty() || has_notice_of_guest(status)) {
    why.insert(why.begin(), fmt::format("xsp: no spans were recorded in {}", outcome.program));
    return why;
  }
  const char* guess = status.processes == 0 ? "no process of it used a framework that XSP knows"
                                            : "a framework was there, but no model was called";
  why.push_back(fmt::format("xsp: no spans were recorded in {}: {}", outcome.program, guess));
  why.emplace_back("xsp: recorded are PyTorch modules in Python, ONNX Runtime sessions, and code marked through xsp.h");
  why.push_back(fmt::format("xsp: is something missing?  xsp-run --check{}",
                            outcome.program.starts_with("python") ? " -- " + outcome.program : std::string()));
  return why;
}

}  // namespace xsp::launch

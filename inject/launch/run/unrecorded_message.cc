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
  return entry != nullptr ? fmt::format("{} (uid {})", entry->pw_name, user) : fmt::format("uid {}", user);
}

/// A command that becomes this user and then records.
std::string as_user_text(uint64_t user) {
  const passwd* entry = getpwuid(static_cast<uid_t>(user));
  return entry != nullptr ? fmt::format("runuser -u {} -- xsp-run -- COMMAND", entry->pw_name)
                          : fmt::format("setpriv --reuid {} --clear-groups xsp-run -- COMMAND", user);
}

std::string other_user_text(const std::string& what, uint64_t user) {
  return fmt::format("xsp: not recorded: {} of {}: a recording covers one user; as root, try: {}", what,
                     user_text(user), as_user_text(user));
}

/// `python3.11 (pid 12)`, or `python3.11, sh and 3 more processes`.
std::string names_of(const std::vector<UnseenProcess>& processes) {
  constexpr size_t kMostNames = 3;
  if (processes.size() == 1) return fmt::format("{} (pid {})", processes[0].program, processes[0].pid);
  std::vector<std::string> names;
  for (const UnseenProcess& process : processes) {
    if (std::find(names.begin(), names.end(), process.program) == names.end()) names.push_back(process.program);
  }
  std::string text = fmt::format("{} (", plural(processes.size(), "process"));
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > kMostNames ? ", …)" : ")");
}

std::string unseen_text(const std::vector<UnseenProcess>& processes) {
  const std::string what = names_of(processes);
  switch (processes[0].why) {
    case Unseen::kEnvironmentCleared:
      return fmt::format(
          "xsp: not recorded: {}: its environment was reset (env -i, sudo, su, Popen(env=...)); run xsp-run after that "
          "step: env -i PATH=\"$PATH\" xsp-run -- COMMAND",
          what);
    case Unseen::kPreloadReplaced:
      return fmt::format(
          "xsp: not recorded: {}: something replaced or unset LD_PRELOAD; keep what is there: "
          "LD_PRELOAD=\"OTHER.so $LD_PRELOAD\"",
          what);
    case Unseen::kNotLoaded:
      if (const auto& found = processes[0].unrecordable) {
        return fmt::format("xsp: not recorded: {}: it {}; {}", what, found->why, found->remedy);
      }
      return fmt::format(
          "xsp: not recorded: {}: the loader did not load XSP, cause unknown; look for \"ERROR: ld.so\" above", what);
    case Unseen::kOtherUser:
      return other_user_text(what, processes[0].user);
    case Unseen::kContainer:
      return fmt::format(
          "xsp: not recorded: {}: a container or chroot hides XSP's socket from it; start xsp-run inside", what);
    case Unseen::kOtherRecording:
      return fmt::format(
          "xsp: not recorded: what another xsp-run started: {} writes a trace of its own; leave one of them out for "
          "a single trace",
          what);
  }
  return {};
}

std::string reason_of(const UnseenProcess& process) { return process.unrecordable ? process.unrecordable->why : ""; }

/// A line for each reason. `command_is_told`: that of the command itself is told already.
Lines unseen_lines(const TraceOutcome& outcome, bool command_is_told) {
  const auto& groups = outcome.status.unrecorded;
  const bool users_are_told = std::any_of(groups.begin(), groups.end(),
                                          [](const auto& group) { return group.reason == unrecorded::kOtherUser; });
  std::vector<std::vector<UnseenProcess>> kinds;
  for (const UnseenProcess& process : outcome.unseen) {
    if (process.why == Unseen::kOtherUser && users_are_told) continue;
    if (command_is_told && process.unrecordable && process.program == outcome.program) continue;
    const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const std::vector<UnseenProcess>& kind) {
      return kind[0].why == process.why && kind[0].user == process.user && reason_of(kind[0]) == reason_of(process);
    });
    if (same != kinds.end()) {
      same->push_back(process);
    } else {
      kinds.push_back({process});
    }
  }
  Lines lines;
  for (const std::vector<UnseenProcess>& kind : kinds) {
    if (lines.size() < kMostLines) lines.push_back(unseen_text(kind));
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
          fmt::format("xsp: not recorded: {}: no file descriptor left (XSP needs two); raise the limit first: ulimit "
                      "-Sn \"$(ulimit "
                      "-Hn)\"",
                      processes));
    }
  }
  return lines;
}

Lines no_spans_lines(const TraceOutcome& outcome, const std::optional<UnrecordableProgram>& command) {
  const CollectorStatus& status = outcome.status;
  const bool command_is_told = command && status.processes == 0;
  Lines why = unrecorded_lines(status);
  for (std::string& line : unseen_lines(outcome, command_is_told)) why.push_back(std::move(line));
  if (command_is_told) {
    why.insert(why.begin(), {fmt::format("xsp: no spans were recorded in {}: it {}", outcome.program, command->why),
                             "xsp: hint: " + command->remedy});
    return why;
  }
  if (!why.empty() || has_notice_of_guest(status)) {
    why.insert(why.begin(), fmt::format("xsp: no spans were recorded in {}", outcome.program));
    return why;
  }
  const char* guess =
      status.processes == 0 ? "no supported framework was used" : "a framework was loaded, but no model call was seen";
  why.push_back(fmt::format("xsp: no spans were recorded in {}: {}", outcome.program, guess));
  why.emplace_back("xsp: XSP records PyTorch modules in Python, ONNX Runtime sessions, and code marked with xsp.h");
  why.push_back(fmt::format("xsp: what can be recorded here: xsp-run --check{}",
                            outcome.program.starts_with("python") ? " -- " + outcome.program : std::string()));
  return why;
}

}  // namespace xsp::launch

#include "inject/launch/run/command_watch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <optional>
#include <sstream>

#include "base/monotonic_clock.h"
#include "proto/environment.h"

namespace xsp::launch {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kFirstPauseNs = 50 * kMillisecond;
constexpr uint64_t kLongestPauseNs = 60'000 * kMillisecond;
constexpr size_t kMostProcesses = 256;  // of one look
constexpr size_t kMostKept = 1024;      // over all looks

std::string folder_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

std::optional<std::string> link_target(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::read_symlink(path, error);
  if (error) return std::nullopt;
  return target.string();
}

/// As much as can be read: a process that ends while its file is open makes reading fail, on which a stream's buffer
/// throws and read() does not.
std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char bytes[4096];
  while (file.read(bytes, sizeof bytes), file.gcount() > 0) text.append(bytes, static_cast<size_t>(file.gcount()));
  return text;
}

/// Of all threads, as any of them may have started one.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  std::error_code error;
  for (fs::directory_iterator thread(folder_of(pid) + "/task", error), end; !error && thread != end;
       thread.increment(error)) {
    std::istringstream list(text_of(thread->path().string() + "/children"));
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return children;
}

/// Why a program was not told to load the guest, by the environment with which it was started. kNotLoaded: it was.
Unseen why_without_guest(pid_t pid, const std::string& library_name) {
  const std::string variables = '\0' + text_of(folder_of(pid) + "/environ");
  const size_t begin = variables.find(std::string("\0LD_PRELOAD=", 12));
  if (begin == std::string::npos) {
    const bool has_settings = variables.find('\0' + std::string(variable::kSocket) + '=') != std::string::npos;
    return has_settings ? Unseen::kPreloadReplaced : Unseen::kEnvironmentCleared;
  }
  const std::string preload = variables.substr(begin + 1, variables.find('\0', begin + 1) - begin - 1);
  return preload.find(library_name) == std::string::npos ? Unseen::kPreloadReplaced : Unseen::kNotLoaded;
}

bool shares_network(pid_t pid) { return link_target(folder_of(pid) + "/ns/net") == link_target("/proc/self/ns/net"); }

bool is_xsp_run(const std::string& program, const std::string& own) {
  return program == own || fs::path(program).filename() == "xsp-run";
}

}  // namespace

CommandWatch::CommandWatch(pid_t command, const std::string& library, std::string socket)
    : command_(command),
      library_name_(fs::path(library).filename()),
      socket_(std::move(socket)),
      own_program_(link_target("/proc/self/exe").value_or("")),
      next_ns_(monotonic_ns() + kFirstPauseNs),
      pause_ns_(kFirstPauseNs) {}

int CommandWatch::look_if_due() {
  const uint64_t now = monotonic_ns();
  if (now >= next_ns_) {
    try {
      look();
    } catch (const std::bad_alloc&) {
      // What was found must suffice: the program goes on, and how it ends is what the caller waits for.
    }
    pause_ns_ = std::min(pause_ns_ * 2, kLongestPauseNs);
    next_ns_ = monotonic_ns() + pause_ns_;
  }
  const uint64_t later = monotonic_ns();
  return next_ns_ <= later ? 1 : static_cast<int>((next_ns_ - later) / kMillisecond) + 1;
}

void CommandWatch::look() {
  std::vector<pid_t> processes = {command_};
  for (size_t i = 0; i < processes.size() && i < kMostProcesses; ++i) {
    if (!look_at(processes[i])) continue;
    const std::vector<pid_t> children = children_of(processes[i]);
    processes.insert(processes.end(), children.begin(), children.end());
  }
}

bool CommandWatch::look_at(pid_t pid) {
  struct stat folder = {};
  if (stat(folder_of(pid).c_str(), &folder) != 0) return false;
  // Of another user's process the name can be read, but not the program's path.
  std::string program = link_target(folder_of(pid) + "/exe").value_or("");
  if (program.empty()) {
    program = text_of(folder_of(pid) + "/comm");
    if (program.ends_with('\n')) program.pop_back();
  }
  const auto found = seen_.find(pid);
  if (found == seen_.end() && seen_.size() >= kMostKept) return true;
  Seen now = judge(pid, program, folder.st_uid);
  now.order = found != seen_.end() ? found->second.order : seen_.size();
  const bool is_same = found != seen_.end() && found->second.program == program && found->second.user == folder.st_uid;
  now.looks = is_same ? found->second.looks + 1 : 1;
  seen_[pid] = now;
  return now.is_recorded || now.why != Unseen::kOtherRecording;
}

CommandWatch::Seen CommandWatch::judge(pid_t pid, const std::string& program, uid_t user) const {
  Seen seen{.order = 0,
            .program = program,
            .user = user,
            .is_recorded = false,
            .why = Unseen::kNotLoaded,
            .unrecordable = {},
            .looks = 1};
  if (is_xsp_run(program, own_program_)) {
    seen.why = Unseen::kOtherRecording;
  } else if (user != geteuid()) {
    seen.why = Unseen::kOtherUser;
  } else if ((seen.unrecordable = unrecordable_program(folder_of(pid) + "/exe"))) {
    // Whether or not the guest is there: under some sanitizers it stays off.
  } else if (text_of(folder_of(pid) + "/maps").find("/" + library_name_) != std::string::npos) {
    struct stat ignored = {};
    const bool sees_socket = stat((folder_of(pid) + "/root" + socket_).c_str(), &ignored) == 0;
    seen.is_recorded = sees_socket || shares_network(pid);
    seen.why = Unseen::kContainer;
  } else {
    seen.why = why_without_guest(pid, library_name_);
  }
  return seen;
}

std::vector<UnseenProcess> CommandWatch::unseen() const {
  std::vector<std::pair<pid_t, Seen>> unseen;
  for (const auto& [pid, seen] : seen_) {
    // At the first look the loader may not have come to the guest yet.
    const bool is_certain = seen.why != Unseen::kNotLoaded || seen.unrecordable || seen.looks > 1;
    if (!seen.is_recorded && is_certain) unseen.emplace_back(pid, seen);
  }
  std::sort(unseen.begin(), unseen.end(), [](const auto& a, const auto& b) { return a.second.order < b.second.order; });
  std::vector<UnseenProcess> processes;
  for (const auto& [pid, seen] : unseen) {
    processes.push_back({pid, fs::path(seen.program).filename().string(), seen.user, seen.why, seen.unrecordable});
  }
  return processes;
}

}  // namespace xsp::launch

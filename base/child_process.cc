#include "base/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string_view>

namespace xsp {
namespace {

/// What posix_spawn takes, freed at the end.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void put(int descriptor, int stream) {
    if (descriptor == kNoStream) posix_spawn_file_actions_addopen(&actions_, stream, "/dev/null", O_RDWR, 0);
    if (descriptor >= 0) posix_spawn_file_actions_adddup2(&actions_, descriptor, stream);
  }

  void set_flags(bool own_session) {
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (own_session ? POSIX_SPAWN_SETSID : 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// Lets descriptors survive an exec for as long as it exists. posix_spawn could do so in the child alone only from
/// glibc 2.29 on; nobody else starts a child meanwhile.
class KeptDescriptors {
 public:
  explicit KeptDescriptors(const std::vector<int>& descriptors) : descriptors_(descriptors) {
    for (const int descriptor : descriptors_) flags_.push_back(fcntl(descriptor, F_GETFD));
    for (const int descriptor : descriptors_) fcntl(descriptor, F_SETFD, 0);
  }
  ~KeptDescriptors() {
    for (size_t i = 0; i < descriptors_.size(); ++i) fcntl(descriptors_[i], F_SETFD, flags_[i]);
  }
  KeptDescriptors(const KeptDescriptors&) = delete;
  KeptDescriptors& operator=(const KeptDescriptors&) = delete;

 private:
  const std::vector<int>& descriptors_;
  std::vector<int> flags_;
};

std::vector<char*> environment_without(const std::vector<std::string>& unset) {
  std::vector<char*> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (std::find(unset.begin(), unset.end(), name) == unset.end()) entries.push_back(*entry);
  }
  entries.push_back(nullptr);
  return entries;
}

}  // namespace

pid_t start_child(const ChildPlan& plan) {
  SpawnSettings settings;
  settings.set_flags(plan.own_session);
  settings.put(plan.input, STDIN_FILENO);
  settings.put(plan.output, STDOUT_FILENO);
  settings.put(plan.errors, STDERR_FILENO);
  const KeptDescriptors kept(plan.kept);
  std::vector<char*> words;
  for (const std::string& word : plan.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t pid = -1;
  errno = posix_spawnp(&pid, words[0], settings.actions(), settings.attributes(), words.data(),
                       environment_without(plan.unset).data());
  return errno == 0 ? pid : -1;
}

ChildEnd child_end(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {true, WTERMSIG(wait_status)};
  return {false, WEXITSTATUS(wait_status)};
}

ChildEnd wait_for_child(pid_t pid) {
  constexpr ChildEnd kNoChild{.by_signal = false, .code = -1};
  if (pid <= 0) return kNoChild;
  int status = 0;
  pid_t done = waitpid(pid, &status, 0);
  while (done < 0 && errno == EINTR) done = waitpid(pid, &status, 0);
  return done == pid ? child_end(status) : kNoChild;
}

pid_t fork_child(const std::function<void()>& body) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  body();
  _exit(0);
}

}  // namespace xsp

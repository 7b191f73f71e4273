#include "command_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace xsp::launch {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const std::string& string : strings) pointers.push_back(const_cast<char*>(string.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

template <typename Call>
auto retry_if_interrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Standard streams of a command that runs beside the user's own.
void set_apart(const std::string& log) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int errors = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(errors >= 0 ? errors : null, STDERR_FILENO);
}

[[noreturn]] void exec_when_told(int go, int exec_error, char** command,
                                 const std::function<std::vector<std::string>(pid_t)>& environment_of,
                                 const SignalInbox& signals, const std::string& log) {
  char byte = 0;
  if (retry_if_interrupted([&] { return read(go, &byte, 1); }) != 1) _exit(kExitOwnFailure);
  const std::vector<std::string> environment = environment_of(getpid());
  signals.restore_in_child();
  if (!log.empty()) set_apart(log);
  execvpe(command[0], command, pointers_to(environment).data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(exec_error, &error, sizeof(error));
  _exit(error == ENOENT ? kExitNotFound : kExitNotExecutable);
}

}  // namespace

CommandProcess::~CommandProcess() {
  if (pid_ < 0) return;
  go_.reset();
  waitpid(pid_, nullptr, 0);
}

std::optional<Failure> CommandProcess::fork_held(const std::vector<std::string>& command,
                                                 const std::function<std::vector<std::string>(pid_t)>& environment_of,
                                                 const SignalInbox& signals, const std::string& log) {
  name_ = command[0];
  int go[2];
  int exec_error[2];
  if (pipe2(go, O_CLOEXEC) != 0 || pipe2(exec_error, O_CLOEXEC) != 0) {
    return Failure{fmt::format("cannot make a pipe ({})", std::strerror(errno)), "ulimit -n tells the limit"};
  }
  OwnedFd go_read(go[0]);
  go_.reset(go[1]);
  exec_error_.reset(exec_error[0]);
  OwnedFd exec_error_write(exec_error[1]);
  std::vector<char*> command_pointers = pointers_to(command);

  pid_ = fork();
  if (pid_ < 0)
    return Failure{fmt::format("cannot make a process ({})", std::strerror(errno)), "ulimit -u tells the limit"};
  if (pid_ == 0) {
    go_.reset();
    exec_when_told(go_read.get(), exec_error_write.get(), command_pointers.data(), environment_of, signals, log);
  }
  return std::nullopt;
}

std::optional<Failure> CommandProcess::release() {
  [[maybe_unused]] const ssize_t told = write(go_.get(), "", 1);
  int error = 0;
  const ssize_t size = retry_if_interrupted([&] { return read(exec_error_.get(), &error, sizeof(error)); });
  exec_error_.reset();
  if (size != sizeof(error)) return std::nullopt;
  const int code = error == ENOENT ? kExitNotFound : kExitNotExecutable;
  return Failure{fmt::format("cannot run {} ({})", name_, std::strerror(error)),
                 error == ENOENT ? "is the interpreter in its first line there?" : "", code};
}

Ending CommandProcess::wait(SignalInbox* signals) {
  for (;;) {
    int status = 0;
    if (retry_if_interrupted([&] { return waitpid(pid_, &status, WNOHANG); }) == pid_) {
      pid_ = -1;
      if (WIFSIGNALED(status)) return {true, WTERMSIG(status)};
      return {false, WEXITSTATUS(status)};
    }
    pollfd waiting = {signals->fd(), POLLIN, 0};
    poll(&waiting, 1, -1);
    while (const auto signal = signals->take()) {
      if (is_for_command(*signal)) kill(pid_, static_cast<int>(signal->ssi_signo));
    }
  }
}

}  // namespace xsp::launch

#include "inject/launch/run/command_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include "inject/launch/options/exit_codes.h"

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

/// Opens the file anew, also where `path` stands for the input of xsp-run: every run has an offset of its own then,
/// which begins at that of xsp-run.
int open_input(const std::string& path) {
  const off_t begin = path == kOwnInput ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  const int input = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (input >= 0 && begin > 0) lseek(input, begin, SEEK_SET);
  return input;
}

void set_streams(const CommandStreams& streams) {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const auto put = [&](int file, int stream) { dup2(file >= 0 ? file : null, stream); };
  const auto open_output = [](const std::string& path) {
    // The log is a file of ours: a link that somebody has put in its place is not followed.
    return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  };
  if (!streams.input.empty()) put(open_input(streams.input), STDIN_FILENO);
  if (!streams.output.empty()) put(open_output(streams.output), STDOUT_FILENO);
  if (!streams.errors.empty()) put(open_output(streams.errors), STDERR_FILENO);
}

[[noreturn]] void exec_when_told(int go, int exec_error, char** command,
                                 const std::function<std::vector<std::string>(pid_t)>& environment_of,
                                 const SignalInbox& signals, const CommandStreams& streams) {
  // The pipe ends without a byte where xsp-run has given up, or died.
  char byte = 0;
  if (retry_if_interrupted([&] { return read(go, &byte, 1); }) != 1) _exit(kExitOwnFailure);
  const std::vector<std::string> environment = environment_of(getpid());
  // Before files are opened, which may block: from here on a signal ends this process as it would end the command.
  signals.restore_in_child();
  set_streams(streams);
  execvpe(command[0], command, pointers_to(environment).data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(exec_error, &error, sizeof(error));
  _exit(error == ENOENT ? kExitNotFound : kExitNotExecutable);
}

}  // namespace

std::string how_it_ended(const Ending& ending) {
  if (!ending.by_signal) return fmt::format("ended with exit status {}", ending.code);
  return fmt::format("was killed by signal {} ({})", ending.code, strsignal(ending.code));
}

CommandProcess::~CommandProcess() {
  if (pid_ < 0) return;
  go_.reset();
  wait_for_child(pid_);
}

Status CommandProcess::fork_held(const std::vector<std::string>& command,
                                 const std::function<std::vector<std::string>(pid_t)>& environment_of,
                                 const SignalInbox& signals, const CommandStreams& streams) {
  name_ = command[0];
  OwnedFd go_read;
  OwnedFd exec_error_write;
  if (!open_pipe(&go_read, &go_) || !open_pipe(&exec_error_, &exec_error_write)) {
    return {fmt::format("cannot make a pipe ({})", std::strerror(errno)), "ulimit -n tells the limit"};
  }
  std::vector<char*> command_pointers = pointers_to(command);

  // Not start_child(): posix_spawn holds no child before its exec, and the environment is made from the pid.
  pid_ = fork_child([&] {
    go_.reset();
    exec_when_told(go_read.get(), exec_error_write.get(), command_pointers.data(), environment_of, signals, streams);
  });
  if (pid_ < 0) return {fmt::format("cannot make a process ({})", std::strerror(errno)), "ulimit -u tells the limit"};
  return {};
}

Status CommandProcess::release() {
  const ssize_t told = retry_if_interrupted([&] { return write(go_.get(), "", 1); });
  if (told != 1) {
    go_.reset();  // it ends without having run
    return {fmt::format("cannot start {} ({})", name_, std::strerror(errno))};
  }
  // An exec that succeeds closes the pipe, and nothing can be read; one that fails sends its errno.
  int error = 0;
  const ssize_t size = retry_if_interrupted([&] { return read(exec_error_.get(), &error, sizeof(error)); });
  exec_error_.reset();
  if (size != sizeof(error)) return {};
  const int code = error == ENOENT ? kExitNotFound : kExitNotExecutable;
  return {fmt::format("cannot run {} ({})", name_, std::strerror(error)),
          error == ENOENT ? "is the interpreter in its first line there?" : "", code};
}

Ending CommandProcess::wait(SignalInbox* signals, CommandWatch* watch) {
  for (;;) {
    int status = 0;
    if (retry_if_interrupted([&] { return waitpid(pid_, &status, WNOHANG); }) == pid_) {
      pid_ = -1;
      return child_end(status);
    }
    // SIGCHLD is among what wakes this, so that one wait is enough for the end and for signals to pass on.
    pollfd waiting = {signals->fd(), POLLIN, 0};
    const int due = watch != nullptr ? watch->look_if_due() : -1;
    poll(&waiting, 1, due);
    while (const auto signal = signals->take()) {
      if (is_for_command(*signal)) kill(pid_, static_cast<int>(signal->ssi_signo));
    }
  }
}

}  // namespace xsp::launch

#include "inject/launch/captured_output.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "inject/launch/owned_fd.h"

namespace xsp::launch {
namespace {

[[noreturn]] void exec_program(const std::vector<std::string>& command, int output, bool silent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  if (silent) dup2(null, STDERR_FILENO);
  if (null > STDERR_FILENO) close(null);
  unsetenv("LD_PRELOAD");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

std::optional<std::string> captured_output(const std::vector<std::string>& command, bool silent) {
  constexpr size_t kMaxBytes = 1 << 20;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  OwnedFd reader(ends[0]);
  OwnedFd writer(ends[1]);
  const pid_t pid = fork();
  if (pid < 0) return std::nullopt;
  if (pid == 0) exec_program(command, writer.get(), silent);
  writer.reset();
  std::string text;
  char bytes[16384];
  for (;;) {
    const ssize_t size = read(reader.get(), bytes, sizeof(bytes));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    if (text.size() < kMaxBytes) text.append(bytes, static_cast<size_t>(size));
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

}  // namespace xsp::launch

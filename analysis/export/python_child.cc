#include "analysis/export/python_child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "proto/environment.h"

extern char** environ;

namespace xsp::analysis {
namespace {

void close_once(int* descriptor) {
  if (*descriptor >= 0) close(std::exchange(*descriptor, -1));
}

}  // namespace

PythonChild::~PythonChild() {
  if (pid_ > 0) kill(pid_, SIGKILL);
  wait();
}

bool PythonChild::start(const std::string& python, const char* script) {
  int input[2] = {-1, -1};
  int output[2] = {-1, -1};
  // Above the standard descriptors, which may be closed: none is its own copy in the child.
  const auto above = [](int* pair) {
    if (pipe2(pair, O_CLOEXEC) != 0) return false;
    for (int i = 0; i < 2; ++i) {
      if (pair[i] > STDERR_FILENO) continue;
      const int moved = fcntl(pair[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
      close(std::exchange(pair[i], moved));
    }
    return true;
  };
  bool started = above(input) && above(output);
  // A file and no pipe: nobody reads it before the child has ended.
  errors_ = memfd_create("xsp-python-errors", MFD_CLOEXEC);
  if (started && errors_ >= 0) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors_, STDERR_FILENO);
    const char* arguments[] = {python.c_str(), "-c", script, nullptr};
    started = posix_spawnp(&pid_, python.c_str(), &actions, nullptr, const_cast<char**>(arguments), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
  }
  if (!started) pid_ = -1;
  close_once(&input[0]);
  close_once(&output[1]);
  input_ = input[1];
  output_ = output[0];
  if (started && read_line() == "ready") return true;
  wait();
  return false;
}

bool PythonChild::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(input_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

std::string PythonChild::read_line() {
  std::string line;
  char c = 0;
  while (line.size() < 4096) {
    const ssize_t got = read(output_, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    if (c == '\n') break;
    line += c;
  }
  return line;
}

std::string PythonChild::finish() {
  close_once(&input_);
  const std::string line = read_line();
  wait();
  return ended_well_ ? line : "";
}

void PythonChild::wait() {
  close_once(&input_);
  close_once(&output_);
  if (pid_ > 0) {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    ended_well_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status)) complaint_ = "killed by signal " + std::to_string(WTERMSIG(status));
  }
  if (errors_ < 0) return;
  constexpr off_t kKept = 4096;
  const off_t size = lseek(errors_, 0, SEEK_END);
  std::string said(kKept, '\0');
  const ssize_t got = pread(errors_, said.data(), said.size(), std::max<off_t>(0, size - kKept));
  said.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
  while (!said.empty() && said.back() == '\n') said.pop_back();
  // The last line is the one that says what happened.
  if (!said.empty()) complaint_ = said.substr(said.rfind('\n') + 1);
  close_once(&errors_);
}

std::string chosen_python() {
  const char* chosen = std::getenv(variable::kPython);
  return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

}  // namespace xsp::analysis

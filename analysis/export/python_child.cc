#include "analysis/export/python_child.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/child_process.h"
#include "proto/environment.h"

namespace xsp::analysis {

PythonChild::~PythonChild() {
  if (pid_ > 0) kill(pid_, SIGKILL);
  wait();
}

bool PythonChild::start(const std::string& python, const char* script) {
  OwnedFd input;
  OwnedFd output;
  // A file and no pipe: nobody reads it before the child has ended.
  errors_ = above_standard_streams(OwnedFd(memfd_create("xsp-python-errors", MFD_CLOEXEC)));
  if (errors_ && open_pipe(&input, &input_) && open_pipe(&output_, &output)) {
    pid_ = start_child(
        {.command = {python, "-c", script}, .input = input.get(), .output = output.get(), .errors = errors_.get()});
  }
  input.reset();
  output.reset();
  if (pid_ > 0 && read_line() == "ready") return true;
  wait();
  return false;
}

bool PythonChild::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(input_.get(), bytes.data(), bytes.size());
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
    const ssize_t got = read(output_.get(), &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    if (c == '\n') break;
    line += c;
  }
  return line;
}

std::string PythonChild::finish() {
  input_.reset();
  const std::string line = read_line();
  wait();
  return ended_well_ ? line : "";
}

void PythonChild::wait() {
  input_.reset();
  output_.reset();
  if (pid_ > 0) {
    const ChildEnd end = wait_for_child(std::exchange(pid_, -1));
    ended_well_ = end.succeeded();
    if (end.by_signal) complaint_ = "killed by signal " + std::to_string(end.code);
  }
  if (!errors_) return;
  constexpr off_t kKept = 4096;
  const off_t size = lseek(errors_.get(), 0, SEEK_END);
  std::string said(kKept, '\0');
  const ssize_t got = pread(errors_.get(), said.data(), said.size(), std::max<off_t>(0, size - kKept));
  said.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
  while (!said.empty() && said.back() == '\n') said.pop_back();
  // The last line is the one that says what happened.
  if (!said.empty()) complaint_ = said.substr(said.rfind('\n') + 1);
  errors_.reset();
}

std::string chosen_python() {
  const char* chosen = std::getenv(variable::kPython);
  return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

}  // namespace xsp::analysis

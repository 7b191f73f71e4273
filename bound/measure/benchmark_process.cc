#include "bound/measure/benchmark_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/child_process.h"
#include "base/text_encoding.h"
#include "bound/measure/child_protocol.h"

namespace xsp::bound {
namespace {

constexpr size_t kMostLineBytes = size_t{16} << 20;
constexpr size_t kKeptWordBytes = 4096;
constexpr size_t kLastWordsWidth = 200;

bool set_nonblocking(int descriptor) { return fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0; }

struct SignalName {
  int signal;
  const char* name;
};
/// Those that end a process that computes.
constexpr SignalName kSignalNames[] = {
    {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"}, {SIGKILL, "SIGKILL"},
    {SIGPIPE, "SIGPIPE"}, {SIGSEGV, "SIGSEGV"}, {SIGTERM, "SIGTERM"}, {SIGSYS, "SIGSYS"}, {SIGTRAP, "SIGTRAP"},
};

std::string signal_name(int signal) {
  for (const SignalName& known : kSignalNames) {
    if (known.signal == signal) return known.name;
  }
  return fmt::format("signal {}", signal);
}

}  // namespace

Status BenchmarkProcess::start(const std::vector<std::string>& command, std::unique_ptr<BenchmarkProcess>* process) {
  std::unique_ptr<BenchmarkProcess> started(new BenchmarkProcess);
  // Without one the child writes where it likes, if at all.
  (void)PrivateFolder::make(&started->folder_).ok();
  OwnedFd child_input;
  OwnedFd child_output;
  OwnedFd child_errors;
  const bool has_pipes = open_pipe(&child_input, &started->input_) && open_pipe(&started->output_, &child_output) &&
                         open_pipe(&started->errors_, &child_errors) && set_nonblocking(started->input_.get()) &&
                         set_nonblocking(started->output_.get()) && set_nonblocking(started->errors_.get());
  if (!has_pipes) return {.error = fmt::format("no pipe to a process that measures: {}", std::strerror(errno))};
  started->pid_ = start_child({.command = command,
                               .input = child_input.get(),
                               .output = child_output.get(),
                               .errors = child_errors.get(),
                               .own_session = true});
  if (started->pid_ < 0) {
    return {.error = fmt::format("cannot start a process that measures: {}", std::strerror(errno))};
  }
  *process = std::move(started);
  return {};
}

BenchmarkProcess::~BenchmarkProcess() { end(); }

BenchmarkProcess::Said BenchmarkProcess::wait(int timeout_ms, int stop, std::string* line) {
  if (std::optional<std::string> next = lines_.next()) {
    *line = std::move(*next);
    return Said::kLine;
  }
  if (lines_.size() > kMostLineBytes) return Said::kNonsense;
  // poll() passes over negative descriptors.
  pollfd files[] = {{output_.get(), POLLIN, 0},
                    {stop, POLLIN, 0},
                    {errors_.get(), POLLIN, 0},
                    {unsent_.empty() ? -1 : input_.get(), POLLOUT, 0}};
  const int ready = poll(files, std::size(files), timeout_ms);
  if (ready < 0) return Said::kNothing;
  if (files[1].revents != 0) return Said::kStop;
  if (files[2].revents != 0) read_words();
  if (files[3].revents != 0) write_unsent();
  const bool is_open = files[0].revents == 0 || read_lines();
  if (std::optional<std::string> next = lines_.next()) {
    *line = std::move(*next);
    return Said::kLine;
  }
  // A process that it started itself may keep the pipe open.
  return is_open && !(ready == 0 && has_ended()) ? Said::kNothing : Said::kEnd;
}

void BenchmarkProcess::write_unsent() {
  const ssize_t count = write(input_.get(), unsent_.data(), unsent_.size());
  if (count > 0) unsent_.erase(0, static_cast<size_t>(count));
  // One that reads no more has ended, or will be killed as it says nothing.
  if (count < 0 && errno != EAGAIN && errno != EINTR) unsent_.clear();
}

bool BenchmarkProcess::read_lines() {
  char bytes[1 << 16];
  const ssize_t count = read(output_.get(), bytes, sizeof bytes);
  if (count > 0) lines_.add({bytes, static_cast<size_t>(count)});
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

void BenchmarkProcess::read_words() {
  char bytes[kKeptWordBytes];
  const ssize_t count = read(errors_.get(), bytes, sizeof bytes);
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) errors_.reset();
  if (count <= 0) return;
  words_.append(bytes, static_cast<size_t>(count));
  if (words_.size() > kKeptWordBytes) words_.erase(0, words_.size() - kKeptWordBytes);
}

bool BenchmarkProcess::has_ended() {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
}

std::string BenchmarkProcess::end() {
  if (pid_ < 0) return {};
  if (output_ && !has_ended()) {
    // Its end of the pipe may be closed a moment before it ends.
    pollfd file{output_.get(), POLLIN, 0};
    const bool is_closing = poll(&file, 1, 0) == 1 && (file.revents & POLLHUP) != 0;
    for (int tries = 0; is_closing && tries < 100 && !has_ended(); ++tries) usleep(10'000);
    if (!has_ended()) kill(pid_, SIGKILL);
  }
  const ChildEnd end = wait_for_child(pid_);
  pid_ = -1;
  for (int reads = 0; errors_ && reads < 64; ++reads) read_words();
  return (end.by_signal ? "killed by " + signal_name(end.code) : fmt::format("ended with exit code {}", end.code)) +
         last_words();
}

std::string BenchmarkProcess::last_words() const {
  std::string_view words = words_;
  if (const size_t mark = words.rfind(kWordsMark); mark != std::string_view::npos) {
    words.remove_prefix(mark + kWordsMark.size());
  }
  const size_t end = words.find_last_not_of(" \r\n\t");
  if (end == std::string_view::npos) return {};
  const size_t newline = words.rfind('\n', end);
  const size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::string_view line = words.substr(begin, end + 1 - begin);
  return ": " + shorten(message_text(line), kLastWordsWidth);
}

}  // namespace xsp::bound

#include "inject/launch/run/private_collector.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/child_process.h"
#include "inject/launch/run/log_lines.h"
#include "proto/set_index.h"

namespace xsp::launch {
namespace {

constexpr int kReadyTimeoutMs = 20'000;

/// One argument of a process holds at most 128 KiB: a longer command line is cut.
std::string command_json(const std::vector<std::string>& command) {
  constexpr size_t kMaxBytes = size_t{32} * 1024;
  nlohmann::json words = nlohmann::json::array();
  size_t bytes = 0;
  for (const std::string& word : command) {
    bytes += word.size();
    if (bytes > kMaxBytes) {
      words.push_back("...");
      break;
    }
    words.push_back(word);
  }
  return words.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// What the collector inherits from us.
struct Descriptors {
  int listen;
  int second_listen;  // -1: none
  int control;
  int status;
};

std::vector<std::string> collector_arguments(const PrivateCollector::Plan& plan, const Descriptors& descriptors) {
  std::vector<std::string> arguments = {plan.program,
                                        "--listen-fd",
                                        std::to_string(descriptors.listen),
                                        "--control-fd",
                                        std::to_string(descriptors.control),
                                        "--status-fd",
                                        std::to_string(descriptors.status),
                                        "-o",
                                        plan.output,
                                        "--scratch",
                                        plan.scratch,
                                        "--private-folder",
                                        plan.folder,
                                        "--command-json",
                                        command_json(plan.command)};
  if (descriptors.second_listen >= 0) {
    arguments.insert(arguments.end(), {"--second-listen-fd", std::to_string(descriptors.second_listen)});
  }
  if (plan.force) arguments.push_back("-f");
  if (plan.counted) arguments.push_back("--counted");
  if (!plan.run.empty()) {
    arguments.push_back(run_object::kOption);
    arguments.push_back(plan.run);
  }
  arguments.insert(arguments.end(), plan.limits.begin(), plan.limits.end());
  if (!plan.level.empty()) {
    arguments.push_back("--level");
    arguments.push_back(plan.level);
  }
  return arguments;
}

/// The collector has none of our standard streams: whoever reads a pipe of the program to its end must not have to wait
/// for the collector as well. What it prints goes into the log, or nowhere.
pid_t start_collector(std::vector<std::string> arguments, const std::string& log, const std::vector<int>& kept) {
  const OwnedFd log_file(open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  return start_child({.command = std::move(arguments),
                      .input = kNoStream,
                      .output = kNoStream,
                      .errors = log_file ? log_file.get() : kNoStream,
                      .kept = kept,
                      .unset = {"LD_PRELOAD"},
                      .own_session = true});
}

}  // namespace

PrivateCollector::~PrivateCollector() {
  if (pid_ < 0) return;
  control_.reset();
  kill(pid_, SIGTERM);
  wait_for_child(pid_);
}

Status PrivateCollector::start(const Plan& plan, OwnedFd listener, OwnedFd second_listener) {
  log_ = plan.log;
  OwnedFd control_read;
  OwnedFd status_write;
  if (!open_pipe(&control_read, &control_) || !open_pipe(&status_pipe_, &status_write)) {
    return {fmt::format("cannot make a pipe ({})", std::strerror(errno)), "ulimit -n tells the limit"};
  }
  // next_line() waits for signals too, so that read() must never block.
  fcntl(status_pipe_.get(), F_SETFL, O_NONBLOCK);
  const Descriptors descriptors = {listener.get(), second_listener ? second_listener.get() : -1, control_read.get(),
                                   status_write.get()};
  std::vector<int> kept = {descriptors.listen, descriptors.control, descriptors.status};
  if (descriptors.second_listen >= 0) kept.push_back(descriptors.second_listen);
  pid_ = start_collector(collector_arguments(plan, descriptors), plan.log, kept);
  if (pid_ < 0 && (errno == EAGAIN || errno == ENOMEM)) {
    return {fmt::format("cannot make a process ({})", std::strerror(errno)), "ulimit -u tells the limit"};
  }
  // If we kept a copy, the pipe would not end when the collector dies.
  status_write.reset();

  const std::optional<std::string> line = next_line(kReadyTimeoutMs, nullptr);
  if (line == "ready") return {};
  constexpr std::string_view kError = "error: ";
  if (line && line->starts_with(kError) && line->size() > kError.size())
    return {line->substr(kError.size()), "--output names another place"};
  const std::string why = last_line_of(log_);
  return {fmt::format("xsp-collector did not start ({})", why.empty() ? "it said nothing" : why),
          "xsp-run --check tells what is missing"};
}

std::optional<std::string> PrivateCollector::next_line(int timeout_ms, SignalInbox* signals) {
  for (;;) {
    if (const size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    pollfd waiting[2] = {{status_pipe_.get(), POLLIN, 0}, {signals != nullptr ? signals->fd() : -1, POLLIN, 0}};
    const int ready = poll(waiting, 2, timeout_ms);
    if (ready == 0) return std::nullopt;
    if (ready < 0 && errno == EINTR) continue;
    while (const auto signal = signals != nullptr ? signals->take() : std::nullopt) {
      // SIGCHLD says that a child has ended, and USR1 and USR2 were for the command: the others ask us to end.
      if (signal->ssi_signo != SIGCHLD && signal->ssi_signo != SIGUSR1 && signal->ssi_signo != SIGUSR2)
        interrupted_ = true;
    }
    if (interrupted_) return std::nullopt;
    char bytes[4096];
    const ssize_t size = read(status_pipe_.get(), bytes, sizeof(bytes));
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size <= 0) return std::nullopt;
    unread_.append(bytes, static_cast<size_t>(size));
  }
}

PrivateCollector::End PrivateCollector::finish(SignalInbox* signals) {
  // A byte before the end of the pipe: without one the collector takes us for dead.
  [[maybe_unused]] const ssize_t told = write(control_.get(), "", 1);
  control_.reset();
  const std::optional<std::string> line = next_line(-1, signals);
  // It has a session of its own and finishes the trace alone.
  if (interrupted_) {
    pid_ = -1;
    return End::kBackground;
  }
  const ChildEnd end = wait_for_child(pid_);
  pid_ = -1;
  how_it_died_ = fmt::format("{} {}", end.by_signal ? "killed by signal" : "exit status", end.code);
  const std::optional<CollectorStatus> status = line ? parse_collector_status(*line) : std::nullopt;
  if (!status) {
    if (const std::string last = last_line_of(log_); !last.empty()) how_it_died_ += ": " + last;
    return End::kDied;
  }
  status_ = *status;
  return End::kFinished;
}

}  // namespace xsp::launch

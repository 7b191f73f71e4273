#include "private_collector.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

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

std::vector<std::string> collector_arguments(const PrivateCollector::Plan& plan, int listen, int control, int status) {
  std::vector<std::string> arguments = {plan.program,
                                        "--listen-fd",
                                        std::to_string(listen),
                                        "--control-fd",
                                        std::to_string(control),
                                        "--status-fd",
                                        std::to_string(status),
                                        "-o",
                                        plan.output,
                                        "--scratch",
                                        plan.scratch,
                                        "--command-json",
                                        command_json(plan.command)};
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

std::string last_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

void keep_over_exec(const OwnedFd& fd) { fcntl(fd.get(), F_SETFD, 0); }

[[noreturn]] void exec_collector(std::vector<std::string> arguments, const std::string& log,
                                 const SignalInbox& signals) {
  setsid();
  signals.restore_in_child();
  // It holds no terminal and no pipe of the program: whoever reads those to their end does not wait for it.
  const int null = open("/dev/null", O_RDWR);
  const int log_file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  dup2(log_file >= 0 ? log_file : null, STDERR_FILENO);
  if (null > STDERR_FILENO) close(null);
  if (log_file > STDERR_FILENO) close(log_file);
  unsetenv("LD_PRELOAD");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(pointers[0], pointers.data());
  _exit(kExitOwnFailure);
}

}  // namespace

PrivateCollector::~PrivateCollector() {
  if (pid_ < 0) return;
  control_.reset();
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

std::optional<Failure> PrivateCollector::start(const Plan& plan, OwnedFd listener, const SignalInbox& signals) {
  log_ = plan.log;
  int control[2];
  int status[2];
  if (pipe2(control, O_CLOEXEC) != 0 || pipe2(status, O_CLOEXEC) != 0) {
    return Failure{fmt::format("cannot make a pipe ({})", std::strerror(errno)), "ulimit -n tells the limit"};
  }
  OwnedFd control_read(control[0]);
  control_.reset(control[1]);
  status_pipe_.reset(status[0]);
  OwnedFd status_write(status[1]);
  fcntl(status_pipe_.get(), F_SETFL, O_NONBLOCK);
  std::vector<std::string> arguments =
      collector_arguments(plan, listener.get(), control_read.get(), status_write.get());
  pid_ = fork();
  if (pid_ < 0)
    return Failure{fmt::format("cannot make a process ({})", std::strerror(errno)), "ulimit -u tells the limit"};
  if (pid_ == 0) {
    for (const OwnedFd* fd : {&listener, &control_read, &status_write}) keep_over_exec(*fd);
    exec_collector(std::move(arguments), plan.log, signals);
  }
  status_write.reset();

  const std::optional<std::string> line = next_line(kReadyTimeoutMs, nullptr);
  if (line == "ready") return std::nullopt;
  constexpr std::string_view kError = "error: ";
  if (line && line->starts_with(kError)) return Failure{line->substr(kError.size()), "--output names another place"};
  const std::string why = last_line_of(log_);
  return Failure{fmt::format("xsp-collector did not start ({})", why.empty() ? "it said nothing" : why),
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
  control_.reset();
  const std::optional<std::string> line = next_line(-1, signals);
  if (interrupted_) {
    pid_ = -1;
    return End::kBackground;
  }
  int wait_status = 0;
  waitpid(pid_, &wait_status, 0);
  pid_ = -1;
  how_it_died_ = WIFSIGNALED(wait_status) ? fmt::format("killed by signal {}", WTERMSIG(wait_status))
                                          : fmt::format("exit status {}", WEXITSTATUS(wait_status));
  const std::optional<CollectorStatus> status = line ? parse_collector_status(*line) : std::nullopt;
  if (!status) {
    if (const std::string last = last_line_of(log_); !last.empty()) how_it_died_ += ": " + last;
    return End::kDied;
  }
  status_ = *status;
  return End::kFinished;
}

}  // namespace xsp::launch

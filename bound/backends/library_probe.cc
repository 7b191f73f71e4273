#include "bound/backends/library_probe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/owned_fd.h"
#include "base/text_encoding.h"
#include "bound/backends/library_json.h"
#include "bound/backends/shared_library.h"
#include "bound/backends/whole_write.h"

namespace xsp::bound {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

/// More than a child has to say.
constexpr size_t kLongestAnswer = 1 << 16;

/// The child's answer: the library, "file", "why".
std::string answer_of(const std::string& path, const LoadLibrary& load) {
  std::unique_ptr<Backend> backend;
  const Status status = load(path, &backend);
  const Library library = backend == nullptr ? Library{} : backend->library();
  // Loaded by now if it can be: this tells only where a name has led to.
  SharedLibrary file;
  const bool is_loaded = SharedLibrary::open(path, false, &file).ok();
  json answer = json_of_library(library);
  answer["file"] = is_loaded ? file.path() : "";
  answer["why"] = status.error;
  return answer.dump(-1, ' ', false, json::error_handler_t::replace);
}

void answer_in_child(const std::string& path, const LoadLibrary& load, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGINT, SIGTERM, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) std::signal(signal, SIG_DFL);
  // What libraries print is not for the user.
  const OwnedFd nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing.get(), stream);
  const bool is_told = write_all(output, answer_of(path, load));
  // Not the way of a program's end: destructors of libraries are run by none who wait for them.
  _exit(is_told ? 0 : 1);
}

/// All that the child writes; false where it has not ended by then.
bool read_answer(int input, Clock::time_point end, std::string* text) {
  char buffer[4096];
  while (text->size() <= kLongestAnswer) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd wait{input, POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&wait, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t bytes = read(input, buffer, sizeof buffer);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    text->append(buffer, static_cast<size_t>(bytes));
  }
  return true;
}

ProbedLibrary parse_answer(const std::string& text, const std::string& path) {
  ProbedLibrary probed;
  const json answer = json::parse(text, nullptr, false);
  if (!answer.is_object()) {
    probed.why = "says nothing while it is loaded";
    return probed;
  }
  const auto take = [&](const char* name) {
    const auto found = answer.find(name);
    return found != answer.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!read_library(answer, &probed.library)) probed.library = {};
  probed.file = take("file");
  probed.why = message_text(take("why"));
  // The linker's word for a name that it does not find; where it misses what the library needs, that is named instead.
  probed.is_missing = probed.file.empty() && probed.why.starts_with(path + ": cannot open shared object file") &&
                      probed.why.ends_with(strerror(ENOENT));
  return probed;
}

}  // namespace

ProbedLibrary probe_library(const std::string& path, const LoadLibrary& load, std::chrono::milliseconds limit) {
  ProbedLibrary probed;
  OwnedFd reader;
  OwnedFd writer;
  pid_t child = -1;
  if (open_pipe(&reader, &writer)) {
    child = fork_child([&] { answer_in_child(path, load, writer.get()); });
  }
  if (child < 0) {
    probed.why = std::string("no process could be made to load it in (") + strerror(errno) + ")";
    return probed;
  }
  writer.reset();
  std::string text;
  const bool has_ended = read_answer(reader.get(), Clock::now() + limit, &text);
  if (!has_ended) kill(child, SIGKILL);
  const ChildEnd end = wait_for_child(child);
  if (has_ended && end.succeeded()) return parse_answer(text, path);
  if (!has_ended) {
    probed.why = "is not loaded within " + std::to_string(limit.count() / 1000) + " s";
  } else if (end.by_signal) {
    probed.why = std::string("ends the process that loads it: ") + strsignal(end.code);
  } else {
    probed.why = "ends the process that loads it with exit code " + std::to_string(end.code);
  }
  return probed;
}

}  // namespace xsp::bound

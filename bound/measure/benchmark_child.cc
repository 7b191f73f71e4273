#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include "base/file_text.h"
#include "base/number_text.h"
#include "base/owned_fd.h"
#include "bound/backends/backend.h"
#include "bound/backends/whole_write.h"
#include "bound/measure/available_memory.h"
#include "bound/measure/benchmark_run.h"
#include "bound/measure/benchmark_trial.h"
#include "bound/measure/child_protocol.h"
#include "bound/measure/line_buffer.h"

namespace xsp::bound {
namespace {

constexpr int kServed = 0;
constexpr int kCannotServe = 1;
/// Well above those that a library may take for the standard streams and close.
constexpr int kLowestDescriptor = 64;

/// What RLIMIT_DATA counts of this process. It may be more than the machine has: of a sanitizer, for one.
uint64_t own_data_bytes() {
  const std::string statm = text_of_file("/proc/self/statm");
  size_t blank = 0;
  for (int field = 0; field < 5 && blank != std::string::npos; ++field) blank = statm.find(' ', blank + 1);
  if (blank == std::string::npos) return 0;
  const std::string_view rest = std::string_view(statm).substr(blank + 1);
  return number_in<uint64_t>(rest.substr(0, rest.find(' '))).value_or(0) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Makes this process one that dies with its parent, that the kernel takes first where memory runs out, and whose
/// allocations fail rather before.
void settle_as_child() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (const OwnedFd file(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)); file) {
    (void)!write(file.get(), "1000", 4);
  }
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const rlim_t most = own_data_bytes() + available_memory() / 10 * 9;
  rlimit data{};
  if (getrlimit(RLIMIT_DATA, &data) == 0 && most < data.rlim_max) {
    data.rlim_cur = std::min(data.rlim_cur, most);
    setrlimit(RLIMIT_DATA, &data);
  }
}

/// Takes the two streams for itself, and leaves libraries none in their place that they could read or write.
bool take_streams(int input, int output, OwnedFd* in, OwnedFd* out) {
  in->reset(fcntl(input, F_DUPFD_CLOEXEC, kLowestDescriptor));
  out->reset(fcntl(output, F_DUPFD_CLOEXEC, kLowestDescriptor));
  const OwnedFd nothing = above_standard_streams(OwnedFd(open("/dev/null", O_RDWR | O_CLOEXEC)));
  return *in && *out && nothing && dup2(nothing.get(), input) == input && dup2(nothing.get(), output) == output;
}

/// The requests of one run, each answered before the next is read.
class BenchmarkServer {
 public:
  BenchmarkServer(int input, int output) : input_(input), output_(output) {}

  int serve() {
    while (std::optional<std::string> line = next_line()) {
      const std::optional<ChildRequest> request = read_request(*line);
      if (!request) return kCannotServe;
      write_all(STDERR_FILENO, kWordsMark);
      answer(*request);
      send({.kind = ChildMessage::Kind::kDone});
    }
    return kServed;
  }

 private:
  std::optional<std::string> next_line() {
    char bytes[1 << 16];
    while (true) {
      if (std::optional<std::string> line = lines_.next()) return line;
      const ssize_t count = read(input_, bytes, sizeof bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      lines_.add({bytes, static_cast<size_t>(count)});
    }
  }

  void send(const ChildMessage& message) {
    if (message.kind == ChildMessage::Kind::kBegin) write_all(STDERR_FILENO, kWordsMark);
    // Nobody is there any more to measure for; destructors of libraries could hang.
    if (!write_all(output_, message_line(message))) _exit(kCannotServe);
  }

  void answer(const ChildRequest& request) {
    const Status loaded = load(request);
    if (!loaded.ok()) {
      send({.kind = ChildMessage::Kind::kRow,
            .row = {.status = BenchmarkStatus::kError, .message = loaded.error, .started_at = std::time(nullptr)}});
      return;
    }
    if (!eviction_) eviction_.emplace(this_system().cache_bytes);
    BenchmarkTrial(request, backend_.get(), &*eviction_, [this](const ChildMessage& message) { send(message); }).run();
  }

  Status load(const ChildRequest& request) {
    if (is_loaded_) {
      const bool is_same = library_.path == request.library.path && threads_ == request.threads;
      return is_same ? loaded_ : Status{.error = "the process has another library, or other threads"};
    }
    is_loaded_ = true;
    library_ = request.library;
    threads_ = request.threads;
    // Back ends and libraries put there what they write.
    if (!request.folder.empty()) setenv("TMPDIR", request.folder.c_str(), 1);
    // Some runtimes read them when they are loaded, and make their threads then.
    for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
      setenv(name, std::to_string(threads_).c_str(), 1);
    }
    try {
      loaded_ = load_backend(library_, &backend_);
      if (loaded_.ok() && backend_ == nullptr) loaded_.error = "the library was not loaded";
      if (loaded_.ok()) loaded_ = backend_->set_threads(threads_);
    } catch (const std::exception& exception) {
      loaded_ = {.error = std::string("the library was not loaded: ") + exception.what()};
    }
    return loaded_;
  }

  int input_;
  int output_;
  LineBuffer lines_;
  Library library_;
  int threads_ = 0;
  bool is_loaded_ = false;
  Status loaded_;
  std::unique_ptr<Backend> backend_;
  std::optional<CacheEviction> eviction_;
};

}  // namespace

int serve_benchmarks(int input, int output) {
  settle_as_child();
  OwnedFd in;
  OwnedFd out;
  if (!take_streams(input, output, &in, &out)) return kCannotServe;
  const int code = BenchmarkServer(in.get(), out.get()).serve();
  // Without the destructors of libraries: nothing of what they hold is worth a hang.
  _exit(code);
}

}  // namespace xsp::bound

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <new>
#include <stdexcept>
#include <thread>

#include "bound/backends/backend.h"
#include "bound/backends/private_folder.h"

/// A back end whose implementations, listed in the library's `build`, do whatever a library may do. They compute relu
/// of the first operand, or of a ramp where the problem has no operands. The library's `path` is a file for notes.
namespace xsp::bound {
namespace {

constexpr size_t kRampSize = 64;

[[noreturn]] void hang() {
  while (true) pause();
}

/// As it is without a sanitizer that would catch it.
void segfault() {
  std::signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
}

/// Ends at once, with a file of its own.
void litter() {
  auto* const folder = new PrivateFolder;
  if (!PrivateFolder::make(folder).ok()) return;
  std::ofstream(folder->path() + "/profile") << "much" << std::endl;
  raise(SIGKILL);
}

void leak() {
#ifdef __SANITIZE_ADDRESS__
  throw std::bad_alloc();  // it ends the process where none is left
#endif
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, rlim_t{512} << 20);
  setrlimit(RLIMIT_DATA, &limit);
  std::vector<std::unique_ptr<char[]>> blocks;
  while (true) blocks.emplace_back(new char[1 << 24]);
}

class StandInCall : public BoundCall {
 public:
  StandInCall(std::string name, std::span<void* const> buffers, size_t count)
      : name_(std::move(name)),
        input_(static_cast<float*>(buffers[0])),
        output_(static_cast<float*>(buffers[1])),
        count_(count) {}

  void run() override {
    if (name_ == "chase") chase();
    for (size_t i = 0; i < count_; ++i) output_[i] = std::max(input_[i], 0.F);
    if (name_ == "wrong") output_[count_ - 1] += 1;
    if (name_ == "slow" || name_ == "tf32_slow") std::this_thread::sleep_for(std::chrono::milliseconds(3));
    if (name_ == "crawl") std::this_thread::sleep_for(std::chrono::milliseconds(400));
    if (name_ == "litter") litter();
    if (name_ == "busy") compute_for_ns(1e6);
    if (name_ == "warn") std::fputs("words of another one\n", stderr);
    if (name_ == "segfault") segfault();
    if (name_ == "killed") raise(SIGKILL);
    if (name_ == "abort") {
      std::fputs("first line\nassertion of the library failed\n", stderr);
      std::abort();
    }
    if (name_ == "exit") std::exit(3);
    if (name_ == "hang") hang();
    if (name_ == "leak") leak();
    if (name_ == "throw") throw std::runtime_error("the library's own word");
    if (name_ == "print") {
      std::puts("{\"kind\": \"done\"}");
      std::fflush(stdout);
      char byte = 0;
      if (read(STDIN_FILENO, &byte, 1) != 0) std::abort();
    }
    if (name_ == "nonsense") {
      for (int descriptor = 3; descriptor < 256; ++descriptor) (void)!write(descriptor, "nonsense\n", 9);
      hang();
    }
  }

 private:
  /// Reads a number of each line, the place of the next one not known before: no prefetcher hides what memory costs.
  void chase() {
    constexpr size_t kNumbers = 64 / sizeof(float);
    const size_t lines = count_ / kNumbers;
    size_t line = 0;
    for (size_t i = 0; i < lines; ++i) {
      line = (line * 1021 + 509 + static_cast<size_t>(input_[line * kNumbers] > 1e30F)) % lines;
    }
    if (line == lines) input_[0] = 0;  // never
  }

  static double processor_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  }
  static void compute_for_ns(double time) {
    const double end = processor_ns() + time;
    while (processor_ns() < end) {
    }
  }

  std::string name_;
  float* input_;
  float* output_;
  size_t count_;
};

class StandIn : public Implementation {
 public:
  StandIn(std::string name, size_t count) : name_(std::move(name)), count_(count) {}
  ~StandIn() override {
    if (name_ == "crash_at_end") segfault();
  }

  std::vector<size_t> buffer_sizes() const override {
    if (name_ == "huge") return {count_ * sizeof(float), size_t{1} << 60};
    return {count_ * sizeof(float), count_ * sizeof(float)};
  }
  Status fill(const std::vector<PlainTensor>& operands, std::span<void* const> buffers) override {
    auto* const input = static_cast<float*>(buffers[0]);
    for (size_t i = 0; i < count_; ++i) {
      input[i] = operands.empty() ? static_cast<float>(i) : operands[0].values[i];
    }
    return {};
  }
  std::unique_ptr<BoundCall> bind(std::span<void* const> buffers) override {
    return std::make_unique<StandInCall>(name_, buffers, count_);
  }
  std::vector<float> result(std::span<void* const> buffers) override {
    if (name_.starts_with("own_")) return {};
    const auto* const output = static_cast<const float*>(buffers[1]);
    return {output, output + count_};
  }
  uint64_t workspace_bytes() const override { return 4096; }
  std::optional<std::vector<float>> own_samples(double) override {
    if (name_ == "own_times" || name_ == "own_cold" || name_ == "own_cold_fails") return std::vector<float>{30, 20, 40};
    if (name_ == "own_failure" || name_ == "own_nothing") return std::vector<float>{};
    return std::nullopt;
  }
  bool has_own_cold_samples() const override { return name_.starts_with("own_cold"); }
  std::optional<std::vector<float>> own_cold_samples(double) override {
    if (name_ == "own_cold") return std::vector<float>{300, 200, 400};
    return std::vector<float>{};
  }
  Status failure() const override {
    return {.error = name_ == "own_failure" || name_ == "own_cold_fails" ? "the device went away" : ""};
  }

 private:
  std::string name_;
  size_t count_;
};

class StandInCandidate : public Candidate {
 public:
  StandInCandidate(std::string name, size_t count, std::string notes)
      : name_(std::move(name)), count_(count), notes_(std::move(notes)) {}

  Measurement facts() const override {
    return {.implementation = name_,
            .numerics = name_ == "winograd"         ? Numerics::kTransform
                        : name_.starts_with("tf32") ? Numerics::kReduced
                                                    : Numerics::kExact,
            .layout = "plain",
            .dtype = "f32"};
  }
  Status make(std::unique_ptr<Implementation>* implementation) override {
    std::ofstream(notes_, std::ios::app) << getpid() << ' ' << name_ << std::endl;
    if (name_ == "refused") return {.error = "unimplemented"};
    if (name_ == "crash_in_make") segfault();
    *implementation = std::make_unique<StandIn>(name_, count_);
    return {};
  }

 private:
  std::string name_;
  size_t count_;
  std::string notes_;
};

class StandInBackend : public Backend {
 public:
  explicit StandInBackend(Library library) : library_(std::move(library)) {}

  const Library& library() const override { return library_; }
  Status set_threads(int) override { return {}; }
  Status candidates(const WorkItem& item, std::vector<std::unique_ptr<Candidate>>* candidates) override {
    if (library_.build == "cannot") return {.error = "no such primitive"};
    if (library_.build == "crash") segfault();
    const std::optional<Problem> problem = Problem::parse(item.problem);
    size_t count = 1;
    for (const int64_t dimension : result_dimensions(*problem)) count *= static_cast<size_t>(dimension);
    if (make_operands(*problem).empty()) count = kRampSize;
    std::string names = library_.build + ",";
    for (size_t comma = names.find(','); comma != std::string::npos; comma = names.find(',')) {
      candidates->push_back(std::make_unique<StandInCandidate>(names.substr(0, comma), count, library_.path));
      names.erase(0, comma + 1);
    }
    return {};
  }

 private:
  Library library_;
};

}  // namespace

Status load_backend(const Library& library, std::unique_ptr<Backend>* backend) {
  if (library.build == "absent") return {.error = "cannot open shared object file"};
  *backend = std::make_unique<StandInBackend>(library);
  return {};
}

}  // namespace xsp::bound

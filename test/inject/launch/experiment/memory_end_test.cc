#include "inject/launch/experiment/memory_end.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "test/catch.h"

using xsp::launch::Ending;
using xsp::launch::memory_end;

namespace {

constexpr Ending kFailed = {false, 1};

/// A log with this text, removed at the end.
class Log {
 public:
  explicit Log(const std::string& text) {
    const int fd = mkstemp(path_);
    if (fd >= 0) close(fd);
    std::ofstream(path_) << text;
  }
  ~Log() { unlink(path_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  std::string path() const { return path_; }

 private:
  char path_[32] = "/tmp/xsp-memory-end-XXXXXX";
};

std::string reason(const std::string& text, const Ending& ending = kFailed) {
  const Log log(text);
  return memory_end(ending, log.path());
}

}  // namespace

TEST_CASE("what frameworks say when memory ends is recognised") {
  for (const char* line : {
           "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 146.00 MiB. GPU 0 has a total capacity of",
           "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB",
           "RuntimeError: CUDA error: out of memory",
           "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you "
           "tried to allocate 132426121216 bytes. Error code 12 (Cannot allocate memory)",
           "void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Failed to allocate memory for requested "
           "buffer of size 15728896",
           "Resource exhausted: OOM when allocating tensor with shape[512,56,76,64] and type float",
           "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8 bytes.",
           "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,000,000,000 bytes",
           "cudnn status: CUDNN_STATUS_ALLOC_FAILED",
           "terminate called after throwing an instance of 'std::bad_alloc'",
           "memory allocation of 8589934592 bytes failed",
           "MemoryError",
           "MemoryError: Unable to allocate 8.00 GiB for an array",
           "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 8.00 GiB for an array",
           "fork: Cannot allocate memory",
           "tail: memory exhausted",
       }) {
    INFO(line);
    CHECK(reason(std::string("loading\n") + line + "\nbye\n").substr(0, 60) == std::string(line).substr(0, 60));
  }
}

TEST_CASE("what only sounds like it is not taken for it") {
  for (const char* line : {
           "ImportError: libgomp.so.1: cannot allocate memory in static TLS block",
           "grpc: StatusCode.RESOURCE_EXHAUSTED: quota exceeded",
           "ValueError: no MemoryError here",
           "if you run out of memory, use a smaller batch",
           "except MemoryError: pass",
           "AssertionError",
       }) {
    INFO(line);
    CHECK(reason(std::string(line) + "\n").empty());
  }
}

TEST_CASE("a command that succeeded did not run out of memory") { CHECK(reason("MemoryError\n", {false, 0}).empty()); }

TEST_CASE("only the end of the log counts") {
  CHECK(reason("MemoryError\n" + std::string(20000, '.') + "\nKeyError\n").empty());
  CHECK(reason(std::string(20000, '.') + "\nMemoryError\n") == "MemoryError");
}

TEST_CASE("a kill is taken for one of memory, and it is said that it is taken") {
  CHECK(reason("", {true, SIGKILL}) == "taken for out of memory");
  CHECK(reason("", {false, 137}) == "taken for out of memory");
  CHECK(reason("MemoryError\n", {true, SIGABRT}) == "MemoryError");
  CHECK(reason("", {true, SIGSEGV}).empty());
  CHECK(reason("", {false, 1}).empty());
  CHECK(memory_end({false, 1}, "/nowhere/log").empty());
}

TEST_CASE("what is told of the log fits in a line") {
  const std::string told = reason("MemoryError: \x1b[31m" + std::string(500, 'x') + "\n");
  CHECK(told.size() < 200);
  CHECK(told.find('\x1b') == std::string::npos);
}

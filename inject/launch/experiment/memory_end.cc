#include "inject/launch/experiment/memory_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <fstream>
#include <string_view>

namespace xsp::launch {
namespace {

constexpr std::streamoff kTailBytes = 16 << 10;
constexpr int kKilledInShell = 128 + SIGKILL;

/// Phrases that say in a line that memory ran out. In this very spelling: glibc's "cannot allocate memory in static TLS
/// block" is none, and a RESOURCE_EXHAUSTED alone is also what a server says of a quota.
constexpr std::string_view kPhrases[] = {
    "CUDA out of memory",                              // PyTorch
    "HIP out of memory",                               // PyTorch
    "XPU out of memory",                               // PyTorch
    "CUDA error: out of memory",                       // PyTorch, outside its allocator
    "CUDA failure 2: out of memory",                   // ONNX Runtime
    "DefaultCPUAllocator: can't allocate memory",      // PyTorch on Linux
    "DefaultCPUAllocator: not enough memory",          // PyTorch, elsewhere and older
    "Failed to allocate memory for requested buffer",  // ONNX Runtime's arena
    "OOM when allocating tensor",                      // TensorFlow
    "Out of memory while trying to allocate",          // XLA
    "Out of memory allocating",                        // XLA, CuPy
    "CUDA_ERROR_OUT_OF_MEMORY",
    "cudaErrorMemoryAllocation",
    "CUDNN_STATUS_ALLOC_FAILED",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "Cuda Runtime (out of memory)",  // TensorRT
    "ErrorCode: OutOfMemory",        // TensorRT
    "dnnl_out_of_memory",
    "std::bad_alloc",
    "Cannot allocate memory",  // ENOMEM
    "runtime: out of memory",  // Go
    "memory exhausted",        // GNU programs
    "OutOfMemoryError:",       // torch, CuPy, Java
    "Insufficient memory",     // OpenCV
};

bool starts_python_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

/// The last line of a traceback: MemoryError, or one derived from it, with or without a message.
bool is_memory_error(std::string_view line) {
  constexpr std::string_view kName = "MemoryError";
  const auto name_end = std::find_if_not(line.begin(), line.end(), starts_python_name);
  const std::string_view name = line.substr(0, static_cast<size_t>(name_end - line.begin()));
  return name.ends_with(kName) && (name.size() == line.size() || line[name.size()] == ':');
}

/// Rust's "memory allocation of 8 bytes failed".
bool is_failed_allocation(std::string_view line) {
  return line.starts_with("memory allocation of ") && line.ends_with(" bytes failed");
}

bool says_memory(std::string_view line) {
  return is_memory_error(line) || is_failed_allocation(line) ||
         std::any_of(std::begin(kPhrases), std::end(kPhrases),
                     [&](std::string_view phrase) { return line.find(phrase) != std::string_view::npos; });
}

/// The last line of the log that says so, of a length that can be shown.
std::string memory_line(const std::string& log) {
  constexpr size_t kShown = 160;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTailBytes));
  std::string found;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
    if (says_memory(line)) found = line;
  }
  std::replace_if(
      found.begin(), found.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return found.size() > kShown ? found.substr(0, kShown) + "..." : found;
}

}  // namespace

std::string memory_end(const Ending& ending, const std::string& log) {
  if (ending.succeeded()) return {};
  std::string said = memory_line(log);
  if (!said.empty()) return said;
  const bool killed = ending.by_signal ? ending.code == SIGKILL : ending.code == kKilledInShell;
  return killed ? "taken for out of memory" : "";
}

}  // namespace xsp::launch

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace xsp::launch {

/// Which threads of a run are given a number.
enum class ThreadKind : uint8_t {
  kIntra,  ///< within an operation
  kInter,  ///< operators of ONNX Runtime side by side, each with one thread
};

/// The variables by which OpenMP, the BLAS libraries, TensorFlow and, through the guest, ONNX Runtime compute with
/// `threads`; for kInter, those by which ONNX Runtime runs so many operators side by side, and all else has one thread.
std::vector<std::pair<std::string, std::string>> thread_variables(uint32_t threads, ThreadKind kind);

/// Those of a run that computes as the program does by itself, and tells with how many threads.
std::vector<std::pair<std::string, std::string>> own_thread_variables();

}  // namespace xsp::launch

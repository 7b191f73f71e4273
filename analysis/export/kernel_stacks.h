#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/study/study.h"
#include "analysis/timeline/kernel_names.h"

namespace xsp::analysis {

/// What a stack of frames costs: a kernel under its library call, layer, layer type and model, or a layer's host time.
struct StackSample {
  static constexpr uint32_t kNoLayer = UINT32_MAX;

  uint32_t type = 0;  // string ids; 0: none
  uint32_t layer = 0;
  uint32_t layer_index = kNoLayer;  // of A2
  uint32_t library_call = 0;
  uint32_t kernel = 0;    // as recorded; 0: the layer itself
  bool attached = false;  // to a layer
  uint32_t device = 0;
  uint32_t stream = 0;

  double gpu_ns = 0;    // of the kernel
  double host_ns = 0;   // of the layer's call
  double layer_ns = 0;  // of the layer, as A2 has it
  uint64_t launches = 0;
  double flops = 0;  // 0: not known
  double dram_bytes = 0;
};

/// A model and what one evaluation of it costs; with --per trace, all of them.
struct ModelStacks {
  std::string label;  // unique in the input, valid UTF-8
  std::vector<StackSample> samples;
};

/// Rounds a series of values to integers so that their running sum is off by at most a half, however many there are.
class RoundedSum {
 public:
  int64_t add(double value) {
    sum_ += value;
    const int64_t rounded = sum_ < 9e18 ? std::llround(sum_) : INT64_MAX;
    return rounded - std::exchange(rounded_, rounded);
  }

 private:
  double sum_ = 0;
  int64_t rounded_ = 0;
};

/// The rows of A15, with the kernels that they are the sums of and the layers of A2. Kernels add up to A10, A11 and
/// A15, layers to A2.
std::vector<ModelStacks> kernel_stacks(const Study& study);

/// Frames of a sample from the model on, valid UTF-8. Layers of one name are told apart by `with_index`.
class StackFrames {
 public:
  explicit StackFrames(const Study& study) : trace_(study.trace), kernel_names_(study.trace) {}

  std::vector<std::string> of(const ModelStacks& model, const StackSample& sample, bool with_index);

 private:
  const Trace& trace_;
  KernelNames kernel_names_;
};

}  // namespace xsp::analysis

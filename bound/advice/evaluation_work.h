#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bound/advice/call_meaning.h"
#include "bound/advice/kernel_meaning.h"
#include "bound/joining/joined_trace.h"

namespace xsp::bound {

/// A library call that computes, or where library calls are not recorded the launch of a library's kernel: what is
/// expected to follow one another.
struct ExpectedCall {
  std::string name;  // "cudnnConvolutionForward"; of a kernel its short name
  LayerKind kind = LayerKind::kOther;
  std::optional<size_t> layer = {};  // index in JoinedTrace::layers
};

/// A kernel of an evaluation.
struct RanKernel {
  std::string name;  // short
  KernelMeaning meaning;
  double ms = 0;
  std::optional<size_t> layer;       // index in JoinedTrace::layers
  std::string call;                  // function of the library call that it ran in; empty: in none
  std::string call_library;          // of that
  std::optional<ExpectedCall> next;  // on the thread that launched it
  bool is_backward = false;
  bool is_of_weights = false;  // the operator that launched it reads what its layer has as weights
};

/// A call of the CUDA API in an evaluation.
struct RanRuntimeCall {
  size_t row = 0;  // of the study's joined_runtime_calls
  std::string function;
  double host_ms = 0;
  std::optional<size_t> layer;
  bool is_in_library_call = false;
  bool blocks = false;     // until the device is done with something
  size_t evaluations = 1;  // that have it
  std::optional<ExpectedCall> previous, next;
};

/// What ran in a call of the model: a join over the calls under study, in order.
struct EvaluationWork {
  const JoinedTrace* trace = nullptr;
  std::vector<CallMeaning> calls;  // by JoinedTrace::calls
  std::vector<RanKernel> kernels;
  std::vector<RanRuntimeCall> runtime_calls;
  std::vector<LayerKind> layer_kinds;  // by JoinedTrace::layers
  std::vector<bool> is_call;           // likewise: the layer is a library call, since nothing else is known of layers
  double kernel_ms = 0;
  bool has_device = false;

  /// Whether there are layers that are more than the library calls themselves.
  bool has_layers() const;
  /// Whether any call or kernel is of cuDNN.
  bool uses_cudnn = false;
};

EvaluationWork ran_in_evaluation(const JoinedTrace& trace);

}  // namespace xsp::bound

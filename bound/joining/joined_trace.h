#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/span_table.h"

namespace xsp::analysis {
struct AnalysedTrace;
}

namespace xsp::bound {

/// How a layer of a trace was found in the model.
enum class JoinedBy : uint8_t { kNothing, kName, kSequence };

/// A row of A2 and the layers of the model that it ran.
struct TraceLayer {
  size_t index = 0;  // of A2
  std::string name;
  std::string type;
  std::string shape;           // of its output, as A2 has it; may be empty
  double measured_ms = 0;      // latency of A2
  double least_ms = 0;         // least latency among the calls that A2 is made of
  std::vector<size_t> layers;  // of the model, ascending, fused ones included; empty: it has no counterpart
  JoinedBy joined_by = JoinedBy::kNothing;
};

/// A row of C1: a call into a compute library.
struct TraceCall {
  size_t call_index = 0;                 // of C1
  analysis::Row row = analysis::kNoRow;  // the first span of it
  std::optional<size_t> layer;           // index in JoinedTrace::layers
  std::optional<size_t> enclosing;       // call_index of the call around it
  std::string library;                   // "onednn", "cudnn", "blas"
  std::string function;                  // "convolution", "cudnnConvolutionForward", "sgemm_"
  std::string problem;                   // canonical text; empty: its arguments do not tell
  std::string implementation;  // the library's name of what it chose: "brgconv:avx512_core", "algo 1"; may be empty
  std::string layout;          // of source, weights and result as the library names them; may be empty
  double host_ms = 0;          // as C1
  double least_host_ms = 0;    // least among the calls that C1 is made of
  std::optional<double> kernel_ms;  // as C1
};

/// What ran, beside the model that it ran (bounds.md 4.8).
struct JoinedTrace {
  const analysis::AnalysedTrace* trace = nullptr;
  std::string path;
  std::string subject;         // "ResNet, input [1,3,224,224]"
  std::string device;          // name of the GPU where kernels were recorded; empty: it ran on the processor
  std::string framework;       // "onnxruntime", "pytorch", "tensorflow", "mxnet", "jax"; empty: not known
  double measured_ms = 0;      // latency of A1
  double measured_min_ms = 0;  // Σ of TraceLayer::least_ms
  size_t evaluations = 0;      // that these are made of
  std::optional<int> threads;  // that computed, where the trace tells
  std::vector<TraceLayer> layers;
  std::vector<size_t> trace_layer_of;  // by layer of the model: index in `layers`; kNoLayer: it was not found
  std::vector<TraceCall> calls;
  bool has_library_calls = false;
  std::vector<std::string> notes;  // what did not join, and why; a sentence each

  bool is_on_gpu() const { return !device.empty(); }
};

}  // namespace xsp::bound

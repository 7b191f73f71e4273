#pragma once

/// A trace of any length, as the collector writes it for a ResNet-like program.

#include <cstdint>
#include <string>
#include <vector>

#include "test/bench/trace_file.h"

namespace xsp::bench {

inline constexpr uint32_t kLayers = 60;
inline constexpr uint32_t kThreads = 4;
inline constexpr size_t kBatchSpans = 4000;

enum class Content { kTorch, kOrt, kKernels, kMetrics, kOperators };

/// Writes a ResNet-like trace: threads that evaluate one model of 60 layers in turn, each with its own ring.
class MadeTrace {
 public:
  MadeTrace(const std::string& path, Content content)
      : file_(path, strings()),
        ort_(content == Content::kOrt),
        kernels_(content == Content::kKernels || content == Content::kMetrics),
        operators_(content == Content::kOperators) {}

  void write(uint64_t spans) {
    std::vector<std::vector<SpanRow>> pending(kThreads);
    std::vector<uint32_t> ids(kThreads);
    uint64_t now = 1'000'000'000;
    const uint32_t evaluation = kernels_ || operators_ ? 3 * kLayers + 1 : kLayers + 1;
    for (uint64_t written = 0, thread = 0; written < spans; written += evaluation, thread = (thread + 1) % kThreads) {
      add_evaluation(&pending[thread], &ids[thread], now, static_cast<uint32_t>(thread));
      now += ort_ ? 6'200'000 : 1'600'000;
      const bool last = written + uint64_t{evaluation} * kThreads >= spans;
      if (pending[thread].size() >= kBatchSpans || last) {
        file_.write(100 + static_cast<uint32_t>(thread), static_cast<uint32_t>(thread), &pending[thread]);
      }
      if (executions_.size() >= kBatchSpans || last) file_.write(queues_, &executions_);
    }
    file_.finish();
  }

 private:
  static constexpr uint32_t kFirstKernelName = 8 + kLayers + 3;
  static constexpr uint32_t kKernelNames = 40;
  static constexpr uint32_t kOperatorName = kFirstKernelName + kKernelNames;

  static std::vector<std::string> strings() {
    std::vector<std::string> texts = {"ResNet",      "[8,3,224,224]", "[8,64,56,56]", "Conv2d",
                                      "BatchNorm2d", "ReLU",          "session"};
    for (uint32_t i = 0; i < kLayers; ++i) {
      texts.push_back("layer" + std::to_string(i / 9) + "." + std::to_string(i % 9));
    }
    texts.insert(texts.end(), {"cudaLaunchKernel", "cudart", "grid=[80,1,1] block=[256,1,1] registers=32"});
    for (uint32_t i = 0; i < kKernelNames; ++i) texts.push_back("_Z6kernelILi" + std::to_string(i) + "EEvPfi");
    texts.insert(texts.end(), {"aten::convolution", "ConvolutionBackward0"});
    return texts;
  }

  /// Launched in the middle of a layer, executed later.
  void add_kernel(std::vector<SpanRow>* rows, const SpanRow& layer, uint32_t thread, uint32_t number, uint32_t* id) {
    SpanRow call{.begin = layer.begin + 1000, .end = layer.begin + 5000, .id = ++*id, .parent = layer.id};
    call.name = 8 + kLayers;
    call.type = 8 + kLayers + 1;
    call.level = 5;
    call.kind = 9;
    call.correlation = ++correlation_;
    rows->push_back(call);
    ActivityRow kernel{.begin = call.end + 20'000, .end = call.end + 20'000 + 1000 * (1 + number % 50)};
    kernel.name = kFirstKernelName + number % kKernelNames;
    kernel.configuration = 8 + kLayers + 2;
    kernel.correlation = call.correlation;
    kernel.launch = {.ring = thread + 1, .id = call.id};
    kernel.level = 6;
    kernel.kind = 13;
    executions_.push_back(kernel);
  }

  void add_evaluation(std::vector<SpanRow>* rows, uint32_t* id, uint64_t begin, uint32_t thread) {
    const uint32_t model = ++*id;
    uint64_t at = begin + 10'000;
    for (uint32_t i = 0; i < kLayers; ++i) {
      const uint64_t length = 50'000 + (i * 7919 + *id * 31) % 50'000;
      SpanRow row{.begin = at, .end = at + length, .bytes = 4096 * (i + 1)};
      row.id = ort_ ? 0 : ++*id;
      row.parent = ort_ ? 0 : model;
      row.name = 8 + i;
      row.type = 4 + i % 3;
      row.shape = 3;
      row.scope = ort_ ? 7 : 0;
      row.level = 3;
      row.kind = ort_ ? 6 : 2;
      row.has_bytes = true;
      if (kernels_) add_kernel(rows, row, thread, i, id);
      if (operators_) rows->push_back(operator_in(row.id, row.begin + 1000, row.end - 1000, kOperatorName, ++*id));
      rows->push_back(row);
      at += length + 1000;
    }
    SpanRow root{.begin = begin, .end = at, .id = model, .name = 1, .type = 1, .input = 2};
    root.scope = ort_ ? 7 : 0;
    root.level = 2;
    root.kind = ort_ ? 5 : 4;
    root.has_bytes = true;
    rows->push_back(root);
    if (operators_) add_backward_pass(rows, id, model, at, thread);
  }

  static SpanRow operator_in(uint32_t parent, uint64_t begin, uint64_t end, uint32_t name, uint32_t id) {
    SpanRow row{.begin = begin, .end = end, .id = id, .parent = parent, .name = name};
    row.level = 1;
    row.kind = 20;
    return row;
  }

  /// A node for the operator of each layer, whose id follows that of the layer.
  static void add_backward_pass(std::vector<SpanRow>* rows, uint32_t* id, uint32_t model, uint64_t at,
                                uint32_t thread) {
    for (uint32_t i = 0; i < kLayers; ++i) {
      rows->push_back(operator_in(0, at + 1000 * i, at + 1000 * i + 900, kOperatorName + 1, ++*id));
      rows->back().forward_ring = thread + 1;
      rows->back().forward = model + 2 * (kLayers - i);
    }
  }

  TraceFile file_;
  bool ort_;
  bool kernels_;
  bool operators_;
  std::vector<ActivityQueue> queues_ = {{.device = 0, .context = 1, .stream = 7}};
  std::vector<ActivityRow> executions_;
  uint32_t correlation_ = 0;
};

}  // namespace xsp::bench

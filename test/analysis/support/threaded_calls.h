#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/analysis/support/trace_builder.h"

namespace xsp::test {

/// A call of the model, as a guest of xsp-run --concurrency tells it. Times in us.
struct ThreadedCall {
  uint32_t threads = 0;  // 0: the guest tells nothing of the call
  ThreadCounts::Setting setting = ThreadCounts::OWN;
  std::vector<int64_t> layers_us;
  uint32_t block = 0;
  uint32_t runnable = 0;
  int64_t waited_us = 0;
};

/// Adds calls of a model with layers "l0", "l1", … one after another to a trace, and what was told of them.
class ThreadedCalls {
 public:
  explicit ThreadedCalls(TraceBuilder* builder, uint32_t process = 1) : builder_(*builder), process_(process) {}

  ThreadedCalls& add(const ThreadedCall& call, const std::string& model = "Net") {
    const uint32_t root = next_id_++;
    const int64_t begin = at_;
    at_ += 1000;
    for (size_t i = 0; i < call.layers_us.size(); ++i) {
      SpanSpec layer{.begin = at_, .end = at_ + call.layers_us[i] * 1000, .id = next_id_++, .parent = root};
      layer.kind = KIND_TORCH_MODULE;
      layer.name = std::string("l").append(std::to_string(i));
      layer.type = i % 2 == 0 ? "Conv2d" : "Linear";
      layer.shape = "[4,8]";
      layer.process = process_;
      at_ = layer.end;
      builder_.add(layer);
    }
    SpanSpec span{.begin = begin, .end = at_ + 1000, .id = root, .level = LEVEL_MODEL, .kind = KIND_TORCH_ROOT};
    span.name = model;
    span.input = "[4,3]";
    span.process = process_;
    builder_.add(span);
    at_ += 50'000;
    if (call.threads == 0) return *this;
    auto* told = told_.add_call();
    told->set_span(root);
    told->set_threads(call.threads);
    told->set_setting(call.setting);
    told->set_block(call.block);
    told->set_runnable(call.runnable);
    told->set_waited_ns(static_cast<uint64_t>(call.waited_us) * 1000);
    return *this;
  }

  ThreadCounts& told() { return told_; }

  /// Writes what was told since the last call of it, in a packet of its own.
  void tell() {
    *builder_.packet(process_)->mutable_thread_counts() = told_;
    told_.Clear();
  }

 private:
  TraceBuilder& builder_;
  uint32_t process_;
  uint32_t next_id_ = 1;
  int64_t at_ = 1'000'000;
  ThreadCounts told_;
};

}  // namespace xsp::test

#pragma once

/// A recording by XSP of a program that uses PyTorch: nested spans on threads, each step of time a millisecond.

#include <map>
#include <string>
#include <vector>

#include "test/analysis/support/trace_builder.h"

namespace xsp::test {

class LiveTrace {
 public:
  LiveTrace() { builder_.add_process(7); }

  /// Goes on with another thread, whose time is the same.
  void on_thread(uint32_t thread) { thread_ = thread; }
  /// Begins a span in the one that is open; its id.
  uint32_t begin(int kind, const std::string& name, const std::string& type = "", int level = LEVEL_APPLICATION) {
    auto& open = open_[thread_];
    const uint32_t id = ++last_id_[thread_];
    open.push_back({.begin = tick(),
                    .id = id,
                    .parent = open.empty() ? 0 : open.back().id,
                    .level = level,
                    .kind = kind,
                    .name = name,
                    .type = type,
                    .thread = 100 + thread_,
                    .ring = thread_});
    return id;
  }
  /// Of the span begun last.
  SpanSpec& last() { return open_[thread_].back(); }
  void end() {
    last().end = tick();
    builder_.add(last());
    open_[thread_].pop_back();
  }
  void wait(int64_t ms) { now_ += ms * 1'000'000; }

  uint32_t op(const std::string& name) {
    const uint32_t id = begin(KIND_OPERATOR, name);
    end();
    return id;
  }
  void begin_model(const std::string& name) {
    begin(KIND_TORCH_ROOT, name, name, LEVEL_MODEL);
    last().input = "[8,3]";
  }
  /// A model without modules is recorded as a layer, too, and what it calls has the model as parent.
  void end_model_without_modules(int kind = KIND_TORCH_MODULE) {
    SpanSpec layer = last();
    layer.end = now_ + 1'000'000;
    layer.parent = layer.id;
    layer.id = ++last_id_[thread_];
    layer.level = LEVEL_LAYER;
    layer.kind = kind;
    layer.input.clear();
    builder_.add(layer);
    end();
  }
  /// A module without modules, which calls one operator; the operator's id.
  uint32_t module(const std::string& name, const std::string& type, const std::string& operator_name = "aten::op") {
    begin(KIND_TORCH_MODULE, name, type, LEVEL_LAYER);
    const uint32_t id = op(operator_name);
    end();
    return id;
  }
  /// A node of the backward pass, in the wrapper of its engine; `forward` as the id of a span of thread 0.
  void backward(const std::string& node, uint32_t forward, const std::string& operator_name = "aten::mm") {
    begin(KIND_OPERATOR, "autograd::engine::evaluate_function: " + node);
    begin(KIND_OPERATOR, node);
    last().forward = forward;
    op(operator_name);
    end();
    end();
  }
  void step() {
    begin(KIND_ANNOTATION, "Optimizer.step#SGD.step");
    op("aten::_foreach_add_");
    end();
  }

  std::string bytes() { return builder_.bytes(); }
  TraceBuilder& builder() { return builder_; }

 private:
  int64_t tick() { return now_ += 1'000'000; }

  TraceBuilder builder_;
  std::map<uint32_t, std::vector<SpanSpec>> open_;
  std::map<uint32_t, uint32_t> last_id_;
  uint32_t thread_ = 0;
  int64_t now_ = 0;
};

/// "name:type" of the layers of A2, in its order.
std::vector<std::string> layers_of(const Analysed& analysed);

}  // namespace xsp::test

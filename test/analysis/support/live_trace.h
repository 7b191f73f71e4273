#pragma once

/// A recording by XSP of a program that uses PyTorch.

#include <string>
#include <vector>

#include "test/analysis/support/nested_spans.h"

namespace xsp::test {

class LiveTrace : public NestedSpans {
 public:
  uint32_t op(const std::string& name) { return leaf(KIND_OPERATOR, name); }
  void begin_model(const std::string& name) {
    begin(KIND_TORCH_ROOT, name, name, LEVEL_MODEL);
    last().input = "[8,3]";
  }
  /// A model without modules is recorded as a layer, too, and what it calls has the model as parent.
  void end_model_without_modules(int kind = KIND_TORCH_MODULE) {
    SpanSpec layer = last();
    layer.end = now() + 1'000'000;
    layer.parent = layer.id;
    layer.id = next_id();
    layer.level = LEVEL_LAYER;
    layer.kind = kind;
    layer.input.clear();
    builder().add(layer);
    end();
  }
  /// A module without submodules, which calls one operator; returns the operator's id.
  uint32_t module(const std::string& name, const std::string& type, const std::string& operator_name = "aten::op") {
    begin(KIND_TORCH_MODULE, name, type, LEVEL_LAYER);
    const uint32_t id = op(operator_name);
    end();
    return id;
  }
  /// A node of the backward pass, inside its engine's wrapper; `forward`: id of a span of thread 0.
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
};

/// "name:type" of the layers of A2, in its order.
std::vector<std::string> layers_of(const Analysed& analysed);

}  // namespace xsp::test

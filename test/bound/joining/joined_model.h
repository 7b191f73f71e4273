#pragma once

#include <string>
#include <vector>

#include "bound/joining/trace_join.h"
#include "test/bound/joining/made_trace.h"
#include "test/bound/model/taken_apart.h"

namespace xsp::bound::test {

/// A model whose nodes have names that a program gave them.
class NamedModel {
 public:
  std::string input(std::vector<int64_t> dimensions) { return builder_.input(std::move(dimensions)); }
  /// A weight.
  std::string weight(const std::vector<int64_t>& dimensions) {
    ConstantTensor tensor;
    tensor.name = "weight" + std::to_string(++weights_);
    tensor.element = ElementType::kF32;
    tensor.dimensions = dimensions;
    builder_.model().graph.initializers.push_back(tensor);
    return tensor.name;
  }
  std::string node(const std::string& name, const std::string& type, std::vector<std::string> inputs,
                   std::vector<Attribute> attributes = {}) {
    builder_.node(type, std::move(inputs), std::move(attributes));
    builder_.last_node().name = name;
    builder_.last_node().outputs[0] = name + "_output_0";
    return name + "_output_0";
  }
  /// Of 3×3 or 1×1 windows that keep the size of images.
  std::string conv(const std::string& name, const std::string& source, int64_t from, int64_t to, int64_t window = 3) {
    return node(name, "Conv", {source, weight({to, from, window, window}), weight({to})},
                {integers_attribute("pads", std::vector<int64_t>(4, window / 2))});
  }
  void output(const std::string& value) { builder_.output(value); }
  LayeredModel layers() const { return taken_apart(builder_); }
  ModelBuilder& builder() { return builder_; }

 private:
  ModelBuilder builder_;
  size_t weights_ = 0;
};

/// A trace joined with a model; the test ends where that fails.
struct Joined {
  Joined(const MadeRun& run, LayeredModel layered, const std::vector<FusedGroup>& groups = {})
      : trace(run), model(std::move(layered)) {
    const Status status = join_trace(*trace, model, groups, &joined);
    INFO(status.error);
    REQUIRE(status.ok());
  }

  /// "conv1+relu" of each layer of the trace; "" where it has none.
  std::vector<std::string> layers() const {
    std::vector<std::string> texts;
    for (const TraceLayer& layer : joined.layers) {
      std::string text;
      for (const size_t i : layer.layers) text += (text.empty() ? "" : "+") + model.layers[i].name;
      texts.push_back(text);
    }
    return texts;
  }

  MadeTrace trace;
  LayeredModel model;
  JoinedTrace joined;
};

/// The error of a join that fails.
inline Status failed_join(const MadeRun& run, const LayeredModel& model) {
  const MadeTrace trace(run);
  JoinedTrace joined;
  return join_trace(*trace, model, {}, &joined);
}

using Texts = std::vector<std::string>;

}  // namespace xsp::bound::test

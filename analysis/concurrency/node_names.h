#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xsp::analysis {

/// What the name of a node that a runtime has optimized may stand for, the likeliest first.
struct NameReading {
  std::string name;
  bool is_value = false;       // of the value that it writes, else of a node
  std::string fusion = {};     // the runtime's word for what it made of the node: "MatMulAddFusion"
  bool is_normalized = false;  // a normalization that became a convolution
  bool is_blocked = false;     // it computes in blocks of channels: their number is rounded up
};

/// ONNX Runtime's names undone: "X/MatMulAddFusion", "fused X", "X_token_12" and "X_new_reshape" are made of the node
/// X, "V_nchwc" writes what the node did that wrote V. The name itself comes first. A name that is only a type
/// ("Gelu_token_138") tells nothing and has no further readings.
std::vector<NameReading> readings_of(std::string_view name, std::string_view type);

/// The module that a node belongs to, in the words of the program: "/layer1/layer1.0/conv1/Conv" is of
/// "layer1.0.conv1", "resnet50/conv1_conv/Conv2D" of "resnet50.conv1_conv", "/Add" of "". `has_module`: whether the
/// name tells one.
std::string module_of_node(std::string_view node_name, bool* has_module);

/// The module that a layer of a trace belongs to: of a module itself its name, of an operator called in one that in
/// front of it ("layer1.0.aten::add_" is of "layer1.0").
std::string module_of_layer(std::string_view layer_name, bool is_operator);

}  // namespace xsp::analysis

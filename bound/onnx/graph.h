#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bound/onnx/element_type.h"

namespace xsp::bound {

/// A dimension as a model declares it. `size` is -1 where it is not fixed; `name` is that of a symbolic one ("batch").
struct Dimension {
  int64_t size = -1;
  std::string name;
};

/// The declared type of a graph input or output.
struct DeclaredValue {
  std::string name;
  bool is_tensor = true;  // else a sequence, a map, an optional
  ElementType element = ElementType::kUndefined;
  bool has_rank = false;
  std::vector<Dimension> dimensions;
};

/// An initializer, or the value of a Constant node. Values are only there for small tensors (kMostConstantElements);
/// weights are never read, wherever they lie: `integers` for whole numbers and booleans, `numbers` for floating point.
struct ConstantTensor {
  static constexpr size_t kMostConstantElements = 4096;

  std::string name;
  ElementType element = ElementType::kUndefined;
  std::vector<int64_t> dimensions;
  bool has_values = false;
  std::vector<int64_t> integers;
  std::vector<double> numbers;
};

struct Graph;

/// An attribute of a node; which members are set follows from `kind`.
struct Attribute {
  enum class Kind { kNone, kNumber, kInteger, kText, kTensor, kGraph, kNumbers, kIntegers, kTexts, kOther };

  std::string name;
  Kind kind = Kind::kNone;
  double number = 0;
  int64_t integer = 0;
  std::string text;
  std::vector<double> numbers;
  std::vector<int64_t> integers;
  std::vector<std::string> texts;
  std::vector<ConstantTensor> tensors;  // one for kTensor
  std::vector<Graph> graphs;            // one for kGraph
  std::string reference;                // in a function: the attribute of the call whose value it takes
};

struct Node {
  std::string name;                  // may be empty, and need not be unique
  std::string type;                  // "Conv"
  std::string domain;                // "" for ai.onnx
  std::vector<std::string> inputs;   // "" where an optional one is left out
  std::vector<std::string> outputs;  // the same
  std::vector<Attribute> attributes;
  std::string overload;  // which of several functions of that name it calls

  /// Null where the node has none of that name.
  const Attribute* attribute(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t otherwise) const;
  double number(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  /// Empty where there is none.
  std::vector<int64_t> integers(std::string_view name) const;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<ConstantTensor> initializers;
  std::vector<DeclaredValue> inputs;  // models before IR version 4 list their initializers here, too
  std::vector<DeclaredValue> outputs;
};

/// A function of the model's own, which nodes call like an operator.
struct Function {
  std::string domain;
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<Attribute> defaults;  // values of attributes that a call may leave out
  std::vector<Node> nodes;
  std::map<std::string, int64_t> opsets;
  std::string overload;
};

/// An ONNX model without its weights.
struct Model {
  int64_t ir_version = 0;
  std::string producer;
  std::map<std::string, int64_t> opsets;  // by domain, "" for ai.onnx
  Graph graph;
  std::vector<Function> functions;

  /// Version of the operators of a domain ("" and "ai.onnx" are the same); 0 where the model does not import it.
  int64_t opset(std::string_view domain) const;
};

}  // namespace xsp::bound

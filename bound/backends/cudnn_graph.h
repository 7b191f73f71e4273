#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "bound/backends/cudnn_values.h"
#include "bound/onnx/element_type.h"
#include "bound/problems/geometry.h"
#include "bound/problems/operand_shapes.h"
#include "bound/problems/plain_values.h"

namespace xsp::bound::cudnn {

/// Numbers that are made of the operands before anything is timed, as one makes weights ready: row-major.
using PreparedValues = std::function<std::vector<float>(const std::vector<PlainTensor>& operands)>;

/// A tensor of a graph. Its place in the graph's list is its id.
struct GraphTensor {
  enum class Role {
    kInner,     // never in memory
    kOperand,   // of the problem
    kPrepared,  // made of the operands
    kScalar,    // a number that is part of the call
    kResult
  };

  Role role = Role::kInner;
  ElementType element = ElementType::kF32;
  Dimensions dimensions;
  Dimensions strides;        // in elements, on the device
  Dimensions plain_strides;  // kOperand, kResult: in the problem's row-major tensor
  size_t operand = 0;        // kOperand
  PreparedValues prepared;   // kPrepared
  double scalar = 0;         // kScalar

  /// From the first to the last element.
  size_t span() const;
};

struct TensorId {
  size_t index;
};

/// Of a type of its own.
struct Enumerator {
  AttributeType type;
  int value;
};

struct Description;
/// Whole numbers are INT64; real ones are of the type that the attribute wants.
struct Real {
  AttributeType type;
  double value;
};
struct Fractions {
  std::vector<std::pair<int64_t, int64_t>> values;
};
using AttributeValue = std::variant<std::vector<int64_t>, Enumerator, Real, Fractions, std::vector<TensorId>,
                                    std::shared_ptr<const Description>>;

/// A descriptor before it is made: of an operation, or of what an operation does.
struct Description {
  DescriptorType type;
  std::vector<std::pair<AttributeName, AttributeValue>> attributes;
};

/// One way to ask cuDNN for a problem by its graph interface.
struct Graph {
  std::vector<GraphTensor> tensors;
  std::vector<Description> operations;
  std::string form;    // what tells it from other graphs of the problem; empty for the plain one
  std::string layout;  // "plain", "channels_last"
};

/// What operations compute with.
enum class DataLayout { kPlain, kChannelsLast };
std::string_view name_of(DataLayout layout);
Dimensions strides_of(const Dimensions& dimensions, DataLayout layout);

/// A problem as graphs and calls are made of it.
class ProblemInput {
 public:
  /// An error: a problem that is none, that has nothing to compute, or types that cuDNN does not have.
  static Status make(const Problem& problem, ProblemInput* input);

  const Problem& problem() const { return problem_; }
  const Dimensions& result() const { return result_; }
  ElementType result_element() const { return result_element_; }
  /// By the name that make_operands() gives it; nothing where the problem has none such.
  std::optional<size_t> operand(std::string_view name) const;
  const Dimensions& dimensions_of(size_t operand) const { return operands_[operand].dimensions; }
  ElementType element_of(size_t operand) const { return elements_[operand]; }
  /// f64 for f64, else f32.
  ElementType inner_element() const;
  /// The problem asks for tensors of f32 that are rounded to TF32 on the way.
  bool is_tf32() const { return is_tf32_; }
  /// Sources of f32, whether they may be rounded or not.
  bool has_single_precision() const;

 private:
  Problem problem_;
  std::vector<OperandShape> operands_;
  std::vector<ElementType> elements_;
  Dimensions result_;
  ElementType result_element_ = ElementType::kUndefined;
  bool is_tf32_ = false;
};

/// cudnnDataType_t; nothing for what cuDNN does not have.
std::optional<DataTypeName> cudnn_type_of(ElementType element);

/// All graphs for a problem, the one that users of the library write first. An error: why there is none.
Status make_graphs(const ProblemInput& input, std::vector<Graph>* graphs);

}  // namespace xsp::bound::cudnn

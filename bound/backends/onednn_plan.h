#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "bound/backends/onednn_dialect.h"
#include "bound/onnx/element_type.h"
#include "bound/problems/operand_shapes.h"
#include "bound/problems/problem.h"

namespace xsp::bound::onednn {

/// kUndefined for types that are not known.
ElementType element_type_of(DataType type);

/// How an operand's plain values lie, seen with the dimensions that a primitive gives it.
struct PlainView {
  Dimensions dimensions;
  Dimensions strides;  // in elements
};

PlainView row_major(Dimensions dimensions);
/// With ones before its dimensions.
PlainView row_major_of_rank(const Dimensions& dimensions, size_t rank);

/// How a caller lets a tensor with channels lie.
enum class DataLayout { kAny, kPlain, kChannelsLast, kBlocked16, kBlocked8 };
std::string_view name_of(DataLayout layout);  // "any", "plain", "channels_last", "blocked"

struct PlanArgument {
  int kind;                       // of the call: kSource …
  std::optional<size_t> operand;  // none: the result
  PlainView plain;
};

/// One way to ask oneDNN for a problem: how its implementations are found, and what a call of one is given.
struct Plan {
  PrimitiveRequest request;
  std::vector<PlanArgument> arguments;
  /// An operand that lies in the destination when a call begins (post-op sum).
  std::optional<size_t> initial_destination;
  std::string layout;  // of the measurement; behind "any" comes what was chosen for this argument, and for the result
  std::optional<int> chosen_argument;
  /// Only asked where the plan before it finds nothing but reference code.
  bool is_substitute = false;

  /// Names the layout; `of` is the argument whose format is told where the name does not say it.
  void set_layout(DataLayout data_layout, const Dimensions& dimensions, int of, std::string_view prefix = "");
};

/// A problem as the functions below read it.
class PlanInput {
 public:
  /// An error: a problem that is none, or that oneDNN is not asked for as its sizes do not fit into its arithmetic.
  static Status make(const Problem& problem, const Dialect& dialect, PlanInput* input);

  const Problem& problem() const { return *problem_; }
  const Dialect& dialect() const { return *dialect_; }
  const Dimensions& result() const { return result_; }
  DataType result_type() const { return result_type_; }

  /// By the name that make_operands() gives it; nothing where the problem has none such.
  std::optional<size_t> operand(std::string_view name) const;
  const Dimensions& dimensions_of(size_t operand) const { return operands_[operand].dimensions; }
  DataType type_of(size_t operand) const { return types_[operand]; }

  Description described(DataType type, const PlainView& view) const;
  /// Null where the layout does not exist for these dimensions.
  Description described(DataType type, const Dimensions& dimensions, DataLayout layout) const;

 private:
  const Problem* problem_ = nullptr;
  const Dialect* dialect_ = nullptr;
  std::vector<OperandShape> operands_;
  std::vector<DataType> types_;
  Dimensions result_;
  DataType result_type_ = DataType::kUndefined;
};

/// Layouts of results that are given, as the primitive has no choice, the blocked ones where the channels allow it.
std::vector<DataLayout> given_layouts(const Dimensions& dimensions);

/// Adds the plan, once for each way that oneDNN has for its field `post`: an addend is what lies in the destination, or
/// a tensor of its own. `earlier`: post-ops before those of the field; their addends are arguments already.
Status add_with_post_ops(const PlanInput& input, const Plan& plan, DataLayout layout, std::vector<Plan>* plans);

using Planner = Status (*)(const PlanInput& input, std::vector<Plan>* plans);
Status plan_convolution(const PlanInput& input, std::vector<Plan>* plans);
Status plan_transposed_convolution(const PlanInput& input, std::vector<Plan>* plans);
Status plan_product(const PlanInput& input, std::vector<Plan>* plans);
Status plan_pooling(const PlanInput& input, std::vector<Plan>* plans);
Status plan_reduction(const PlanInput& input, std::vector<Plan>* plans);
Status plan_eltwise(const PlanInput& input, std::vector<Plan>* plans);
Status plan_binary(const PlanInput& input, std::vector<Plan>* plans);
Status plan_softmax(const PlanInput& input, std::vector<Plan>* plans);
Status plan_batch_normalization(const PlanInput& input, std::vector<Plan>* plans);
Status plan_layer_normalization(const PlanInput& input, std::vector<Plan>* plans);
Status plan_response_normalization(const PlanInput& input, std::vector<Plan>* plans);
Status plan_concatenation(const PlanInput& input, std::vector<Plan>* plans);
Status plan_transposition(const PlanInput& input, std::vector<Plan>* plans);
Status plan_resizing(const PlanInput& input, std::vector<Plan>* plans);
Status plan_cast(const PlanInput& input, std::vector<Plan>* plans);

/// Null for a kind that oneDNN does not compute.
Planner planner_of(std::string_view kind);

}  // namespace xsp::bound::onednn

#include "bound/advice/moved_operand.h"

#include <fmt/format.h>

#include <optional>

#include "analysis/trace/call_arguments.h"
#include "analysis/work/library_work.h"
#include "bound/joining/onednn_text.h"
#include "bound/problems/geometry.h"
#include "bound/problems/problem.h"

namespace xsp::bound {
namespace {

using analysis::CallArguments;
using analysis::Trace;

/// What is known of one side of a movement or of an operand.
struct Side {
  std::optional<double> elements;
  std::string_view tag;  // of oneDNN
};

struct Movement {
  Side from, to;
};

/// How many elements the operands of a call have, and their layouts.
struct Operands {
  Side source, weights, result;
};

std::optional<OnednnPrimitive> onednn_primitive(const Trace& trace, const TraceCall& call) {
  if (call.library != "onednn") return {};
  std::string_view text = CallArguments(trace, call.row).text("problem").value_or("");
  if (text.starts_with("(") && text.ends_with(")")) text = text.substr(1, text.size() - 2);
  if (auto read = read_onednn_line(text)) return read;
  return read_onednn_description(text);
}

std::optional<double> elements_of(const Dimensions& dimensions) {
  if (dimensions.empty()) return {};
  double elements = 1;
  for (const int64_t size : dimensions) elements *= static_cast<double>(size);
  return elements;
}

Side side_of(const OnednnTensor* tensor, std::string_view shape) {
  Side side;
  if (tensor == nullptr) return side;
  side.tag = tensor->tag;
  if (tensor->sizes) {
    side.elements = elements_of(*tensor->sizes);
  } else if (const auto shapes = dimensions_of_shapes(shape); shapes.size() == 1) {
    side.elements = elements_of(shapes.front());
  }
  return side;
}

std::optional<double> described_elements(const CallArguments& arguments, std::string_view field) {
  const auto shape = analysis::described_tensor(arguments, field);
  return shape ? std::optional(shape->elements) : std::nullopt;
}

Movement movement_of(const Trace& trace, const TraceCall& call) {
  Movement movement;
  if (const auto primitive = onednn_primitive(trace, call)) {
    movement.from = side_of(primitive->tensor("src"), primitive->shape);
    movement.to = side_of(primitive->tensor("dst"), primitive->shape);
    return movement;
  }
  const CallArguments arguments(trace, call.row);
  const auto rows = arguments.number("m"), columns = arguments.number("n");
  if (rows && columns) movement.to.elements = *rows * *columns;
  for (const std::string_view field : {"src", "x"}) {
    if (!movement.to.elements) movement.to.elements = described_elements(arguments, field);
  }
  movement.from.elements = movement.to.elements;
  return movement;
}

/// Sizes as the problem has them; they are exact, unlike those of a library's padded layouts.
void add_sizes(const std::string& text, Operands* operands) {
  const auto problem = Problem::parse(text);
  if (!problem || !problem->has("wei")) return;
  operands->source.elements = elements_of(problem->dimensions("src"));
  operands->weights.elements = elements_of(problem->dimensions("wei"));
  if (const auto result = checked_result_dimensions(*problem)) operands->result.elements = elements_of(*result);
}

/// "mb1_ic64oc128_ih56oh28kh3…" of convolutions.
void add_sizes(const OnednnSizes& sizes, Operands* operands) {
  const auto product = [&](std::initializer_list<std::string_view> names) -> double {
    double elements = 1;
    for (const std::string_view name : names) elements *= static_cast<double>(sizes.of(name).value_or(1));
    return elements;
  };
  operands->source.elements = product({"mb", "ic", "id", "ih", "iw"});
  operands->weights.elements = product({"ic", "oc", "kd", "kh", "kw"}) / product({"g"});
  operands->result.elements = product({"mb", "oc", "od", "oh", "ow"});
}

/// The first tensor of a role; recurrent networks have several, "wei_layer" and "wei_iter".
const OnednnTensor* tensor_of(const OnednnPrimitive& primitive, std::string_view role) {
  for (const OnednnTensor& tensor : primitive.tensors) {
    if (tensor.role.starts_with(role)) return &tensor;
  }
  return nullptr;
}

Operands operands_of(const Trace& trace, const TraceCall& call) {
  Operands operands;
  const CallArguments arguments(trace, call.row);
  if (const auto primitive = onednn_primitive(trace, call)) {
    operands.source = side_of(tensor_of(*primitive, "src"), "");
    operands.weights = side_of(tensor_of(*primitive, "wei"), "");
    operands.result = side_of(tensor_of(*primitive, "dst"), "");
    const bool has_named_sizes = primitive->kind == "convolution" || primitive->kind == "deconvolution";
    const auto sizes = has_named_sizes ? OnednnSizes::parse(primitive->shape) : std::nullopt;
    if (sizes) add_sizes(*sizes, &operands);
  } else if (const auto m = arguments.number("m"), n = arguments.number("n"), k = arguments.number("k"); m && n && k) {
    // Frameworks have rows first, cuBLAS columns: what they multiply by is its first operand.
    operands.weights.elements = *m * *k;
    operands.source.elements = *k * *n;
    operands.result.elements = *m * *n;
  } else {
    operands.source.elements = described_elements(arguments, "x");
    operands.weights.elements = described_elements(arguments, "w");
    operands.result.elements = described_elements(arguments, "y");
  }
  add_sizes(call.problem, &operands);
  return operands;
}

bool fits(const Side& moved, const Side& operand) {
  const bool has_tags = !moved.tag.empty() && !operand.tag.empty();
  if (has_tags && moved.tag != operand.tag) return false;
  if (!moved.elements || !operand.elements) return has_tags;
  return *moved.elements == *operand.elements;
}

}  // namespace

MovedOperand moved_operand(const Trace& trace, const TraceCall& moving, const TraceCall* before,
                           const TraceCall* behind) {
  const Movement movement = movement_of(trace, moving);
  MovedOperand found = MovedOperand::kUnknown;
  size_t possible = 0;
  const auto check = [&](bool is_it, MovedOperand operand) {
    if (!is_it) return;
    found = operand;
    ++possible;
  };
  if (behind != nullptr) {
    const Operands operands = operands_of(trace, *behind);
    check(fits(movement.to, operands.weights), MovedOperand::kWeights);
    check(fits(movement.to, operands.source), MovedOperand::kSource);
  }
  if (before != nullptr) check(fits(movement.from, operands_of(trace, *before).result), MovedOperand::kResult);
  return possible == 1 ? found : MovedOperand::kUnknown;
}

std::string movement_text(const Trace& trace, const TraceCall& moving) {
  if (const auto primitive = onednn_primitive(trace, moving)) {
    const OnednnTensor *from = primitive->tensor("src"), *to = primitive->tensor("dst");
    if (from == nullptr || to == nullptr || from->tag.empty() || to->tag.empty()) return "";
    const std::string sizes =
        from->sizes ? fmt::format("{}", fmt::join(*from->sizes, "x")) : std::string(primitive->shape);
    return fmt::format("{} from {} to {}", sizes, from->tag, to->tag);
  }
  const CallArguments arguments(trace, moving.row);
  const auto m = arguments.integer("m"), n = arguments.integer("n");
  return m && n ? fmt::format("{}x{}", *m, *n) : "";
}

bool moves_only(const Trace& trace, const TraceCall& moving) {
  if (moving.function.find("geam") == std::string::npos) return true;
  const CallArguments arguments(trace, moving.row);
  const auto op_a = arguments.text("op_a"), op_b = arguments.text("op_b");
  return (op_a && *op_a != "N") || (op_b && *op_b != "N");
}

}  // namespace xsp::bound

#include <array>

#include "bound/fusion/operator_nodes.h"
#include "bound/problems/operand_shapes.h"

namespace xsp::bound {
namespace {

constexpr std::string_view kContributedProducts = "com.microsoft";

bool is_quantized(const Problem& problem) { return is_whole(problem.types().source); }
bool has_bias(const Problem& problem) { return problem.has("bias") && problem.field("bias") != "0"; }

/// ONNX Runtime fuses a HardSwish into the convolution before it unless its result is given out, as that of a group is.
bool has_own_activation(const Problem& problem) {
  return problem.kind() == "conv" && problem.field("post") == "hardswish" && !is_quantized(problem);
}

ElementType element_of(const std::string& name) { return element_type_named(name).value_or(ElementType::kF32); }

std::vector<Attribute> window_attributes(const Problem& problem) {
  return {integers_attribute("strides", problem.dimensions("strides")),
          integers_attribute("pads", problem.list("pads")), integers_attribute("dilations", problem.dimensions("dil")),
          integer_attribute("group", problem.integer("groups", 1))};
}

/// Source and weights, each with scale 1 and zero point 0, then those of the result.
std::vector<std::string> quantized_inputs(const Problem& problem, GraphWriter* writer) {
  const auto types = problem.types();
  std::vector<std::string> inputs;
  for (const auto& [name, type] : {std::pair("src", types.source), std::pair("wei", types.weights)}) {
    inputs.emplace_back(name);
    inputs.push_back(writer->number(1, ElementType::kF32));
    inputs.push_back(writer->scalar(0, element_of(type)));
  }
  inputs.push_back(writer->number(1, ElementType::kF32));
  inputs.push_back(writer->scalar(0, element_of(types.destination)));
  return inputs;
}

std::string write_quantized_product(const Problem& problem, GraphWriter* writer) {
  if (!has_bias(problem)) {
    if (problem.integer("ta") != 0 || problem.integer("tb") != 0) return "";
    return writer->add({"QLinearMatMul"}, quantized_inputs(problem, writer));
  }
  std::vector<std::string> inputs = quantized_inputs(problem, writer);
  inputs.insert(inputs.begin() + 6, "bias");
  return writer->add(
      {"QGemm", kContributedProducts}, std::move(inputs),
      {integer_attribute("transA", problem.integer("ta")), integer_attribute("transB", problem.integer("tb"))});
}

}  // namespace

std::string write_convolution(const Problem& problem, GraphWriter* writer) {
  if (is_quantized(problem)) {
    std::vector<std::string> inputs = quantized_inputs(problem, writer);
    if (has_bias(problem)) inputs.emplace_back("bias");
    return writer->add({"QLinearConv"}, std::move(inputs), window_attributes(problem));
  }
  std::vector<std::string> inputs{"src", "wei"};
  if (has_bias(problem)) inputs.emplace_back("bias");
  if (has_own_activation(problem)) {
    std::vector<Attribute> attributes = window_attributes(problem);
    attributes.push_back(text_attribute("activation", "HardSwish"));
    return writer->add({"FusedConv", kContributedProducts}, std::move(inputs), std::move(attributes));
  }
  return writer->add({"Conv"}, std::move(inputs), window_attributes(problem));
}

std::string write_transposed_convolution(const Problem& problem, GraphWriter* writer) {
  std::vector<std::string> inputs{"src", "wei"};
  if (has_bias(problem)) inputs.emplace_back("bias");
  std::vector<Attribute> attributes = window_attributes(problem);
  attributes.push_back(integers_attribute("output_padding", problem.dimensions("outpad")));
  return writer->add({"ConvTranspose"}, std::move(inputs), std::move(attributes));
}

std::string write_product(const Problem& problem, GraphWriter* writer) {
  if (is_quantized(problem)) return write_quantized_product(problem, writer);
  const bool are_matrices = problem.dimensions("src").size() == 2 && problem.dimensions("wei").size() == 2;
  const double alpha = problem.number("alpha", 1), beta = problem.number("beta", 1);
  const int64_t ta = problem.integer("ta"), tb = problem.integer("tb");
  if (are_matrices && has_bias(problem)) {
    return writer->add({"Gemm"}, {"src", "wei", "bias"},
                       {number_attribute("alpha", alpha), number_attribute("beta", beta),
                        integer_attribute("transA", ta), integer_attribute("transB", tb)});
  }
  const bool is_plain = alpha == 1 && ta == 0 && tb == 0;
  std::string product = is_plain ? writer->add({"MatMul"}, {"src", "wei"})
                                 : writer->add({"FusedMatMul", kContributedProducts}, {"src", "wei"},
                                               {number_attribute("alpha", alpha), integer_attribute("transA", ta),
                                                integer_attribute("transB", tb)});
  return has_bias(problem) ? writer->add({"Add"}, {product, "bias"}) : product;
}

std::vector<PostStep> steps_behind(const Problem& problem) {
  return has_own_activation(problem) ? std::vector<PostStep>() : post_steps(problem.field("post"));
}

}  // namespace xsp::bound

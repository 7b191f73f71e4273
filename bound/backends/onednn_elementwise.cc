#include <fmt/format.h>

#include <algorithm>

#include "bound/backends/onednn_plan.h"

namespace xsp::bound::onednn {
namespace {

struct BinaryRow {
  std::string_view name;
  int algorithm;
  bool is_commutative;
};
constexpr BinaryRow kBinaries[] = {
    {"add", kBinaryAdd, true},     {"mul", kBinaryMultiply, true}, {"max", kBinaryMaximum, true},
    {"min", kBinaryMinimum, true}, {"div", kBinaryDivide, false},  {"sub", kBinarySubtract, false},
};

/// The layout of an operand that is broadcast: what has a single channel is not blocked by channels.
DataLayout layout_of_operand(const Dimensions& dimensions, DataLayout layout) {
  const bool is_blocked = layout == DataLayout::kBlocked16 || layout == DataLayout::kBlocked8;
  return is_blocked && dimensions[1] == 1 ? DataLayout::kPlain : layout;
}

}  // namespace

Status plan_eltwise(const PlanInput& input, std::vector<Plan>* plans) {
  const Problem& problem = input.problem();
  const auto form = input.dialect().eltwise(problem.field("alg"), problem.number("alpha"), problem.number("beta"));
  if (!form) return {fmt::format("this oneDNN has no {}", problem.field("alg"))};
  // Every dense layout is the same row of numbers.
  const auto elements = elements_in(input.result()).value_or(0);
  const bool is_usual_rank = !input.result().empty() && input.result().size() <= 5;
  const PlainView view = row_major(is_usual_rank ? input.result() : Dimensions{elements});
  Plan plan;
  plan.request.kind = PrimitiveKind::kEltwise;
  plan.request.algorithm = form->algorithm;
  plan.request.alpha = form->alpha;
  plan.request.beta = form->beta;
  plan.request.sources = {input.described(input.type_of(0), view)};
  plan.request.destination = input.described(input.result_type(), view);
  if (!plan.request.sources[0] || !plan.request.destination) return {"oneDNN cannot describe this tensor"};
  plan.arguments = {{kSource, 0, view}, {kDestination, {}, view}};
  plan.layout = name_of(DataLayout::kPlain);
  return add_with_post_ops(input, plan, DataLayout::kPlain, plans);
}

Status plan_binary(const PlanInput& input, std::vector<Plan>* plans) {
  const auto* const row = std::ranges::find(kBinaries, input.problem().field("alg"), &BinaryRow::name);
  if (row == std::end(kBinaries)) return {fmt::format("oneDNN has no {}", input.problem().field("alg"))};
  if (row->algorithm == kBinaryDivide && is_whole(input.problem().types().source))
    return {"oneDNN rounds quotients of whole numbers"};
  const size_t rank = std::max<size_t>(input.result().size(), 1);
  const PlainView result = row_major_of_rank(input.result(), rank);
  size_t first = 0, second = 1;
  // Early versions broadcast the second operand only.
  if (row->is_commutative && row_major_of_rank(input.dimensions_of(first), rank).dimensions != result.dimensions)
    std::swap(first, second);
  const PlainView first_view = row_major_of_rank(input.dimensions_of(first), rank);
  const PlainView second_view = row_major_of_rank(input.dimensions_of(second), rank);
  const bool is_flat = first_view.dimensions == second_view.dimensions;
  const auto layouts = is_flat ? std::vector{DataLayout::kPlain} : given_layouts(result.dimensions);
  for (const DataLayout layout : layouts) {
    Plan plan;
    plan.request.kind = PrimitiveKind::kBinary;
    plan.request.algorithm = row->algorithm;
    plan.request.sources = {
        input.described(input.type_of(first), first_view.dimensions, layout_of_operand(first_view.dimensions, layout)),
        input.described(input.type_of(second), second_view.dimensions,
                        layout_of_operand(second_view.dimensions, layout))};
    plan.request.destination = input.described(input.result_type(), result.dimensions, layout);
    if (!plan.request.sources[0] || !plan.request.sources[1] || !plan.request.destination) continue;
    plan.arguments = {{kSource, first, first_view}, {kSecondSource, second, second_view}, {kDestination, {}, result}};
    plan.set_layout(layout, result.dimensions, kDestination);
    if (Status status = add_with_post_ops(input, plan, layout, plans); !status.ok()) return status;
  }
  return {};
}

}  // namespace xsp::bound::onednn

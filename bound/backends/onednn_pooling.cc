#include <algorithm>
#include <string_view>

#include "bound/backends/onednn_plan.h"

namespace xsp::bound::onednn {
namespace {

/// Fills in what pooling and reduction have in common; false where the layout does not fit.
bool lay_out(const PlanInput& input, DataLayout layout, std::string_view prefix, Plan* plan) {
  const auto source = input.operand("src");
  if (!source) return false;
  const Dimensions& from = input.dimensions_of(*source);
  plan->request.sources = {input.described(input.type_of(*source), from, layout)};
  plan->request.destination = input.described(input.result_type(), input.result(), layout);
  plan->arguments = {{kSource, source, row_major(from)}, {kDestination, {}, row_major(input.result())}};
  plan->set_layout(layout, from, kSource, prefix);
  return plan->request.sources[0] && plan->request.destination;
}

void add_poolings(const PlanInput& input, const Window& window, int algorithm, std::string_view prefix,
                  std::vector<Plan>* plans) {
  for (const DataLayout layout : given_layouts(input.dimensions_of(0))) {
    Plan plan;
    if (!lay_out(input, layout, prefix, &plan)) continue;
    plan.request.kind = PrimitiveKind::kPooling;
    plan.request.algorithm = algorithm;
    plan.request.kernel = window.kernel;
    plan.request.strides = window.strides;
    plan.request.dilations = window.dilations;
    for (int64_t& dilation : plan.request.dilations) --dilation;
    plan.request.pads_begin = window.pads_begin;
    plan.request.pads_end = window.pads_end;
    plans->push_back(std::move(plan));
  }
}

void add_reductions(const PlanInput& input, int algorithm, float p, std::string_view prefix, std::vector<Plan>* plans) {
  for (const DataLayout layout : given_layouts(input.dimensions_of(0))) {
    Plan plan;
    if (layout == DataLayout::kBlocked8 || layout == DataLayout::kBlocked16) continue;
    if (!lay_out(input, layout, prefix, &plan)) continue;
    plan.request.kind = PrimitiveKind::kReduction;
    plan.request.algorithm = algorithm;
    plan.request.alpha = p;
    plans->push_back(std::move(plan));
  }
}

bool is_global(const Window& window, const Dimensions& source) {
  const auto is_zero = [](int64_t pad) { return pad == 0; };
  return std::equal(window.kernel.begin(), window.kernel.end(), source.begin() + 2, source.end()) &&
         std::ranges::all_of(window.pads_begin, is_zero) && std::ranges::all_of(window.pads_end, is_zero) &&
         std::ranges::all_of(window.dilations, [](int64_t dilation) { return dilation == 1; });
}

struct ReductionRow {
  std::string_view name;
  int algorithm;
  float p;
  int pooling;  // that computes the same over whole images; 0: none
};
constexpr ReductionRow kReductions[] = {
    {"mean", kReductionMean, 0, kAveragePoolingWithoutPads},
    {"max", kReductionMaximum, 0, kMaxPooling},
    {"sum", kReductionSum, 0, 0},
    {"min", kReductionMinimum, 0, 0},
    {"prod", kReductionProduct, 0, 0},
    {"l1", kReductionNorm, 1, 0},
    {"l2", kReductionNorm, 2, 0},
};

}  // namespace

Status plan_pooling(const PlanInput& input, std::vector<Plan>* plans) {
  const auto window = window_of(input.problem(), input.problem().dimensions("kernel"));
  if (!window) return {"no window of a pooling"};
  const bool is_maximum = input.problem().kind() == "maxpool";
  const int average =
      input.problem().integer("include_pad") != 0 ? kAveragePoolingWithPads : kAveragePoolingWithoutPads;
  add_poolings(input, *window, is_maximum ? kMaxPooling : average, "", plans);
  if (is_global(*window, input.dimensions_of(0)))
    add_reductions(input, is_maximum ? kReductionMaximum : kReductionMean, 0, "reduction, ", plans);
  return {};
}

Status plan_reduction(const PlanInput& input, std::vector<Plan>* plans) {
  const auto* const row = std::ranges::find(kReductions, input.problem().field("alg"), &ReductionRow::name);
  if (row == std::end(kReductions)) return {"oneDNN has no such reduction"};
  add_reductions(input, row->algorithm, row->p, "", plans);
  const Dimensions& source = input.dimensions_of(0);
  // A dimension of 1 is kept whether it is reduced or not.
  const bool is_image = source.size() >= 3 && source.size() <= 5 && input.result()[0] == source[0] &&
                        input.result()[1] == source[1] &&
                        std::all_of(input.result().begin() + 2, input.result().end(), [](int64_t d) { return d == 1; });
  if (row->pooling == 0 || !is_image) return {};
  const Dimensions kernel(source.begin() + 2, source.end());
  const Dimensions ones(kernel.size(), 1), zeros(kernel.size(), 0);
  add_poolings(input, {kernel, ones, zeros, zeros, ones}, row->pooling, "pooling, ", plans);
  return {};
}

}  // namespace xsp::bound::onednn

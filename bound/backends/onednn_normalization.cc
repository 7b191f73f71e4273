#include "bound/backends/onednn_plan.h"
#include "bound/problems/plain_values.h"

namespace xsp::bound::onednn {
namespace {

/// Parameters of a normalization are f32, whatever the type of the data.
struct ParameterRow {
  std::string_view name;
  int argument;
};

void add_parameters(const PlanInput& input, std::span<const ParameterRow> rows, int64_t count, Plan* plan) {
  for (const ParameterRow& row : rows) {
    if (const auto operand = input.operand(row.name))
      plan->arguments.push_back({row.argument, operand, row_major({count})});
  }
}

/// Source and result of a plan in a layout; false where it does not exist.
bool lay_out_data(const PlanInput& input, const Dimensions& dimensions, DataLayout layout, Plan* plan) {
  plan->request.sources = {input.described(input.type_of(0), dimensions, layout)};
  plan->request.destination = input.described(input.result_type(), dimensions, layout);
  plan->arguments = {{kSource, 0, row_major(dimensions)}, {kDestination, {}, row_major(dimensions)}};
  plan->set_layout(layout, dimensions, kSource);
  return plan->request.sources[0] && plan->request.destination;
}

}  // namespace

Status plan_softmax(const PlanInput& input, std::vector<Plan>* plans) {
  Plan plan;
  if (!lay_out_data(input, input.result(), DataLayout::kPlain, &plan)) return {"oneDNN cannot describe this tensor"};
  plan.request.kind = PrimitiveKind::kSoftmax;
  plan.request.algorithm = input.problem().integer("log") != 0 ? kLogSoftmax : kAccurateSoftmax;
  plan.request.axis = static_cast<int>(input.problem().integer("axis"));
  plans->push_back(std::move(plan));
  return {};
}

Status plan_batch_normalization(const PlanInput& input, std::vector<Plan>* plans) {
  constexpr ParameterRow kParameters[] = {
      {"scale", kScale}, {"shift", kShift}, {"mean", kMean}, {"variance", kVariance}};
  for (const DataLayout layout : given_layouts(input.result())) {
    Plan plan;
    if (!lay_out_data(input, input.result(), layout, &plan)) continue;
    plan.request.kind = PrimitiveKind::kBatchNormalization;
    plan.request.has_scale = plan.request.has_shift = true;
    plan.request.epsilon = static_cast<float>(input.problem().number("eps", kUsualEpsilon));
    add_parameters(input, kParameters, input.result()[1], &plan);
    plans->push_back(std::move(plan));
  }
  return {};
}

Status plan_layer_normalization(const PlanInput& input, std::vector<Plan>* plans) {
  constexpr ParameterRow kParameters[] = {{"scale", kScale}, {"bias", kShift}};
  // oneDNN normalizes the last dimension: all that are normalized become one.
  const Dimensions& source = input.result();
  const auto axis = source.begin() + input.problem().integer("axis");
  const Dimensions folded{elements_in(Dimensions(source.begin(), axis)).value_or(0),
                          elements_in(Dimensions(axis, source.end())).value_or(0)};
  Plan plan;
  if (!lay_out_data(input, folded, DataLayout::kPlain, &plan)) return {"oneDNN cannot describe this tensor"};
  plan.request.kind = PrimitiveKind::kLayerNormalization;
  plan.request.statistics = input.described(DataType::kF32, row_major({folded[0]}));
  if (!plan.request.statistics) return {"oneDNN cannot describe the statistics"};
  plan.request.has_scale = true;
  plan.request.has_shift = input.operand("bias").has_value();
  plan.request.epsilon = static_cast<float>(input.problem().number("eps", kUsualEpsilon));
  add_parameters(input, kParameters, folded[1], &plan);
  plans->push_back(std::move(plan));
  return {};
}

Status plan_response_normalization(const PlanInput& input, std::vector<Plan>* plans) {
  const Problem& problem = input.problem();
  const int64_t size = problem.integer("size");
  // Of an even number of channels oneDNN takes one more than ONNX.
  if (size % 2 == 0) return {"oneDNN has no window of an even number of channels"};
  for (const DataLayout layout : given_layouts(input.result())) {
    Plan plan;
    if (!lay_out_data(input, input.result(), layout, &plan)) continue;
    plan.request.kind = PrimitiveKind::kLrn;
    plan.request.algorithm = kLrnAcrossChannels;
    plan.request.local_size = size;
    plan.request.alpha = static_cast<float>(problem.number("alpha", kUsualLrnAlpha));
    plan.request.beta = static_cast<float>(problem.number("beta", kUsualLrnBeta));
    plan.request.offset = static_cast<float>(problem.number("bias", kUsualLrnBias));
    plans->push_back(std::move(plan));
  }
  return {};
}

}  // namespace xsp::bound::onednn

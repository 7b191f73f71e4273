#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bound/backends/onednn_plan.h"

namespace xsp::bound::onednn {
namespace {

/// oneDNN takes the neighbour of (x + 0.5) · from / to − 0.5 and of halves the one further from 0, ONNX the nearer one:
/// whether there are halves.
bool has_halves(int64_t from, int64_t to) {
  const int64_t twice = 2 * to;
  return twice / std::gcd(from, twice) % 2 != 0;
}

/// Whether the two agree on which element each result comes from.
Status check_coordinates(const PlanInput& input) {
  const std::string_view mode = input.problem().field("mode");
  const bool is_nearest = input.problem().field("alg") == "nearest";
  const Dimensions& from = input.dimensions_of(0);
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t to = input.result()[i];
    if (from[i] == to) continue;
    if (!is_nearest && !mode.empty()) return {"oneDNN has no linear resizing of these coordinates"};
    const bool multiplies = to % from[i] == 0;  // then cut off and nearest are the same
    if (is_nearest && !multiplies && (!mode.empty() || has_halves(from[i], to)))
      return {"oneDNN takes other neighbours"};
  }
  return {};
}

Status add_reorder(const PlanInput& input, const PlainView& from, const PlainView& to, std::vector<Plan>* plans) {
  Plan plan;
  plan.request.kind = PrimitiveKind::kReorder;
  plan.request.sources = {input.described(input.type_of(0), from)};
  plan.request.destination = input.described(input.result_type(), to);
  if (!plan.request.sources[0] || !plan.request.destination) return {"oneDNN cannot describe this tensor"};
  plan.arguments = {{kSource, 0, from}, {kDestination, {}, to}};
  plan.layout = name_of(DataLayout::kPlain);
  plans->push_back(std::move(plan));
  return {};
}

}  // namespace

Status plan_concatenation(const PlanInput& input, std::vector<Plan>* plans) {
  const std::vector<Dimensions> sources = concatenated(input.problem());
  const int64_t axis = input.problem().integer("axis");
  for (const DataLayout layout : given_layouts(input.result())) {
    const bool is_blocked = layout == DataLayout::kBlocked16 || layout == DataLayout::kBlocked8;
    const int64_t block = layout == DataLayout::kBlocked16 ? 16 : 8;
    if (layout != DataLayout::kPlain && axis != 1) continue;
    if (is_blocked && std::ranges::any_of(sources, [block](const Dimensions& one) { return one[1] % block != 0; }))
      continue;
    Plan plan;
    plan.request.kind = PrimitiveKind::kConcat;
    plan.request.axis = static_cast<int>(axis);
    plan.request.destination = input.described(input.result_type(), input.result(), layout);
    for (size_t i = 0; i < sources.size(); ++i) {
      plan.request.sources.push_back(input.described(input.type_of(i), sources[i], layout));
      plan.arguments.push_back({kManySources + static_cast<int>(i), i, row_major(sources[i])});
    }
    plan.arguments.push_back({kDestination, {}, row_major(input.result())});
    if (!plan.request.destination || std::ranges::count(plan.request.sources, nullptr) > 0) continue;
    plan.set_layout(layout, input.result(), kDestination);
    plans->push_back(std::move(plan));
  }
  return {};
}

Status plan_transposition(const PlanInput& input, std::vector<Plan>* plans) {
  const Dimensions order = input.problem().list("perm");
  const PlainView source = row_major(input.dimensions_of(0));
  PlainView seen{input.result(), {}};
  for (const int64_t from : order) seen.strides.push_back(source.strides[static_cast<size_t>(from)]);
  return add_reorder(input, seen, row_major(input.result()), plans);
}

Status plan_cast(const PlanInput& input, std::vector<Plan>* plans) {
  const PlainView row = row_major({elements_in(input.result()).value_or(0)});
  return add_reorder(input, row, row, plans);
}

Status plan_resizing(const PlanInput& input, std::vector<Plan>* plans) {
  if (Status status = check_coordinates(input); !status.ok()) return status;
  const Dimensions& source = input.dimensions_of(0);
  for (const DataLayout layout : given_layouts(input.result())) {
    Plan plan;
    plan.request.kind = PrimitiveKind::kResampling;
    plan.request.algorithm = input.problem().field("alg") == "linear" ? kLinearResampling : kNearestResampling;
    plan.request.sources = {input.described(input.type_of(0), source, layout)};
    plan.request.destination = input.described(input.result_type(), input.result(), layout);
    if (!plan.request.sources[0] || !plan.request.destination) continue;
    plan.arguments = {{kSource, 0, row_major(source)}, {kDestination, {}, row_major(input.result())}};
    plan.set_layout(layout, source, kSource);
    plans->push_back(std::move(plan));
  }
  return {};
}

}  // namespace xsp::bound::onednn

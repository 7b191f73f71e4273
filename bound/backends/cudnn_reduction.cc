#include <algorithm>

#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

/// Engines have no others in graphs; cudnnReduceTensor computes all.
constexpr std::pair<std::string_view, ReduceOperator> kGraphOperators[] = {
    {"sum", CUDNN_REDUCE_TENSOR_ADD},
    {"max", CUDNN_REDUCE_TENSOR_MAX},
    {"min", CUDNN_REDUCE_TENSOR_MIN},
};

/// A reduction of neighbouring axes as one of the middle of three.
struct ReductionForm {
  int64_t outer = 1, reduced = 1, inner = 1;
};

/// Nothing where the axes are no neighbours.
std::optional<ReductionForm> form_of(const Dimensions& source, Dimensions axes) {
  std::ranges::sort(axes);
  for (size_t i = 1; i < axes.size(); ++i) {
    if (axes[i] != axes[i - 1] + 1) return {};
  }
  ReductionForm form;
  for (size_t i = 0; i < source.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    int64_t& part = axis < axes.front() ? form.outer : axis <= axes.back() ? form.reduced : form.inner;
    part *= source[i];
  }
  return form;
}

}  // namespace

Status draw_reduction(const ProblemInput& input, std::vector<Graph>* graphs) {
  const auto source = input.operand("src");
  const auto* const found = std::ranges::find(kGraphOperators, input.problem().field("alg"),
                                              &std::pair<std::string_view, ReduceOperator>::first);
  if (!source || found == std::end(kGraphOperators)) return {"cuDNN has no graph for such a reduction", ""};
  const auto form = form_of(input.dimensions_of(*source), input.problem().list("axes"));
  if (!form) return {"cuDNN has no graph for a reduction of axes that are no neighbours", ""};
  // Engines reduce what lies together: in channels last, with nothing behind the channels, that is the plain layout.
  Draft draft(input, DataLayout::kChannelsLast);
  const TensorId x = draft.operand(*source, {form->outer, form->reduced, form->inner, 1});
  const TensorId y = draft.reduce(found->second, x, {form->outer, 1, form->inner, 1});
  Graph graph = std::move(draft).finish(y);
  if (form->inner == 1) graph.layout = name_of(DataLayout::kPlain);
  graphs->push_back(std::move(graph));
  return {};
}

}  // namespace xsp::bound::cudnn

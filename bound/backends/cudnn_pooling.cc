#include <algorithm>
#include <numeric>

#include "bound/backends/cudnn_draft.h"

namespace xsp::bound::cudnn {
namespace {

Fractions wholes(const Dimensions& values) {
  Fractions fractions;
  for (const int64_t value : values) fractions.values.emplace_back(value, 1);
  return fractions;
}

struct Resampling {
  ResampleMode mode;
  PaddingMode padding;
  Fractions window, strides, pads_begin, pads_end;
};

TensorId resample(Draft* draft, TensorId source, const Resampling& resampling, Dimensions result) {
  const auto rank = static_cast<int64_t>(result.size()) - 2;
  Description description{
      CUDNN_BACKEND_RESAMPLE_DESCRIPTOR,
      {{CUDNN_ATTR_RESAMPLE_MODE, Enumerator{CUDNN_TYPE_RESAMPLE_MODE, resampling.mode}},
       {CUDNN_ATTR_RESAMPLE_COMP_TYPE, draft->compute_type()},
       {CUDNN_ATTR_RESAMPLE_NAN_PROPAGATION, Enumerator{CUDNN_TYPE_NAN_PROPOGATION, CUDNN_PROPAGATE_NAN}},
       {CUDNN_ATTR_RESAMPLE_PADDING_MODE, Enumerator{CUDNN_TYPE_PADDING_MODE, resampling.padding}},
       {CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, std::vector{rank}},
       {CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, resampling.window},
       {CUDNN_ATTR_RESAMPLE_STRIDES, resampling.strides},
       {CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, resampling.pads_begin},
       {CUDNN_ATTR_RESAMPLE_POST_PADDINGS, resampling.pads_end}}};
  return draft->add(
      {CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR,
       {{CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, std::make_shared<const Description>(std::move(description))},
        {CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, std::vector{source}}}},
      CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, std::move(result));
}

Status draw_resampling(const ProblemInput& input, const Resampling& resampling, DataLayout layout,
                       std::vector<Graph>* graphs) {
  const auto source = input.operand("src");
  if (!source) return {"nothing to resample", ""};
  Draft draft(input, layout);
  const TensorId x = draft.operand(*source, image_dimensions(input.dimensions_of(*source)));
  const TensorId y = resample(&draft, x, resampling, image_dimensions(input.result()));
  graphs->push_back(std::move(draft).finish(y));
  return {};
}

}  // namespace

Status draw_pooling(const ProblemInput& input, std::vector<Graph>* graphs) {
  auto window = window_of(input.problem(), input.problem().dimensions("kernel"));
  if (!window) return {"a pooling without a window", ""};
  if (std::ranges::any_of(window->dilations, [](int64_t dilation) { return dilation != 1; }))
    return {"cuDNN pools without dilation only", ""};
  window = image_window(std::move(*window));
  const bool is_max = input.problem().kind() == "maxpool";
  const bool counts_padding = input.problem().integer("include_pad") != 0;
  const Resampling resampling{is_max           ? CUDNN_RESAMPLE_MAXPOOL
                              : counts_padding ? CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING
                                               : CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING,
                              is_max ? CUDNN_NEG_INF_PAD : CUDNN_ZERO_PAD,
                              wholes(window->kernel),
                              wholes(window->strides),
                              wholes(window->pads_begin),
                              wholes(window->pads_end)};
  return draw_each_layout(input, input.result(), graphs,
                          [&](const ProblemInput& each, DataLayout layout, std::vector<Graph>* drawn) {
                            return draw_resampling(each, resampling, layout, drawn);
                          });
}

Status draw_resizing(const ProblemInput& input, std::vector<Graph>* graphs) {
  const Dimensions source = image_dimensions(input.problem().dimensions("src"));
  const Dimensions result = image_dimensions(input.result());
  if (source.size() != result.size() || source[0] != result[0] || source[1] != result[1])
    return {"cuDNN resizes images only", ""};
  const bool is_nearest = input.problem().field("alg") == "nearest";
  Resampling resampling{is_nearest ? CUDNN_RESAMPLE_NEAREST : CUDNN_RESAMPLE_BILINEAR,
                        is_nearest ? CUDNN_ZERO_PAD : CUDNN_EDGE_VAL_PAD,
                        {},
                        {},
                        {},
                        {}};
  for (size_t i = 2; i < source.size(); ++i) {
    const int64_t common = std::gcd(source[i], result[i]);
    const std::pair<int64_t, int64_t> step{source[i] / common, result[i] / common};
    resampling.strides.values.push_back(step);
    resampling.window.values.push_back(is_nearest ? step : std::pair<int64_t, int64_t>{2, 1});
    resampling.pads_begin.values.emplace_back(is_nearest ? 0 : 1, is_nearest ? 1 : 2);
    resampling.pads_end.values.emplace_back(is_nearest ? 0 : 1, 1);
  }
  return draw_each_layout(input, input.result(), graphs,
                          [&](const ProblemInput& each, DataLayout layout, std::vector<Graph>* drawn) {
                            return draw_resampling(each, resampling, layout, drawn);
                          });
}

}  // namespace xsp::bound::cudnn

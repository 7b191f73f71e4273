// cuDNN's descriptors as text, read with cuDNN's own getters. These succeed without changing what
// cudnnGetLastErrorString returns, but they do appear in the log that a program switches on with CUDNN_LOGINFO_DBG.
//
// Not read: cudnnDropoutDescriptor_t, whose getter wants a handle; cudnnSpatialTransformerDescriptor_t, which has none.
#include "enum_names.h"
#include "inject/library/capture/kept_texts.h"
#include "inject/library/capture/passed_object.h"
#include "inject/library/capture/sibling.h"
#include "inject/library/capture/text_writer.h"

namespace xsp::guest {
namespace {

using namespace cudnn;

constexpr int kMaxDimensions = 8;         // CUDNN_DIM_MAX
constexpr int kMaxSpatialDimensions = 6;  // without batch and channels
constinit ContentTexts texts;

enum Kind : uint64_t {
  kTensor,
  kFilter,
  kConvolution,
  kPooling,
  kActivation,
  kRnn,
  kRnnData,
  kReduce,
  kOpTensor,
  kLrn,
  kSequence,
  kAttention,
  kTransform
};  // clang-format: keep

uint32_t kept(const Content& content, const TextWriter& text) {
  const uint32_t id = xsp_text(text.view().data(), text.view().size());
  texts.keep(content, id);
  return id;
}

/// Whether elements follow one another without gaps in this order of the dimensions, the last one fastest. Dimensions
/// of extent 1 may have any stride.
bool is_packed(const int* sizes, const int* strides, const int* order, int count) {
  int64_t expected = 1;
  for (int i = count; i-- > 0;) {
    const int dimension = order[i];
    if (sizes[dimension] != 1 && strides[dimension] != expected) return false;
    expected *= sizes[dimension];
  }
  return true;
}

/// Nothing for the usual order, "nhwc" for channels last, else the strides: "{200704,3136,56,1}".
void add_layout(TextWriter& text, const int* sizes, const int* strides, int count) {
  int order[kMaxDimensions];
  for (int i = 0; i < count; ++i) order[i] = i;
  if (is_packed(sizes, strides, order, count)) return;
  if (count >= 3 && count <= 5) {
    for (int i = 1; i + 1 < count; ++i) order[i] = i + 1;
    order[count - 1] = 1;
    if (is_packed(sizes, strides, order, count)) {
      text.add(count == 3 ? "nwc" : count == 4 ? "nhwc" : "ndhwc");
      return;
    }
  }
  text.add("{");
  for (int i = 0; i < count; ++i) text.add(i == 0 ? "" : ",").add(static_cast<int64_t>(strides[i]));
  text.add("}");
}

bool in_range(int count) { return count >= 0 && count <= kMaxDimensions; }

constinit Sibling<int(const void*, int, int*, int*, int*, int*)> get_tensor{"cudnnGetTensorNdDescriptor"};
constinit Sibling<int(const void*, int, int*, int*, int*, int*)> get_filter{"cudnnGetFilterNdDescriptor"};
constinit Sibling<int(const void*, int, int*, int*, int*, int*, int*, int*)> get_convolution{
    "cudnnGetConvolutionNdDescriptor"};
constinit Sibling<int(const void*, int*)> get_groups{"cudnnGetConvolutionGroupCount"};
constinit Sibling<int(const void*, int*)> get_math_type{"cudnnGetConvolutionMathType"};
constinit Sibling<int(const void*, int, int*, int*, int*, int*, int*, int*)> get_pooling{"cudnnGetPoolingNdDescriptor"};
constinit Sibling<int(const void*, int*, int*, double*)> get_activation{"cudnnGetActivationDescriptor"};
constinit Sibling<int(const void*, int*, int*, int*, int*, int*, int*, int*, int*, int32_t*, int32_t*, int32_t*,
                      int32_t*, void**, uint32_t*)>
    get_rnn{"cudnnGetRNNDescriptor_v8"};
constinit Sibling<int(const void*, int*, int*, int*, int*, int*, int, int*, void*)> get_rnn_data{
    "cudnnGetRNNDataDescriptor"};
constinit Sibling<int(const void*, int*, int*, int*, int*, int*)> get_reduce{"cudnnGetReduceTensorDescriptor"};
constinit Sibling<int(const void*, int*, int*, int*)> get_op_tensor{"cudnnGetOpTensorDescriptor"};
constinit Sibling<int(const void*, unsigned*, double*, double*, double*)> get_lrn{"cudnnGetLRNDescriptor"};
constinit Sibling<int(const void*, int*, int*, int, int*, int*, size_t*, size_t, int*, void*)> get_sequence{
    "cudnnGetSeqDataDescriptor"};
constinit Sibling<int(const void*, unsigned*, int*, double*, int*, int*, int*, void**, void**, int*, int*, int*, int*,
                      int*, int*, int*, int*, int*, int*, int*)>
    get_attention{"cudnnGetAttnDescriptor"};
constinit Sibling<int(const void*, uint32_t, int*, int32_t*, int32_t*, uint32_t*, int*)> get_transform{
    "cudnnGetTensorTransformDescriptor"};

}  // namespace
}  // namespace xsp::guest

using namespace xsp::guest;

extern "C" {

uint32_t xsp_describe_cudnnTensorDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_tensor.of(call) : nullptr;
  int type = 0, count = 0, sizes[kMaxDimensions], strides[kMaxDimensions];
  if (get == nullptr || get(object, kMaxDimensions, &type, &count, sizes, strides) != 0 || !in_range(count)) return 0;
  Content content(kTensor);
  content.add(type).add_list(sizes, count).add_list(strides, count);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("", name_of_cudnnDataType_t(type), type).add_list(sizes, count);
  add_layout(text, sizes, strides, count);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnFilterDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_filter.of(call) : nullptr;
  int type = 0, format = 0, count = 0, sizes[kMaxDimensions];
  if (get == nullptr || get(object, kMaxDimensions, &type, &format, &count, sizes) != 0 || !in_range(count)) return 0;
  Content content(kFilter);
  content.add(type).add(format).add_list(sizes, count);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("", name_of_cudnnDataType_t(type), type).add_list(sizes, count);
  constexpr int kNchw = 0, kNhwc = 1;
  if (format == kNhwc) text.add("nhwc");
  if (format != kNhwc && format != kNchw) text.add_name(" ", name_of_cudnnTensorFormat_t(format), format);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnConvolutionDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_convolution.of(call) : nullptr;
  int count = 0, pad[kMaxSpatialDimensions], stride[kMaxSpatialDimensions], dilation[kMaxSpatialDimensions], mode = 0,
      compute = 0, groups = 1, math = 0;
  if (get == nullptr || get(object, kMaxSpatialDimensions, &count, pad, stride, dilation, &mode, &compute) != 0)
    return 0;
  if (count < 0 || count > kMaxSpatialDimensions) return 0;
  if (auto* get_count = get_groups.of(call)) get_count(object, &groups);
  if (auto* get_math = get_math_type.of(call)) get_math(object, &math);
  Content content(kConvolution);
  content.add_list(pad, count).add_list(stride, count).add_list(dilation, count);
  content.add(mode).add(compute).add(groups).add(math);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add("pad=").add_list(pad, count).add(" stride=").add_list(stride, count);
  text.add(" dilation=").add_list(dilation, count).add(" groups=").add(static_cast<int64_t>(groups));
  text.add_name(" mode=", name_of_cudnnConvolutionMode_t(mode), mode);
  text.add_name(" math=", name_of_cudnnMathType_t(math), math);
  text.add_name(" compute=", name_of_cudnnDataType_t(compute), compute);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnPoolingDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_pooling.of(call) : nullptr;
  int mode = 0, nan = 0, count = 0, window[kMaxSpatialDimensions], pad[kMaxSpatialDimensions],
      stride[kMaxSpatialDimensions];
  if (get == nullptr || get(object, kMaxSpatialDimensions, &mode, &nan, &count, window, pad, stride) != 0) return 0;
  if (count < 0 || count > kMaxSpatialDimensions) return 0;
  Content content(kPooling);
  content.add(mode).add(nan).add_list(window, count).add_list(pad, count).add_list(stride, count);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("mode=", name_of_cudnnPoolingMode_t(mode), mode).add(" window=").add_list(window, count);
  text.add(" pad=").add_list(pad, count).add(" stride=").add_list(stride, count);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnActivationDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_activation.of(call) : nullptr;
  int mode = 0, nan = 0;
  double coefficient = 0;
  if (get == nullptr || get(object, &mode, &nan, &coefficient) != 0) return 0;
  Content content(kActivation);
  content.add(mode).add(nan).add_real(coefficient);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("mode=", name_of_cudnnActivationMode_t(mode), mode).add(" coef=").add(coefficient);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnRNNDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_rnn.of(call) : nullptr;
  int algorithm = 0, cell = 0, bias = 0, direction = 0, input = 0, type = 0, compute = 0, math = 0;
  int32_t sizes[4] = {};  // input, hidden, projected, layers
  void* dropout = nullptr;
  uint32_t flags = 0;
  if (get == nullptr || get(object, &algorithm, &cell, &bias, &direction, &input, &type, &compute, &math, &sizes[0],
                            &sizes[1], &sizes[2], &sizes[3], &dropout, &flags) != 0) {
    return 0;
  }
  Content content(kRnn);
  content.add(algorithm).add(cell).add(bias).add(direction).add(input).add(type).add(compute).add(math).add(flags);
  content.add_list(sizes, 4);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("cell=", name_of_cudnnRNNMode_t(cell), cell).add(" input=").add(static_cast<int64_t>(sizes[0]));
  text.add(" hidden=").add(static_cast<int64_t>(sizes[1])).add(" projected=").add(static_cast<int64_t>(sizes[2]));
  text.add(" layers=").add(static_cast<int64_t>(sizes[3]));
  text.add_name(" direction=", name_of_cudnnDirectionMode_t(direction), direction);
  text.add_name(" bias=", name_of_cudnnRNNBiasMode_t(bias), bias);
  text.add_name(" input_mode=", name_of_cudnnRNNInputMode_t(input), input);
  text.add_name(" type=", name_of_cudnnDataType_t(type), type);
  text.add_name(" compute=", name_of_cudnnDataType_t(compute), compute);
  text.add_name(" math=", name_of_cudnnMathType_t(math), math);
  text.add_name(" algorithm=", name_of_cudnnRNNAlgo_t(algorithm), algorithm);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnRNNDataDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_rnn_data.of(call) : nullptr;
  int type = 0, layout = 0, longest = 0, batch = 0, vector = 0, unused_length = 0;
  uint64_t fill = 0;
  if (get == nullptr || get(object, &type, &layout, &longest, &batch, &vector, 0, &unused_length, &fill) != 0) return 0;
  Content content(kRnnData);
  content.add(type).add(layout).add(longest).add(batch).add(vector);
  if (const uint32_t id = texts.find(content)) return id;
  const int sizes[] = {longest, batch, vector};
  TextWriter text;
  text.add_name("", name_of_cudnnDataType_t(type), type).add_list(sizes, 3);
  text.add_name(" layout=", name_of_cudnnRNNDataLayout_t(layout), layout);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnReduceTensorDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_reduce.of(call) : nullptr;
  int operation = 0, compute = 0, nan = 0, indices = 0, indices_type = 0;
  if (get == nullptr || get(object, &operation, &compute, &nan, &indices, &indices_type) != 0) return 0;
  Content content(kReduce);
  content.add(operation).add(compute).add(nan).add(indices).add(indices_type);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("op=", name_of_cudnnReduceTensorOp_t(operation), operation);
  text.add_name(" compute=", name_of_cudnnDataType_t(compute), compute);
  text.add_name(" indices=", name_of_cudnnReduceTensorIndices_t(indices), indices);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnOpTensorDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_op_tensor.of(call) : nullptr;
  int operation = 0, compute = 0, nan = 0;
  if (get == nullptr || get(object, &operation, &compute, &nan) != 0) return 0;
  Content content(kOpTensor);
  content.add(operation).add(compute).add(nan);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("op=", name_of_cudnnOpTensorOp_t(operation), operation);
  text.add_name(" compute=", name_of_cudnnDataType_t(compute), compute);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnLRNDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_lrn.of(call) : nullptr;
  unsigned width = 0;
  double alpha = 0, beta = 0, k = 0;
  if (get == nullptr || get(object, &width, &alpha, &beta, &k) != 0) return 0;
  Content content(kLrn);
  content.add(width).add_real(alpha).add_real(beta).add_real(k);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add("n=").add(static_cast<int64_t>(width)).add(" alpha=").add(alpha).add(" beta=").add(beta).add(" k=").add(k);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnSeqDataDescriptor_t(const xsp_call* call, const void* object) {
  constexpr int kAxes = 4;  // CUDNN_SEQDATA_DIM_COUNT
  auto* get = is_object(call, object) ? get_sequence.of(call) : nullptr;
  int type = 0, count = 0, sizes[kAxes] = {}, axes[kAxes] = {}, unused_length = 0;
  size_t lengths = 0;
  uint64_t fill = 0;
  if (get == nullptr || get(object, &type, &count, kAxes, sizes, axes, &lengths, 0, &unused_length, &fill) != 0)
    return 0;
  Content content(kSequence);
  content.add(type).add_list(sizes, kAxes).add_list(axes, kAxes);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("", name_of_cudnnDataType_t(type), type).add_list(sizes, kAxes).add(" axes=[");
  for (int i = 0; i < kAxes; ++i) text.add_name(i == 0 ? "" : ",", name_of_cudnnSeqDataAxis_t(axes[i]), axes[i]);
  text.add("]");
  return kept(content, text);
}

uint32_t xsp_describe_cudnnAttnDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_attention.of(call) : nullptr;
  unsigned mode = 0;
  int heads = 0, type = 0, compute = 0, math = 0, sizes[7] = {}, longest[2] = {}, batch = 0, beam = 0;
  double scale = 0;
  void *dropout = nullptr, *dropout_behind = nullptr;
  if (get == nullptr ||
      get(object, &mode, &heads, &scale, &type, &compute, &math, &dropout, &dropout_behind, &sizes[0], &sizes[1],
          &sizes[2], &sizes[3], &sizes[4], &sizes[5], &sizes[6], &longest[0], &longest[1], &batch, &beam) != 0) {
    return 0;
  }
  Content content(kAttention);
  content.add(mode).add(heads).add_real(scale).add(type).add(compute).add(math).add_list(sizes, 7);
  content.add_list(longest, 2).add(batch).add(beam);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add("heads=").add(static_cast<int64_t>(heads)).add(" scale=").add(scale);
  text.add(" qkv=").add_list(sizes, 3).add(" projected=").add_list(sizes + 3, 4);
  text.add(" longest=").add_list(longest, 2).add(" batch=").add(static_cast<int64_t>(batch));
  text.add(" beam=").add(static_cast<int64_t>(beam)).add_name(" type=", name_of_cudnnDataType_t(type), type);
  text.add_name(" compute=", name_of_cudnnDataType_t(compute), compute);
  text.add_name(" math=", name_of_cudnnMathType_t(math), math);
  return kept(content, text);
}

uint32_t xsp_describe_cudnnTensorTransformDescriptor_t(const xsp_call* call, const void* object) {
  auto* get = is_object(call, object) ? get_transform.of(call) : nullptr;
  int format = 0, direction = 0;
  int32_t before[kMaxDimensions] = {}, behind[kMaxDimensions] = {};
  uint32_t fold[kMaxDimensions] = {};
  constexpr uint32_t kDimensions = 4;
  if (get == nullptr || get(object, kDimensions, &format, before, behind, fold, &direction) != 0) return 0;
  Content content(kTransform);
  content.add(format).add(direction).add_list(before, kDimensions).add_list(behind, kDimensions);
  if (const uint32_t id = texts.find(content)) return id;
  TextWriter text;
  text.add_name("format=", name_of_cudnnTensorFormat_t(format), format)
      .add(" pad_before=")
      .add_list(before, kDimensions);
  text.add(" pad_behind=").add_list(behind, kDimensions);
  return kept(content, text);
}

}  // extern "C"

#include <cstddef>
#include <cstring>

#include "bound/backends/onednn_dialect.h"

namespace xsp::bound::onednn {
namespace {

/// dnnl_memory_desc_t of version 2. The room of the other formats (Winograd, packed weights) is not looked into.
struct DescriptionV2 {
  int32_t rank;
  DimensionArray dimensions;
  int32_t type;
  DimensionArray padded_dimensions;
  DimensionArray padded_offsets;
  int64_t offset;
  int32_t format_kind;
  DimensionArray strides;
  int32_t block_count;
  DimensionArray block_sizes;
  DimensionArray block_dimensions;
  uint64_t extra_flags;
  std::array<char, 72> extra;
};
static_assert(sizeof(DescriptionV2) == 696);
static_assert(offsetof(DescriptionV2, strides) == 320 && offsetof(DescriptionV2, extra_flags) == 616);

/// An operation descriptor (dnnl_convolution_desc_t and so on): the library fills it and reads it back, so that only
/// its size matters, and this is more than the largest, that of recurrent layers, has.
struct alignas(16) OperationV2 {
  std::array<std::byte, 64 * 1024> bytes;
};

struct FunctionsV2 {
  using Md = const void*;
  using Sizes = const int64_t*;
  Answer (*init_by_strides)(void*, int rank, Sizes dimensions, int type, Sizes strides);
  Answer (*init_by_tag)(void*, int rank, Sizes dimensions, int type, int tag);
  Answer (*iterator_create)(IteratorObject**, const void* operation, const AttributeObject*, EngineObject*,
                            const PrimitiveDescriptorObject* hint);
  Answer (*iterator_next)(IteratorObject*);
  PrimitiveDescriptorObject* (*iterator_fetch)(const IteratorObject*);
  Answer (*iterator_destroy)(IteratorObject*);
  Answer (*append_sum)(PostOpsObject*, float scale);
  Answer (*append_eltwise)(PostOpsObject*, float scale, int algorithm, float alpha, float beta);
  Answer (*convolution)(void*, int propagation, int algorithm, Md source, Md weights, Md bias, Md destination,
                        Sizes strides, Sizes dilations, Sizes begin, Sizes end);
  Answer (*deconvolution)(void*, int propagation, int algorithm, Md source, Md weights, Md bias, Md destination,
                          Sizes strides, Sizes dilations, Sizes begin, Sizes end);
  Answer (*matmul)(void*, Md source, Md weights, Md bias, Md destination);
  Answer (*inner_product)(void*, int propagation, Md source, Md weights, Md bias, Md destination);
  Answer (*pooling)(void*, int propagation, int algorithm, Md source, Md destination, Sizes strides, Sizes kernel,
                    Sizes dilations, Sizes begin, Sizes end);
  Answer (*eltwise)(void*, int propagation, int algorithm, Md data, float alpha, float beta);
  Answer (*binary)(void*, int algorithm, Md first, Md second, Md destination);
  Answer (*softmax)(void*, int propagation, int algorithm, Md source, Md destination, int axis);
  Answer (*batch_normalization)(void*, int propagation, Md data, float epsilon, unsigned flags);
  Answer (*layer_normalization)(void*, int propagation, Md data, Md statistics, float epsilon, unsigned flags);
  Answer (*lrn)(void*, int propagation, int algorithm, Md data, int64_t size, float alpha, float beta, float k);
  Answer (*reduction)(void*, int algorithm, Md source, Md destination, float p, float epsilon);
  Answer (*resampling)(void*, int propagation, int algorithm, const float* factors, Md source, Md destination);
  Answer (*concat)(PrimitiveDescriptorObject**, Md destination, int count, int axis, const DescriptionV2* sources,
                   const AttributeObject*, EngineObject*);
};

constexpr EltwiseParameter kFromAlpha{EltwiseParameter::From::kAlpha};
constexpr EltwiseParameter kFromBeta{EltwiseParameter::From::kBeta};
constexpr EltwiseRow kEltwiseV2[] = {
    {"relu", 0x1f, {}, {}},
    {"leaky_relu", 0x1f, kFromAlpha, {}},
    {"elu", 0x3f, kFromAlpha, {}},
    {"tanh", 0x2f, {}, {}},
    {"square", 0x4f, {}, {}},
    {"abs", 0x5f, {}, {}},
    {"sqrt", 0x6f, {}, {}},
    {"neg", 0x7f, {.number = -1}, {}},  // linear
    {"linear", 0x7f, kFromAlpha, kFromBeta},
    {"softplus", 0x9f, {.number = 1}, {}},
    {"sigmoid", 0xaf, {}, {}},
    {"exp", 0xbf, {}, {}},
    {"gelu_tanh", 0xcf, {}, {}},
    {"silu", 0xdf, kFromAlpha, {}},
    {"log", 0xef, {}, {}},
    {"clip", 0xff, kFromAlpha, kFromBeta},
    {"reciprocal", 0x20, {.number = 1}, {.number = -1}},  // pow
    {"gelu_erf", 0x30, {}, {}},
    {"round", 0x40, {}, {}},
    {"mish", 0x60, {}, {}},
    {"hardswish", 0x70, {}, {}},
};

class DialectV2 : public DialectBase {
 public:
  explicit DialectV2(std::shared_ptr<const LoadedLibrary> loaded) : DialectBase(std::move(loaded)) {}

  Status find_functions() {
    const WantedFunction wanted[] = {
        {"dnnl_memory_desc_init_by_strides", &call_.init_by_strides},
        {"dnnl_memory_desc_init_by_tag", &call_.init_by_tag},
        {"dnnl_primitive_desc_iterator_create", &call_.iterator_create},
        {"dnnl_primitive_desc_iterator_next", &call_.iterator_next},
        {"dnnl_primitive_desc_iterator_fetch", &call_.iterator_fetch},
        {"dnnl_primitive_desc_iterator_destroy", &call_.iterator_destroy},
        {"dnnl_post_ops_append_sum", &call_.append_sum},
        {"dnnl_post_ops_append_eltwise", &call_.append_eltwise},
        // An early version may lack some; what needs them is unimplemented there.
        {"dnnl_dilated_convolution_forward_desc_init", &call_.convolution, true},
        {"dnnl_dilated_deconvolution_forward_desc_init", &call_.deconvolution, true},
        {"dnnl_matmul_desc_init", &call_.matmul, true},
        {"dnnl_inner_product_forward_desc_init", &call_.inner_product, true},
        {"dnnl_pooling_v2_forward_desc_init", &call_.pooling, true},
        {"dnnl_eltwise_forward_desc_init", &call_.eltwise, true},
        {"dnnl_binary_desc_init", &call_.binary, true},
        {"dnnl_softmax_v2_forward_desc_init", &call_.softmax, true},
        {"dnnl_batch_normalization_forward_desc_init", &call_.batch_normalization, true},
        {"dnnl_layer_normalization_forward_desc_init", &call_.layer_normalization, true},
        {"dnnl_lrn_forward_desc_init", &call_.lrn, true},
        {"dnnl_reduction_desc_init", &call_.reduction, true},
        {"dnnl_resampling_forward_desc_init", &call_.resampling, true},
        {"dnnl_concat_primitive_desc_create", &call_.concat, true},
    };
    return library().find(wanted);
  }

  Description with_strides(DataType type, const Dimensions& dimensions, const Dimensions& strides) const override {
    auto made = std::make_shared<DescriptionV2>();
    const Answer answer =
        call_.init_by_strides(made.get(), static_cast<int>(dimensions.size()), padded(dimensions).data(),
                              static_cast<int>(type), padded(strides).data());
    return answer == Answer::kSuccess ? made : nullptr;
  }

  Description with_tag(DataType type, const Dimensions& dimensions, int tag) const override {
    auto made = std::make_shared<DescriptionV2>();
    const Answer answer = call_.init_by_tag(made.get(), static_cast<int>(dimensions.size()), padded(dimensions).data(),
                                            static_cast<int>(type), tag);
    return answer == Answer::kSuccess ? made : nullptr;
  }

  Description copy(const void* description) const override {
    if (description == nullptr) return nullptr;
    return std::make_shared<DescriptionV2>(*static_cast<const DescriptionV2*>(description));
  }

  DescriptionFacts facts(const void* description) const override {
    DescriptionFacts facts;
    if (description == nullptr) return facts;
    const auto& made = *static_cast<const DescriptionV2*>(description);
    const auto rank = std::min(static_cast<size_t>(std::max(made.rank, 0)), kMostDimensions);
    const auto count = std::min(static_cast<size_t>(std::max(made.block_count, 0)), kMostDimensions);
    facts.type = static_cast<DataType>(made.type);
    facts.dimensions.assign(made.dimensions.begin(), made.dimensions.begin() + static_cast<std::ptrdiff_t>(rank));
    facts.format_kind = made.format_kind;
    if (made.format_kind != kBlockedFormat) return facts;
    facts.strides.assign(made.strides.begin(), made.strides.begin() + static_cast<std::ptrdiff_t>(rank));
    for (size_t i = 0; i < count; ++i)
      facts.blocks.emplace_back(static_cast<size_t>(made.block_dimensions[i]), made.block_sizes[i]);
    return facts;
  }

  std::optional<int> blocked_tag(size_t rank, int64_t block) const override {
    constexpr int kTags8[] = {60, 93, 133};
    constexpr int kTags16[] = {47, 69, 112};
    if (rank < 3 || rank > 5 || (block != 8 && block != 16)) return {};
    return block == 8 ? kTags8[rank - 3] : kTags16[rank - 3];
  }

  std::optional<EltwiseForm> eltwise(std::string_view name, double alpha, double beta) const override {
    return eltwise_form(kEltwiseV2, name, alpha, beta);
  }

  bool has_winograd() const override { return true; }

  Status implementations(const PrimitiveRequest& request, std::vector<PrimitiveDescriptor>* found) const override {
    Answer answer = Answer::kSuccess;
    const Attribute attribute = attribute_of(request, &answer);
    if (!attribute) return refusal(answer);
    if (request.kind == PrimitiveKind::kConcat || request.kind == PrimitiveKind::kReorder)
      return only_one(request, attribute.get(), found);

    // Has to live as long as the iterator: it is read again for each implementation.
    const auto operation = std::make_unique<OperationV2>();
    answer = describe(request, operation.get());
    if (answer != Answer::kSuccess) return refusal(answer);
    IteratorObject* iterator = nullptr;
    answer = call_.iterator_create(&iterator, operation.get(), attribute.get(), library().engine(), nullptr);
    if (answer != Answer::kSuccess) return refusal(answer);
    do {
      if (PrimitiveDescriptorObject* const descriptor = call_.iterator_fetch(iterator))
        found->push_back(owned(descriptor));
    } while (call_.iterator_next(iterator) == Answer::kSuccess);
    call_.iterator_destroy(iterator);
    return {};
  }

 protected:
  Answer append_eltwise(PostOpsObject* post_ops, const PostOp& post_op) const override {
    return call_.append_eltwise(post_ops, 1, post_op.algorithm, post_op.alpha, post_op.beta);
  }
  Answer append_sum(PostOpsObject* post_ops) const override { return call_.append_sum(post_ops, 1); }
  int post_op_base() const override { return 1 << 14; }

 private:
  /// These two kinds have no operation descriptor, and no second implementation.
  Status only_one(const PrimitiveRequest& request, const AttributeObject* attribute,
                  std::vector<PrimitiveDescriptor>* found) const {
    PrimitiveDescriptorObject* descriptor = nullptr;
    Answer answer = Answer::kUnimplemented;
    if (request.kind == PrimitiveKind::kReorder) {
      answer = functions().reorder_create(&descriptor, request.sources.at(0).get(), library().engine(),
                                          request.destination.get(), library().engine(), attribute);
    } else if (call_.concat != nullptr) {
      std::vector<DescriptionV2> sources;
      for (const Description& source : request.sources)
        sources.push_back(*static_cast<const DescriptionV2*>(source.get()));
      answer = call_.concat(&descriptor, request.destination.get(), static_cast<int>(sources.size()), request.axis,
                            sources.data(), attribute, library().engine());
    }
    if (answer != Answer::kSuccess) return refusal(answer);
    found->push_back(owned(descriptor));
    return {};
  }

  template <typename Function, typename... Arguments>
  static Answer call_or_refuse(Function function, Arguments... arguments) {
    return function == nullptr ? Answer::kUnimplemented : function(arguments...);
  }

  Answer describe(const PrimitiveRequest& r, OperationV2* operation) const {
    constexpr unsigned kGlobalStatistics = 1, kUseScale = 8, kUseShift = 16;
    const unsigned flags = (r.has_scale ? kUseScale : 0) | (r.has_shift ? kUseShift : 0);
    void* const to = operation;
    const void* const source = r.sources.at(0).get();
    const void* const weights = r.weights.get();
    const void* const bias = r.bias.get();
    const void* const destination = r.destination.get();
    const DimensionArray kernel = padded(r.kernel), strides = padded(r.strides), dilations = padded(r.dilations),
                         begin = padded(r.pads_begin), end = padded(r.pads_end);
    switch (r.kind) {
      case PrimitiveKind::kConvolution:
        return call_or_refuse(call_.convolution, to, kForwardInference, r.algorithm, source, weights, bias, destination,
                              strides.data(), dilations.data(), begin.data(), end.data());
      case PrimitiveKind::kDeconvolution:
        return call_or_refuse(call_.deconvolution, to, kForwardInference, r.algorithm, source, weights, bias,
                              destination, strides.data(), dilations.data(), begin.data(), end.data());
      case PrimitiveKind::kMatmul:
        return call_or_refuse(call_.matmul, to, source, weights, bias, destination);
      case PrimitiveKind::kInnerProduct:
        return call_or_refuse(call_.inner_product, to, kForwardInference, source, weights, bias, destination);
      case PrimitiveKind::kPooling:
        return call_or_refuse(call_.pooling, to, kForwardInference, r.algorithm, source, destination, strides.data(),
                              kernel.data(), dilations.data(), begin.data(), end.data());
      case PrimitiveKind::kEltwise:
        return call_or_refuse(call_.eltwise, to, kForwardInference, r.algorithm, source, r.alpha, r.beta);
      case PrimitiveKind::kBinary:
        return call_or_refuse(call_.binary, to, r.algorithm, source, r.sources.at(1).get(), destination);
      case PrimitiveKind::kSoftmax:
        return call_or_refuse(call_.softmax, to, kForwardInference, r.algorithm, source, destination, r.axis);
      case PrimitiveKind::kBatchNormalization:
        return call_or_refuse(call_.batch_normalization, to, kForwardInference, source, r.epsilon,
                              flags | kGlobalStatistics);
      case PrimitiveKind::kLayerNormalization:
        return call_or_refuse(call_.layer_normalization, to, kForwardInference, source, r.statistics.get(), r.epsilon,
                              flags);
      case PrimitiveKind::kLrn:
        return call_or_refuse(call_.lrn, to, kForwardInference, r.algorithm, source, r.local_size, r.alpha, r.beta,
                              r.offset);
      case PrimitiveKind::kReduction:
        return call_or_refuse(call_.reduction, to, r.algorithm, source, destination, r.alpha, r.epsilon);
      case PrimitiveKind::kResampling:
        return call_or_refuse(call_.resampling, to, kForwardInference, r.algorithm, nullptr, source, destination);
      case PrimitiveKind::kConcat:
      case PrimitiveKind::kReorder:
        break;
    }
    return Answer::kUnimplemented;
  }

  FunctionsV2 call_{};
};

}  // namespace

Status make_dialect_v2(std::shared_ptr<const LoadedLibrary> library, std::shared_ptr<const Dialect>* dialect) {
  auto made = std::make_shared<DialectV2>(std::move(library));
  if (Status status = made->find_functions(); !status.ok()) return status;
  *dialect = std::move(made);
  return {};
}

}  // namespace xsp::bound::onednn

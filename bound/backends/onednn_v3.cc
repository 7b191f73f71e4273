#include <algorithm>

#include "bound/backends/onednn_dialect.h"

namespace xsp::bound::onednn {
namespace {

// Of query: what is asked of a memory descriptor. Answers about lists are addresses of them.
constexpr int kQueryStrides = 14;
constexpr int kQueryRank = 256;
constexpr int kQueryDimensions = 257;
constexpr int kQueryType = 258;
constexpr int kQueryFormatKind = 262;
constexpr int kQueryBlockCount = 263;
constexpr int kQueryBlockSizes = 264;
constexpr int kQueryBlockDimensions = 265;

struct FunctionsV3 {
  using Md = const void*;
  using Sizes = const int64_t*;
  using To = PrimitiveDescriptorObject**;
  using Attr = const AttributeObject*;
  Answer (*create_with_strides)(void**, int rank, Sizes dimensions, int type, Sizes strides);
  Answer (*create_with_tag)(void**, int rank, Sizes dimensions, int type, int tag);
  Answer (*clone_description)(void**, Md);
  Answer (*destroy_description)(void*);
  Answer (*query_description)(Md, int what, void* result);
  Answer (*next)(PrimitiveDescriptorObject*);
  Answer (*clone_descriptor)(To, const PrimitiveDescriptorObject*);
  Answer (*append_sum)(PostOpsObject*, float scale, int32_t zero_point, int type);
  Answer (*append_eltwise)(PostOpsObject*, int algorithm, float alpha, float beta);
  Answer (*convolution)(To, EngineObject*, int propagation, int algorithm, Md source, Md weights, Md bias,
                        Md destination, Sizes strides, Sizes dilations, Sizes begin, Sizes end, Attr);
  Answer (*deconvolution)(To, EngineObject*, int propagation, int algorithm, Md source, Md weights, Md bias,
                          Md destination, Sizes strides, Sizes dilations, Sizes begin, Sizes end, Attr);
  Answer (*matmul)(To, EngineObject*, Md source, Md weights, Md bias, Md destination, Attr);
  Answer (*inner_product)(To, EngineObject*, int propagation, Md source, Md weights, Md bias, Md destination, Attr);
  Answer (*pooling)(To, EngineObject*, int propagation, int algorithm, Md source, Md destination, Sizes strides,
                    Sizes kernel, Sizes dilations, Sizes begin, Sizes end, Attr);
  Answer (*eltwise)(To, EngineObject*, int propagation, int algorithm, Md source, Md destination, float alpha,
                    float beta, Attr);
  Answer (*binary)(To, EngineObject*, int algorithm, Md first, Md second, Md destination, Attr);
  Answer (*softmax)(To, EngineObject*, int propagation, int algorithm, Md source, Md destination, int axis, Attr);
  Answer (*batch_normalization)(To, EngineObject*, int propagation, Md source, Md destination, float epsilon,
                                unsigned flags, Attr);
  Answer (*layer_normalization)(To, EngineObject*, int propagation, Md source, Md destination, Md statistics,
                                float epsilon, unsigned flags, Attr);
  Answer (*lrn)(To, EngineObject*, int propagation, int algorithm, Md source, Md destination, int64_t size, float alpha,
                float beta, float k, Attr);
  Answer (*reduction)(To, EngineObject*, int algorithm, Md source, Md destination, float p, float epsilon, Attr);
  Answer (*resampling)(To, EngineObject*, int propagation, int algorithm, const float* factors, Md source,
                       Md destination, Attr);
  Answer (*concat)(To, EngineObject*, Md destination, int count, int axis, const Md* sources, Attr);
};

constexpr EltwiseParameter kAlphaItself{EltwiseParameter::From::kAlpha};
constexpr EltwiseParameter kBetaItself{EltwiseParameter::From::kBeta};
constexpr EltwiseRow kEltwiseV3[] = {
    {"relu", 32, {}, {}},
    {"leaky_relu", 32, kAlphaItself, {}},
    {"tanh", 33, {}, {}},
    {"elu", 34, kAlphaItself, {}},
    {"square", 35, {}, {}},
    {"abs", 36, {}, {}},
    {"sqrt", 37, {}, {}},
    {"neg", 38, {.number = -1}, {}},  // linear
    {"linear", 38, kAlphaItself, kBetaItself},
    {"softplus", 39, {.number = 1}, {}},
    {"hardsigmoid", 40, kAlphaItself, kBetaItself},
    {"sigmoid", 41, {}, {}},
    {"exp", 42, {}, {}},
    {"gelu_tanh", 43, {}, {}},
    {"silu", 44, kAlphaItself, {}},
    {"log", 45, {}, {}},
    {"clip", 46, kAlphaItself, kBetaItself},
    {"reciprocal", 48, {.number = 1}, {.number = -1}},  // pow
    {"gelu_erf", 49, {}, {}},
    {"round", 50, {}, {}},
    {"mish", 51, {}, {}},
    {"hardswish", 52, {.number = 1.0F / 6}, {.number = 0.5F}},
};

class DialectV3 : public DialectBase {
 public:
  explicit DialectV3(std::shared_ptr<const LoadedLibrary> loaded) : DialectBase(std::move(loaded)) {}

  Status find_functions() {
    const WantedFunction wanted[] = {
        {"dnnl_memory_desc_create_with_strides", &call_.create_with_strides},
        {"dnnl_memory_desc_create_with_tag", &call_.create_with_tag},
        {"dnnl_memory_desc_clone", &call_.clone_description},
        {"dnnl_memory_desc_destroy", &call_.destroy_description},
        {"dnnl_memory_desc_query", &call_.query_description},
        {"dnnl_primitive_desc_next_impl", &call_.next},
        {"dnnl_primitive_desc_clone", &call_.clone_descriptor},
        {"dnnl_post_ops_append_sum", &call_.append_sum},
        {"dnnl_post_ops_append_eltwise", &call_.append_eltwise},
        {"dnnl_convolution_forward_primitive_desc_create", &call_.convolution},
        {"dnnl_deconvolution_forward_primitive_desc_create", &call_.deconvolution},
        {"dnnl_matmul_primitive_desc_create", &call_.matmul},
        {"dnnl_inner_product_forward_primitive_desc_create", &call_.inner_product},
        {"dnnl_pooling_forward_primitive_desc_create", &call_.pooling},
        {"dnnl_eltwise_forward_primitive_desc_create", &call_.eltwise},
        {"dnnl_binary_primitive_desc_create", &call_.binary},
        {"dnnl_softmax_forward_primitive_desc_create", &call_.softmax},
        {"dnnl_batch_normalization_forward_primitive_desc_create", &call_.batch_normalization},
        {"dnnl_layer_normalization_forward_primitive_desc_create", &call_.layer_normalization},
        {"dnnl_lrn_forward_primitive_desc_create", &call_.lrn},
        {"dnnl_reduction_primitive_desc_create", &call_.reduction},
        {"dnnl_resampling_forward_primitive_desc_create", &call_.resampling},
        {"dnnl_concat_primitive_desc_create", &call_.concat},
    };
    return library().find(wanted);
  }

  Description with_strides(DataType type, const Dimensions& dimensions, const Dimensions& strides) const override {
    void* made = nullptr;
    const Answer answer =
        call_.create_with_strides(&made, static_cast<int>(dimensions.size()), padded(dimensions).data(),
                                  static_cast<int>(type), padded(strides).data());
    return answer == Answer::kSuccess ? owned_description(made) : nullptr;
  }

  Description with_tag(DataType type, const Dimensions& dimensions, int tag) const override {
    void* made = nullptr;
    const Answer answer = call_.create_with_tag(&made, static_cast<int>(dimensions.size()), padded(dimensions).data(),
                                                static_cast<int>(type), tag);
    return answer == Answer::kSuccess ? owned_description(made) : nullptr;
  }

  Description copy(const void* description) const override {
    void* made = nullptr;
    if (description == nullptr || call_.clone_description(&made, description) != Answer::kSuccess) return nullptr;
    return owned_description(made);
  }

  DescriptionFacts facts(const void* description) const override {
    DescriptionFacts facts;
    int rank = 0, type = 0;
    if (description == nullptr || !ask(description, kQueryRank, &rank) || rank < 0 ||
        static_cast<size_t>(rank) > kMostDimensions)
      return facts;
    if (ask(description, kQueryType, &type)) facts.type = static_cast<DataType>(type);
    ask(description, kQueryFormatKind, &facts.format_kind);
    facts.dimensions = list(description, kQueryDimensions, rank);
    if (facts.format_kind != kBlockedFormat) return facts;
    facts.strides = list(description, kQueryStrides, rank);
    int count = 0;
    if (!ask(description, kQueryBlockCount, &count) || count <= 0 || static_cast<size_t>(count) > kMostDimensions)
      return facts;
    const Dimensions sizes = list(description, kQueryBlockSizes, count);
    const Dimensions of = list(description, kQueryBlockDimensions, count);
    for (size_t i = 0; i < std::min(sizes.size(), of.size()); ++i)
      facts.blocks.emplace_back(static_cast<size_t>(of[i]), sizes[i]);
    return facts;
  }

  std::optional<int> blocked_tag(size_t rank, int64_t block) const override {
    constexpr int kTags8[] = {69, 102, 142};
    constexpr int kTags16[] = {56, 78, 121};
    if (rank < 3 || rank > 5 || (block != 8 && block != 16)) return {};
    return block == 8 ? kTags8[rank - 3] : kTags16[rank - 3];
  }

  std::optional<EltwiseForm> eltwise(std::string_view name, double alpha, double beta) const override {
    return eltwise_form(kEltwiseV3, name, alpha, beta);
  }

  bool has_winograd() const override { return false; }

  Status implementations(const PrimitiveRequest& request, std::vector<PrimitiveDescriptor>* found) const override {
    Answer answer = Answer::kSuccess;
    const Attribute attribute = attribute_of(request, &answer);
    if (!attribute) return refusal(answer);
    PrimitiveDescriptorObject* first = nullptr;
    answer = create(request, attribute.get(), &first);
    if (answer != Answer::kSuccess || first == nullptr) return refusal(answer);
    const PrimitiveDescriptor walking = owned(first);
    do {
      PrimitiveDescriptorObject* clone = nullptr;
      if (call_.clone_descriptor(&clone, walking.get()) == Answer::kSuccess) found->push_back(owned(clone));
    } while (call_.next(walking.get()) == Answer::kSuccess);
    return {};
  }

 protected:
  Answer append_eltwise(PostOpsObject* post_ops, const PostOp& post_op) const override {
    return call_.append_eltwise(post_ops, post_op.algorithm, post_op.alpha, post_op.beta);
  }
  Answer append_sum(PostOpsObject* post_ops) const override {
    return call_.append_sum(post_ops, 1, 0, static_cast<int>(DataType::kUndefined));
  }
  int post_op_base() const override { return 1 << 15; }

 private:
  Description owned_description(void* made) const { return {made, call_.destroy_description}; }

  template <typename Value>
  bool ask(const void* description, int what, Value* value) const {
    return call_.query_description(description, what, value) == Answer::kSuccess;
  }
  Dimensions list(const void* description, int what, int count) const {
    const int64_t* numbers = nullptr;
    if (!ask(description, what, &numbers) || numbers == nullptr) return {};
    return {numbers, numbers + count};
  }

  Answer create(const PrimitiveRequest& r, const AttributeObject* attribute, PrimitiveDescriptorObject** to) const {
    constexpr unsigned kGlobalStatistics = 1, kUseScale = 2, kUseShift = 4;
    const unsigned flags = (r.has_scale ? kUseScale : 0) | (r.has_shift ? kUseShift : 0);
    EngineObject* const engine = library().engine();
    const void* const source = r.sources.at(0).get();
    const void* const weights = r.weights.get();
    const void* const bias = r.bias.get();
    const void* const destination = r.destination.get();
    const DimensionArray kernel = padded(r.kernel), strides = padded(r.strides), dilations = padded(r.dilations),
                         begin = padded(r.pads_begin), end = padded(r.pads_end);
    switch (r.kind) {
      case PrimitiveKind::kConvolution:
        return call_.convolution(to, engine, kForwardInference, r.algorithm, source, weights, bias, destination,
                                 strides.data(), dilations.data(), begin.data(), end.data(), attribute);
      case PrimitiveKind::kDeconvolution:
        return call_.deconvolution(to, engine, kForwardInference, r.algorithm, source, weights, bias, destination,
                                   strides.data(), dilations.data(), begin.data(), end.data(), attribute);
      case PrimitiveKind::kMatmul:
        return call_.matmul(to, engine, source, weights, bias, destination, attribute);
      case PrimitiveKind::kInnerProduct:
        return call_.inner_product(to, engine, kForwardInference, source, weights, bias, destination, attribute);
      case PrimitiveKind::kPooling:
        return call_.pooling(to, engine, kForwardInference, r.algorithm, source, destination, strides.data(),
                             kernel.data(), dilations.data(), begin.data(), end.data(), attribute);
      case PrimitiveKind::kEltwise:
        return call_.eltwise(to, engine, kForwardInference, r.algorithm, source, destination, r.alpha, r.beta,
                             attribute);
      case PrimitiveKind::kBinary:
        return call_.binary(to, engine, r.algorithm, source, r.sources.at(1).get(), destination, attribute);
      case PrimitiveKind::kSoftmax:
        return call_.softmax(to, engine, kForwardInference, r.algorithm, source, destination, r.axis, attribute);
      case PrimitiveKind::kBatchNormalization:
        return call_.batch_normalization(to, engine, kForwardInference, source, destination, r.epsilon,
                                         flags | kGlobalStatistics, attribute);
      case PrimitiveKind::kLayerNormalization:
        return call_.layer_normalization(to, engine, kForwardInference, source, destination, r.statistics.get(),
                                         r.epsilon, flags, attribute);
      case PrimitiveKind::kLrn:
        return call_.lrn(to, engine, kForwardInference, r.algorithm, source, destination, r.local_size, r.alpha, r.beta,
                         r.offset, attribute);
      case PrimitiveKind::kReduction:
        return call_.reduction(to, engine, r.algorithm, source, destination, r.alpha, r.epsilon, attribute);
      case PrimitiveKind::kResampling:
        return call_.resampling(to, engine, kForwardInference, r.algorithm, nullptr, source, destination, attribute);
      case PrimitiveKind::kConcat: {
        std::vector<const void*> sources;
        for (const Description& one : r.sources) sources.push_back(one.get());
        return call_.concat(to, engine, destination, static_cast<int>(sources.size()), r.axis, sources.data(),
                            attribute);
      }
      case PrimitiveKind::kReorder:
        return functions().reorder_create(to, source, engine, destination, engine, attribute);
    }
    return Answer::kUnimplemented;
  }

  FunctionsV3 call_{};
};

}  // namespace

Status make_dialect_v3(std::shared_ptr<const LoadedLibrary> library, std::shared_ptr<const Dialect>* dialect) {
  auto made = std::make_shared<DialectV3>(std::move(library));
  if (Status status = made->find_functions(); !status.ok()) return status;
  *dialect = std::move(made);
  return {};
}

}  // namespace xsp::bound::onednn

#include "bound/fusion/fused_groups.h"
#include "bound/fusion/group_list.h"
#include "bound/fusion/model_graph.h"
#include "bound/fusion/rule_matchers.h"

namespace xsp::bound {
namespace {

constexpr FusionRule kFusionRules[] = {
    {"quantized", "DequantizeLinear + Conv, MatMul or Gemm [+ Relu] + QuantizeLinear", "conv, matmul dtype=u8:i8:u8",
     "onednn, onnxruntime, cublaslt"},
    {"attention", "MatMul · scale [+ mask] + Softmax + MatMul", "sdpa", "onnxruntime, cudnn"},
    {"convolution", "Conv or ConvTranspose [+ BatchNormalization] [+ Add] [+ activation]", "conv, deconv post=add+relu",
     "onednn, onnxruntime, cudnn"},
    {"product", "MatMul or Gemm [· scale] [+ bias] [+ Add] [+ activation]", "matmul bias= post=add+gelu_erf",
     "onednn, onnxruntime, cublaslt, cudnn"},
    {"layernorm", "ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul [+ Add]", "layernorm",
     "onednn, onnxruntime, cudnn"},
    {"add+layernorm", "[Add +] Add + LayerNormalization, also decomposed", "addnorm", "onnxruntime"},
    {"elementwise", "elementwise layers in a row, up to 16", "eltwise, binary post=relu, Fused.Elementwise",
     "onednn, onnxruntime, cudnn"},
};

using Matcher = void (*)(const ModelGraph& graph, size_t head, GroupList* groups);
constexpr Matcher kMatchers[] = {find_quantized, find_attention,      find_convolutions,
                                 find_products,  find_normalizations, find_activations};

}  // namespace

std::span<const FusionRule> fusion_rules() { return kFusionRules; }

std::vector<FusedGroup> find_fusions(const LayeredModel& model) {
  if (model.source == nullptr) return {};
  const ModelGraph graph(model);
  GroupList groups(graph);
  for (size_t head = 0; head < graph.layers(); ++head) {
    if (!has_work(graph.layer(head).layer_class) || graph.output(head) == nullptr) continue;
    for (const Matcher& find : kMatchers) find(graph, head, &groups);
  }
  find_chains(graph, &groups);
  return std::move(groups).sorted();
}

}  // namespace xsp::bound
